package katalog

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// serveValues checks the values that a key of an intent may have, or gets. What a template makes is checked when it is rendered.
func (c *checker) serveValues(one *orkv1.ServeField, group string, at *field.Path) {
	if one.Type == "enum" && len(one.Enum) == 0 {
		c.errorf(at.Child("enum"), "required: the values that there are")
	}
	for i, value := range one.Enum {
		here := at.Child("enum").Index(i)
		if slices.Index(one.Enum, value) < i {
			c.errorf(here, "%s stands there twice", quote(value))
		}
		c.serveValue(value, one.Type, group, here)
	}
	for _, given := range []struct {
		key   string
		value *orkv1.JSON
		// among: what is sent is what is written.
		among bool
	}{{"default", one.Default, true}, {"override", one.Override, one.Value == "" && len(one.Values) == 0}} {
		if given.value == nil || given.value.Value == nil {
			continue
		}
		here := at.Child(given.key)
		text, scalar := scalarText(given.value.Value)
		switch {
		case !scalar && (group != "fields" || one.Type != "" || len(one.Enum) > 0):
			c.errorf(here, "want one value, got a list or a map")
		case !scalar || !isStatic(text):
		case given.among && len(one.Enum) > 0 && !slices.Contains(one.Enum, text):
			c.invalidf(here, one.Enum, "%s is none of enum", quote(text))
		default:
			c.serveValue(text, one.Type, group, here)
		}
	}
}

// serveValue checks that a value is of the type of its field, and one that a label may have.
func (c *checker) serveValue(text string, of orkv1.ServeFieldType, group string, at *field.Path) {
	trimmed := strings.TrimSpace(text)
	number, err := strconv.ParseFloat(trimmed, 64)
	isNumber := err == nil && !math.IsInf(number, 0) && !math.IsNaN(number)
	switch {
	case of == "integer" && (!isNumber || number != math.Trunc(number)):
		c.errorf(at, "the field is an integer, got %s", quote(text))
	case of == "number" && !isNumber:
		c.errorf(at, "the field is a number, got %s", quote(text))
	case of == "boolean" && trimmed != "true" && trimmed != "false":
		c.errorf(at, "the field is a boolean, true or false, got %s", quote(text))
	case group == "labels":
		c.problems(at, validation.IsValidLabelValue(text))
	}
}

// scalarText is a scalar as a text, as conditions compare it.
func scalarText(value any) (text string, ok bool) {
	switch value := value.(type) {
	case string:
		return value, true
	case bool:
		return strconv.FormatBool(value), true
	case int64:
		return strconv.FormatInt(value, 10), true
	case float64:
		return strconv.FormatFloat(value, 'f', -1, 64), true
	}
	return "", false
}
