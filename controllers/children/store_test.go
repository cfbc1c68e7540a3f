package children_test

import (
	"errors"
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
