package reconciler

import (
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/orkestra-runtime/orkestra/conditions/readiness"
)

// keyReady is the key under which a child says to templates whether it is ready.
const keyReady = "ready"

// judged are the children with their verdicts, as copies: what is in memory is shared. A child that has such a field keeps its own.
func judged(children []*unstructured.Unstructured) []*unstructured.Unstructured {
	all := make([]*unstructured.Unstructured, 0, len(children))
	for _, child := range children {
		if _, own := child.Object[keyReady]; !own {
			object := maps.Clone(child.Object)
			object[keyReady] = readiness.Of(child.Object).Ready
			child = &unstructured.Unstructured{Object: object}
		}
		all = append(all, child)
	}
	return all
}

// shown are the children as templates see them.
func (s *scope) shown(children []*unstructured.Unstructured) []*unstructured.Unstructured {
	if s.Box.ReadsReady {
		return judged(children)
	}
	return children
}
