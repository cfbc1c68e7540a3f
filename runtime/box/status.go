package box

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/orkestra-runtime/orkestra/api/nearest"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/notes"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

func (c *compiler) status(declared *orkv1.Status, at *field.Path) Status {
	status := Status{
		Off:                c.entry.IgnoreStatusPatch,
		Conditions:         true,
		ObservedGeneration: !c.entry.IgnoreObservedGeneration,
	}
	if declared == nil {
		return status
	}
	if declared.Conditions != nil {
		status.Conditions = *declared.Conditions
	}
	steady := c.steady("the status would change in every cycle")
	for i, one := range declared.Fields {
		here := at.Child("fields").Index(i)
		path := statusPath(one.Path)
		if !c.known.Keeps(append([]string{"status"}, path...)) {
			c.language.Warn(field.Invalid(here.Child("path"), one.Path, "is left out: it is not in the schema, so the server would drop it"+c.near(path)))
		}
		c.constant(one, path, here.Child("value"))
		status.Fields = append(status.Fields, StatusField{
			Path:         path,
			Value:        steady.template(one.Value, here.Child("value")),
			Type:         one.Type,
			Gate:         c.gate(one.Conditions, here),
			Conditional:  len(one.When)+len(one.Or) > 0,
			ClearOnFalse: one.ClearOnFalse,
		})
	}
	c.restless(status.Fields, at)
	return status
}

// near names the field of the status that was probably meant by one that it does not have.
func (c *compiler) near(path []string) string {
	for i := range path {
		above := append(template.Path{"status"}, path[:i]...)
		if props := c.known.At(above); props != nil && !c.known.Keeps(append(above, path[i])) {
			if name := nearest.Word(path[i], slices.Sorted(maps.Keys(props.Properties))); name != "" {
				return "; did you mean " + name + "?"
			}
			return ""
		}
	}
	return ""
}

// constant reports a value that is the same in each cycle and that the schema never takes.
func (c *compiler) constant(declared orkv1.StatusField, path []string, at *field.Path) {
	text := strings.TrimSpace(string(declared.Value))
	if text == "" || !isStatic(declared.Value) {
		return
	}
	shape := c.known.Shape(append(template.Path{"status"}, path...))
	fits, want := true, shape.Type
	switch shape.Type {
	case notes.TypeNumber:
		_, fits = notes.NumberOf(text)
	case notes.TypeBool:
		_, err := strconv.ParseBool(text)
		fits = err == nil
	case notes.TypeString:
		fits, want = shape.Enum == nil || slices.Contains(shape.Enum, text), "one of "+strings.Join(shape.Enum, ", ")
	case notes.TypeList, notes.TypeMap:
		fits = false
	}
	if !fits {
		c.report(field.Invalid(at, text, "the schema wants "+articled(want)+" here"))
	}
}

// articled is the name of a type as people say it.
func articled(kind string) string {
	switch kind {
	case notes.TypeNumber:
		return "a number"
	case notes.TypeBool:
		return "true or false"
	case notes.TypeList:
		return "a list"
	case notes.TypeMap:
		return "a map"
	default:
		return kind
	}
}

// statusPath reads a dot path below status. That it is one, the loader has seen to.
func statusPath(text string) []string { return strings.Split(strings.TrimPrefix(text, "."), ".") }
