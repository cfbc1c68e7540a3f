package apply

import (
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
)

// DepthOf reads how deep a child stands among those that depend on one another. Ok is false for one that has no depth, or one that is
// no whole number.
func DepthOf(object *unstructured.Unstructured) (depth int, ok bool) {
	text, found := controllers.Annotation(object, orkv1.AnnotationDepth)
	if !found {
		return 0, false
	}
	depth, err := strconv.Atoi(text)
	return depth, err == nil && depth >= 0
}

// Deepest lists the owner's children of the kinds that have the greatest depth of all, the last kind first, and tells the depth.
func (a *Applier) Deepest(owner controllers.Owner, kinds []schema.GroupVersionKind) (deepest []Child, depth int, err error) {
	all, err := a.owned(owner, kinds, func(child *unstructured.Unstructured) bool {
		_, ok := DepthOf(child)
		return ok
	})
	for _, child := range all {
		at, _ := DepthOf(child.Object)
		depth = max(depth, at)
	}
	deepest = slices.DeleteFunc(all, func(child Child) bool {
		at, _ := DepthOf(child.Object)
		return at < depth
	})
	return deepest, depth, err
}
