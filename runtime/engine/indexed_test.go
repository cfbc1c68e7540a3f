package engine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/yaml"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers/builtin"
	"github.com/orkestra-runtime/orkestra/controllers/informer"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

const indexedBox = `
observe:
  watch:
    - {apiVersion: v1, kind: ConfigMap, index: [{name: owner, field: ".metadata.ownerReferences[0].name"}, {name: app, field: ".metadata.labels['example.com/app']"}]}
    - {apiVersion: v1, kind: ConfigMap, namespace: shop, index: [{name: owner, field: "metadata.ownerReferences[0].name"}]}
    - {apiVersion: v1, kind: Secret, index: [{name: owner, field: .metadata.name}]}
    - {apiVersion: v1, kind: Pod}
`

var errManager = errors.New("this is the client of the manager")

// indexing is the client of an entry with the box, whose watches of ConfigMaps have listed some and those of Secrets do not run.
func indexing(t *testing.T) client.Client {
	t.Helper()
	declared := orkv1.CRD{APITypes: orkv1.APITypes{Group: "demo.io", Version: "v1", Kind: "Site", Plural: "sites"}}
	if err := yaml.UnmarshalStrict([]byte(indexedBox), &declared.OperatorBox); err != nil {
		t.Fatal(err)
	}
	registry, err := builtin.Registry()
	if err != nil {
		t.Fatal(err)
	}
	sets, found := box.CompileKatalog(&orkv1.Katalog{Spec: orkv1.KatalogSpec{CRDs: map[string]orkv1.CRD{"site": declared}}}, box.Options{Registry: registry})
	if len(found.Errors) > 0 {
		t.Fatal(found.Errors)
	}
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, meta.RESTScopeNamespace)
	stores := map[string]toolscache.Store{}
	e := &entry{set: sets[0], engine: &Engine{}}
	e.engine.observed = informer.NewPool(func(_ context.Context, o informer.Options) (*informer.Informer, error) {
		still, store := informer.Still(o.Resource, nil)
		stores[o.Namespace] = store
		return still, nil
	}, mapper)
	for _, observed := range e.set.Selections() {
		if observed.Kind != "ConfigMap" {
			continue
		}
		running, err := e.engine.observed.Hold(t.Context(), "site", observed)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(e.index(observed, running), e.index(observed, running)); err != nil { // another entry may share it
			t.Fatal(err)
		}
	}
	for _, one := range []struct{ namespace, name, owner, app string }{
		{"shop", "one", "a", "x"}, {"shop", "two", "a", "y"}, {"shop", "three", "b", "x"}, {"other", "four", "a", "x"}, {"other", "five", "", ""},
	} {
		object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
		object.SetNamespace(one.namespace)
		object.SetName(one.name)
		if one.owner != "" {
			object.SetOwnerReferences([]metav1.OwnerReference{{Name: one.owner}})
			object.SetLabels(map[string]string{"example.com/app": one.app})
		}
		for namespace, store := range stores {
			if namespace == "" || namespace == one.namespace {
				if err := store.Add(object); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	refusing := fake.NewClientBuilder().WithInterceptorFuncs(interceptor.Funcs{
		List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error {
			return errManager
		},
	}).Build()
	return &resourceClient{Client: refusing, entry: e}
}

func TestListByIndex(t *testing.T) {
	untyped := &unstructured.UnstructuredList{}
	untyped.SetGroupVersionKind(schema.GroupVersionKind{Version: "v1", Kind: "ConfigMapList"})
	partly := &metav1.PartialObjectMetadataList{}
	partly.SetGroupVersionKind(schema.GroupVersionKind{Version: "v1", Kind: "ConfigMapList"})
	cases := map[string]struct {
		reason string
		into   client.ObjectList
		opts   []client.ListOption
		want   []string
		err    string
	}{
		"Index": {
			reason: "an object that two watches have is listed once", into: &corev1.ConfigMapList{}, opts: []client.ListOption{client.MatchingFields{"owner": "a"}},
			want: []string{"ConfigMap other/four", "ConfigMap shop/one", "ConfigMap shop/two"},
		},
		"Namespace": {
			reason: "of one namespace", into: &corev1.ConfigMapList{},
			opts: []client.ListOption{client.MatchingFields{"owner": "a"}, client.InNamespace("shop")}, want: []string{"ConfigMap shop/one", "ConfigMap shop/two"},
		},
		"Labels": {
			reason: "labels select besides", into: &corev1.ConfigMapList{},
			opts: []client.ListOption{client.MatchingFields{"owner": "a"}, client.MatchingLabels{"example.com/app": "y"}}, want: []string{"ConfigMap shop/two"},
		},
		"Two": {
			reason: "an object has to be in every index, which the second watch does not have", into: &corev1.ConfigMapList{},
			opts: []client.ListOption{client.MatchingFields{"owner": "a", "app": "x"}}, want: []string{"ConfigMap other/four", "ConfigMap shop/one"},
		},
		"Nothing": {
			reason: "what is under no value is not there", into: &corev1.ConfigMapList{}, opts: []client.ListOption{client.MatchingFields{"owner": "c"}},
		},
		"Untyped": {
			reason: "unstructured lists are no other", into: untyped, opts: []client.ListOption{client.MatchingFields{"owner": "b"}}, want: []string{"ConfigMap shop/three"},
		},
		"Partly": {
			reason: "nor are those of metadata alone", into: partly, opts: []client.ListOption{client.MatchingFields{"owner": "b"}}, want: []string{"ConfigMap shop/three"},
		},
		"Limit": {
			reason: "no more than are asked for", into: &corev1.ConfigMapList{},
			opts: []client.ListOption{client.MatchingFields{"owner": "b"}, client.Limit(1)}, want: []string{"ConfigMap shop/three"},
		},
		"NotListed": {
			reason: "a watch that has not listed its kind knows no answer", into: &corev1.SecretList{}, opts: []client.ListOption{client.MatchingFields{"owner": "a"}},
			err: "list Secret by index owner: the watch of Secret has not listed them yet",
		},
		"Undeclared": {
			reason: "the program may have added the index itself", into: &corev1.ConfigMapList{},
			opts: []client.ListOption{client.MatchingFields{"owner": "a", "own": "b"}}, err: errManager.Error(),
		},
		"NoIndex":   {reason: "a watch need not have an index", into: &corev1.PodList{}, opts: []client.ListOption{client.MatchingFields{"owner": "a"}}, err: errManager.Error()},
		"NoFields":  {reason: "all objects are the manager's to list", into: &corev1.ConfigMapList{}, err: errManager.Error()},
		"OtherKind": {reason: "and so are kinds that are not observed", into: &corev1.ServiceList{}, opts: []client.ListOption{client.MatchingFields{"owner": "a"}}, err: errManager.Error()},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			err := indexing(t).List(t.Context(), tc.into, tc.opts...)
			if text := text(err); !strings.Contains(text, tc.err) || tc.err == "" && err != nil {
				t.Fatalf("\n%s\nList(...): %q, want %q", tc.reason, text, tc.err)
			}
			var got []string
			_ = meta.EachListItem(tc.into, func(one runtime.Object) error {
				object, err := meta.Accessor(one)
				got = append(got, one.GetObjectKind().GroupVersionKind().Kind+" "+object.GetNamespace()+"/"+object.GetName())
				return err
			})
			slices.Sort(got)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nList(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
