package enrich

import (
	"cmp"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// Family is what is in memory around a child anyway.
type Family struct {
	// Owner is the resource that the child belongs to.
	Owner *unstructured.Unstructured
	// Child returns any child of any resource, nil when there is no such child.
	Child func(schema.GroupVersionKind, types.NamespacedName) *unstructured.Unstructured
}

// reading is one child while something is added to it.
type reading struct {
	*Reader
	Family
	kind  schema.GroupKind
	child *unstructured.Unstructured // as it was given; never written
	found map[string]any             // by key
}

// Add returns a copy of the child with what the targets read of it, or the child itself when that is nothing. The values are shared
// with others: nobody may write to them.
func (r *Reader) Add(child *unstructured.Unstructured, names []orkv1.EnrichmentName, family Family) *unstructured.Unstructured {
	one := &reading{Reader: r, Family: family, kind: child.GroupVersionKind().GroupKind(), child: child, found: map[string]any{}}
	for _, t := range targets {
		if t.of(one.kind) && slices.ContainsFunc(names, func(name orkv1.EnrichmentName) bool { return Canonical(name) == t.name }) {
			t.add(one)
		}
	}
	if len(one.found) == 0 {
		return child
	}
	object := maps.Clone(child.Object)
	maps.Copy(object, one.found)
	return &unstructured.Unstructured{Object: object}
}

// list adds objects in the order of their names. None are no list: the functions take it for an empty one.
func (r *reading) list(key string, objects []*unstructured.Unstructured) {
	if len(objects) > 0 {
		r.found[key] = listOf(byName(objects))
	}
}

func (r *reading) one(key string, object *unstructured.Unstructured) {
	if object != nil {
		r.found[key] = object.Object
	}
}

// named is the object of a kind with a name, nil without one.
func (r *reading) named(kind schema.GroupVersionKind, namespace, name string) *unstructured.Unstructured {
	held := r.of(kind)
	if held == nil || name == "" {
		return nil
	}
	return held.Get(types.NamespacedName{Namespace: namespace, Name: name})
}

func byName(objects []*unstructured.Unstructured) []*unstructured.Unstructured {
	slices.SortFunc(objects, func(a, b *unstructured.Unstructured) int {
		return cmp.Or(cmp.Compare(a.GetName(), b.GetName()), cmp.Compare(a.GetNamespace(), b.GetNamespace()))
	})
	return objects
}

// listOf is a list as templates have them.
func listOf(objects []*unstructured.Unstructured) []any {
	list := make([]any, len(objects))
	for i, object := range objects {
		list[i] = object.Object
	}
	return list
}
