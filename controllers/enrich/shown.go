package enrich

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// shown are the kinds that templates see among the children although no resource declares them: what the targets add to children.
// Nobody writes to it.
var shown = []struct {
	target       orkv1.EnrichmentName
	key          string
	kind, plural string
}{
	{"pods", "_pods", podKind.Kind, "pods"},
	{"replicasets", "_replicaSets", setKind.Kind, "replicasets"},
	{"endpoints", "_endpoints", sliceKind.Kind, "endpointslices"},
	{"node", "_node", nodeKind.Kind, "nodes"},
}

// Shown lists the names below .children of what the targets add.
func Shown(targets ...string) []string {
	var names []string
	for _, one := range shown {
		if slices.Contains(targets, string(one.target)) {
			names = append(names, one.kind, one.plural)
		}
	}
	return names
}

// Found calls do for each kind that the targets have added to the children: with its objects, once each, in the order of the children,
// and enriched themselves with what there is of such an object.
func (r *Reader) Found(
	children []*unstructured.Unstructured, names []orkv1.EnrichmentName, family Family,
	do func(kind, plural string, objects []*unstructured.Unstructured),
) {
	for _, one := range shown {
		if !slices.ContainsFunc(names, func(name orkv1.EnrichmentName) bool { return Canonical(name) == one.target }) {
			continue
		}
		var found []*unstructured.Unstructured
		seen := map[string]bool{}
		for _, child := range children {
			for _, object := range objectsAt(child, one.key) {
				if id := nameValue(object.GetNamespace(), object.GetName()); !seen[id] {
					seen[id] = true
					found = append(found, r.Add(object, names, family))
				}
			}
		}
		do(one.kind, one.plural, found)
	}
}

// objectsAt are the objects, or the one, that were added under a key.
func objectsAt(child *unstructured.Unstructured, key string) []*unstructured.Unstructured {
	added, ok := child.Object[key].([]any)
	if !ok {
		added = []any{child.Object[key]}
	}
	var objects []*unstructured.Unstructured
	for _, one := range added {
		if object, ok := one.(map[string]any); ok {
			objects = append(objects, &unstructured.Unstructured{Object: object})
		}
	}
	return objects
}
