package simulate

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/orkestra-runtime/orkestra/runtime/cross"
)

// across reads other resources as the engine does: those of the scene.
type across struct{ *actor }

var _ cross.Reader = across{}

// Read answers from what there is, and notes what there is not.
func (a across) Read(_ types.NamespacedName, queries []cross.Query) []cross.Result {
	results := make([]cross.Result, len(queries))
	a.unfound = map[string]bool{}
	for i := range queries {
		query := &queries[i]
		other := a.crossEntry(query.Entry)
		switch {
		case other == nil:
			a.unfound[fmt.Sprintf("cross read of %s finds nothing: no Katalog of the simulation operates it, and nobody else is asked; give what is read in --external, as cross: {<as>: {...}}",
				called(query.Entry))] = true
		case !other.set.CrossAccess:
			results[i].Hidden = true
		default:
			results[i].Resources = query.Select(maps.Values(a.operatedBy(other)))
			if len(results[i].Resources) == 0 {
				a.unfound[fmt.Sprintf("cross read of %s finds nothing: give a %s that it asks for with --children or --cr", other.name, other.set.GVK.Kind)] = true
			}
		}
	}
	return results
}

// called is what a read calls an entry.
func called(entry cross.Entry) string {
	if entry.Labels != "" {
		return "the CRD with the labels " + entry.Labels
	}
	return entry.Name
}

// Forget does nothing: cycles go on as long as anything is written.
func (a across) Forget(types.NamespacedName) {}

// Ask asks nobody.
func (a across) Ask(context.Context, *cross.Ask, bool) map[string]any { return nil }

// crossEntry is the entry that is meant, as in the engine. Nil: there is none.
func (s *simulation) crossEntry(meant cross.Entry) *entry {
	var found *entry
	for _, one := range s.entries {
		if slices.Contains(one.set.CrossEntries(), meant) && (found == nil || one.name < found.name) {
			found = one
		}
	}
	return found
}

// operatedBy are the resources that an entry operates.
func (s *simulation) operatedBy(one *entry) map[key]*unstructured.Unstructured {
	of := map[key]*unstructured.Unstructured{}
	for at, object := range s.server.objects {
		if _, selected := one.selects(object); one.operates(object) && selected {
			of[at] = object
		}
	}
	return of
}

// isOther tells whether a given object, which does not say whose child it is, is a resource of another CRD and no child.
func (s *simulation) isOther(object *unstructured.Unstructured, of *entry) bool {
	return s.entryOf(object) != nil && !slices.Contains(of.set.Kinds(), object.GroupVersionKind())
}
