package box

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/notes"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/controllers/children"
)

// childNames lists the keys that the declared children have below .children. Open tells that the kind of one is known at run time
// only.
func childNames(registry *controllers.Registry, declared *orkv1.OperatorBox) (names []string, open bool) {
	for _, block := range append(stages(declared.OnDelete), declared.OnCreate, declared.OnReconcile, onRollback(declared)) {
		for _, declaration := range registry.Declarations(block, field.NewPath("block")) {
			if declaration.GVK.Empty() {
				open = true
				continue
			}
			names = append(names, keysOf(declaration)...)
		}
	}
	return names, open
}

// keysOf are the keys that the children of a declaration have below .children.
func keysOf(declaration controllers.Declaration) []string {
	if declaration.GVK.Empty() {
		return nil
	}
	kind, plural := declaration.GVK.Kind, pluralOf(declaration.GVK)
	names := []string{kind, children.Spelled(kind, plural), declaration.Kind.Key}
	if declaration.Kind.GVK.Empty() {
		names = append(names, "custom")
	}
	return names
}

// elements are the roots that an element of the forEach sees besides the others.
func (e *ForEach) elements(known *roots.Known) *roots.Known {
	element := known.At(append(slices.Clip(e.Field), template.Element))
	var item *roots.Props
	switch known.Shape(e.Field).Type {
	case notes.TypeList:
		item = element
	case notes.TypeMap:
		item, known = &roots.Props{Type: "string"}, known.With("value", element)
	default:
		known = known.With("value", nil)
	}
	known = known.With("item", item).With("index", &roots.Props{Type: "integer"})
	if e.As != "" {
		known = known.With(e.As, item)
	}
	return known
}
