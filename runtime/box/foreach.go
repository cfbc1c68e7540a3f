package box

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/orkestra-runtime/orkestra/controllers"
)

// distinct warns of a declaration whose elements all make one object: its name reads nothing of them. With conditions that read
// something of them it may be made for one element.
func (c *compiler) distinct(declaration controllers.Declaration, child Child) {
	if child.ForEach == nil || child.Identity == nil {
		return
	}
	ofElement := []string{"item", "index", "value", child.ForEach.As}
	for _, path := range slices.Concat(child.Identity.References(), child.Gate.References()) {
		if len(path) == 0 || slices.Contains(ofElement, path[0]) {
			return
		}
	}
	at := declaration.Path.Child("forEach", "field")
	c.language.Warn(field.Invalid(at, child.ForEach.Field.String(),
		"each element makes the same object, which fails with two of them: give name something of the element, as {{ .metadata.name }}-{{ .index }}"))
}
