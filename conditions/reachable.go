package conditions

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/orkestra-runtime/orkestra/api/nearest"
	"github.com/orkestra-runtime/orkestra/conditions/notes"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// reachable reports a comparison whose outcome is known from what is known of the field: with a value that the field can't have. An
// equality that can't hold is an error; an inequality that always does, and one of several values in vain, are warnings.
func (b *builder) reachable(s *subject, operator string, value operandText, reading valueType) {
	roots := b.language.Roots()
	path := s.path
	if path == nil && s.program != nil {
		path = s.program.Path()
	}
	if roots == nil || path == nil || strings.Contains(value.text, "{{") {
		return
	}
	shape := roots.Shape(path)
	var wanted []string
	negated := false
	switch operator {
	case "equals":
		wanted = []string{value.text}
	case "notEquals":
		wanted, negated = []string{value.text}, true
	case "in", "notIn":
		for element := range strings.SplitSeq(value.text, ",") {
			wanted = append(wanted, strings.TrimSpace(element))
		}
		negated = operator == "notIn"
	case "gt", "gte", "lt", "lte", "between", "notBetween":
		if kind := shape.Type; kind != "" && kind != notes.TypeNumber && kind != notes.TypeString {
			b.errors = append(b.errors, field.Invalid(value.at, value.text, fmt.Sprintf("%s is a %s, which has no order", path, kind)))
		}
		return
	default:
		return
	}
	var vain []string
	for _, one := range wanted {
		if one != "" && !canBe(shape, one, reading) {
			vain = append(vain, one)
		}
	}
	if len(vain) == 0 {
		return
	}
	problem := field.Invalid(value.at, value.text, fmt.Sprintf("%s is never %q: it %s", path, vain[0], shapeText(shape, vain[0])))
	if len(vain) == len(wanted) && !negated {
		b.errors = append(b.errors, problem)
	} else {
		b.language.Warn(problem)
	}
}

// canBe tells whether a value of the shape can compare equal to a text.
func canBe(shape template.Shape, text string, reading valueType) bool {
	if reading != asString {
		return true // both sides are converted, and the value was found to be of that type
	}
	switch shape.Type {
	case notes.TypeNumber:
		n, ok := notes.NumberOf(text)
		return ok && notes.Text(n.Value()) == text
	case notes.TypeBool:
		return text == "true" || text == "false"
	case notes.TypeString:
		return shape.Enum == nil || slices.Contains(shape.Enum, text)
	}
	return true
}

// shapeText says what a value of the shape is.
func shapeText(shape template.Shape, text string) string {
	switch shape.Type {
	case notes.TypeString:
		said := "is one of " + strings.Join(shape.Enum, ", ")
		if near := nearest.Word(text, shape.Enum); near != "" {
			said += fmt.Sprintf("; did you mean %q?", near)
		}
		return said
	case notes.TypeBool:
		return "is true or false"
	default:
		return "is a " + shape.Type
	}
}
