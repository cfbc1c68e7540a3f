package informer

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
)

func TestStill(t *testing.T) {
	byKind := toolscache.Indexers{"kind": func(given any) ([]string, error) {
		object, _ := Object(given)
		return []string{object.GetKind()}, nil
	}}
	i, store := Still(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}, byKind)
	defer i.Stop()
	if err := i.WaitForSync(t.Context()); err != nil {
		t.Errorf("there is nothing to wait for: %v", err)
	}
	object := func(version string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap",
			"metadata": map[string]any{"namespace": "default", "name": "a", "uid": "u", "resourceVersion": version},
		}}
	}
	key := types.NamespacedName{Namespace: "default", Name: "a"}
	if _, err := i.Write(key, func() (*unstructured.Unstructured, error) { return object("2"), store.Add(object("2")) }); err != nil {
		t.Fatal(err)
	}
	if got := i.Get(key); got == nil || got.GetResourceVersion() != "2" {
		t.Errorf("Get(...) = %v, want what was written", got)
	}
	if got, err := i.ByIndex("kind", "ConfigMap"); err != nil || len(got) != 1 {
		t.Errorf("ByIndex(...) = %v, %v, want one object", got, err)
	}
	if err := store.Delete(object("2")); err != nil {
		t.Fatal(err)
	}
	i.RememberDeletion(object("2"))
	if got := i.Get(key); got != nil {
		t.Errorf("Get(...) = %v, want nothing once it is deleted", got)
	}
}
