package children_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic/fake"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers/children"
)

var configMaps = corev1.SchemeGroupVersion.WithKind("ConfigMap")

// owned is a ConfigMap of an owner.
func owned(name, owner string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{}}
	o.SetGroupVersionKind(configMaps)
	o.SetNamespace("shop")
	o.SetName(name)
	o.SetLabels(map[string]string{orkv1.LabelManagedBy: orkv1.ManagedByValue, orkv1.LabelOwner: owner})
	return o
}

func newStore(objects ...runtime.Object) *children.Store {
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(configMaps, meta.RESTScopeNamespace)
	return children.NewStore(fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(),
		map[schema.GroupVersionResource]string{corev1.SchemeGroupVersion.WithResource("configmaps"): "ConfigMapList"}, objects...), mapper)
}

func TestStoreHolders(t *testing.T) {
	s := newStore()
	if _, ok := s.Kind(configMaps); ok {
		t.Error("a kind is there that nobody holds")
	}
	for _, holder := range []string{"a", "b", "a"} {
		if err := s.Hold(t.Context(), holder, configMaps); err != nil {
			t.Fatal(err)
		}
	}
	kind, ok := s.Kind(configMaps)
	if !ok || !kind.Namespaced || kind.Resource.Resource != "configmaps" {
		t.Errorf("Kind(...) = %v, %t, want namespaced configmaps", kind, ok)
	}
	s.Release("a")
	if _, ok := s.Kind(configMaps); !ok {
		t.Error("a kind is gone that one of two holders holds")
	}
	s.Release("b", configMaps)
	if _, ok := s.Kind(configMaps); ok {
		t.Error("a kind is there after the last holder has released it")
	}
	s.Release("b")
}

func TestStoreMissingKind(t *testing.T) {
	gadget := schema.GroupVersionKind{Group: "test.example.com", Version: "v1", Kind: "Gadget"}
	err := newStore().Hold(t.Context(), "a", gadget)
	missing, ok := errors.AsType[*children.MissingKindError](err)
	if !ok || missing.GVK != gadget {
		t.Errorf("Hold(...) = %v, want a MissingKindError", err)
	}
}

func TestOwned(t *testing.T) {
	s := newStore(owned("a", "one"), owned("b", "one"), owned("c", "two"))
	if err := s.Hold(t.Context(), "test", configMaps); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Release("test") })
	kind, _ := s.Kind(configMaps)
	for _, written := range []*unstructured.Unstructured{owned("b", "one"), owned("d", "one"), owned("e", "two")} {
		written.SetResourceVersion("5")
		written.SetAnnotations(map[string]string{"new": "1"})
		name := types.NamespacedName{Namespace: "shop", Name: written.GetName()}
		if _, err := kind.Write(name, func() (*unstructured.Unstructured, error) { return written, nil }); err != nil {
			t.Fatal(err)
		}
	}
	list, err := kind.Owned("one")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, object := range list {
		got[object.GetName()] = object.GetAnnotations()["new"]
	}
	// What was written a moment ago is there, and once.
	if diff := cmp.Diff(map[string]string{"a": "", "b": "1", "d": "1"}, got); diff != "" || len(list) != 3 {
		t.Errorf("Owned(...) has %d objects: -want, +got:\n%s", len(list), diff)
	}
	if child := kind.Child("shop", "c"); child == nil || child.GetLabels()[orkv1.LabelOwner] != "two" {
		t.Errorf("Child(...) = %v, want c of two", child)
	}
	if child := kind.Child("shop", "none"); child != nil {
		t.Errorf("Child(...) = %v, want none", child)
	}
}

// A child that was handed over a moment ago belongs to its new owner, whatever the index says.
func TestStoreHandedOver(t *testing.T) {
	const resource = "Website.web.example.com/shop/w"
	served := func(name, owner, target string) *unstructured.Unstructured {
		o := owned(name, owner)
		o.SetAnnotations(map[string]string{orkv1.AnnotationOwner: resource})
		labels := o.GetLabels()
		labels[orkv1.LabelServeTarget] = target
		o.SetLabels(labels)
		return o
	}
	plain := owned("plain", "p")
	plain.SetAnnotations(map[string]string{orkv1.AnnotationOwner: resource})
	s := newStore(served("moved", "a", "gold"), served("kept", "b", "silver"), plain)
	if err := s.Hold(t.Context(), "test", configMaps); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Release("test") })
	kind, _ := s.Kind(configMaps)
	expect := func(when string, ofA, ofB, wantTargets []string) {
		t.Helper()
		for owner, want := range map[string][]string{"a": ofA, "b": ofB} {
			found, err := kind.Owned(owner)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, namesOf(found)); diff != "" {
				t.Errorf("%s: Owned(%q): -want, +got:\n%s", when, owner, diff)
			}
		}
		targets, err := kind.Targets(resource)
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(targets)
		if diff := cmp.Diff(wantTargets, targets); diff != "" {
			t.Errorf("%s: Targets(...): -want, +got:\n%s", when, diff)
		}
	}
	expect("before", []string{"moved"}, []string{"kept"}, []string{"gold", "silver"})
	_, err := kind.Write(types.NamespacedName{Namespace: "shop", Name: "moved"}, func() (*unstructured.Unstructured, error) {
		moved := served("moved", "b", "silver")
		moved.SetResourceVersion("1000000")
		return moved, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	expect("after", nil, []string{"kept", "moved"}, []string{"silver"})
}

func namesOf(objects []*unstructured.Unstructured) []string {
	var names []string
	for _, one := range objects {
		names = append(names, one.GetName())
	}
	slices.Sort(names)
	return names
}
