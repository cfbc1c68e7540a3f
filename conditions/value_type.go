package conditions

import (
	"errors"
	"fmt"

	"github.com/orkestra-runtime/orkestra/conditions/notes"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// valueType tells how both sides of a comparison are read.
type valueType string

const (
	asString valueType = "string"
	asInt    valueType = "int"
	asFloat  valueType = "float"
	asBool   valueType = "bool"
)

func parseValueType(name string) (valueType, error) {
	switch name {
	case "", "string":
		return asString, nil
	case "int", "integer":
		return asInt, nil
	case "float":
		return asFloat, nil
	case "bool", "boolean":
		return asBool, nil
	}
	return "", errors.New("unknown type (valid: string, int, float, bool)")
}

// read gives a value the one form in which it is compared with ==: a string, bool, int64 or float64. But for strings, a
// missing or empty value is the zero of the type, as Kubernetes leaves zeros out.
func (t valueType) read(value any) (any, error) {
	switch t {
	case asInt, asFloat:
		n, err := t.number(value)
		if err != nil {
			return nil, err
		}
		return n.Value(), nil
	case asBool:
		b, ok := notes.BoolOf(value)
		if !ok {
			return nil, fmt.Errorf("%q is not a boolean: use true or false", shorten(template.Text(value)))
		}
		return b, nil
	default:
		if _, ok := value.(string); ok {
			return value, nil
		}
		return template.Text(value), nil
	}
}

// number reads a number for the operators that need one, a whole one if the type says so.
func (t valueType) number(value any) (notes.Number, error) {
	n, ok := notes.NumberOf(value)
	switch {
	case !ok:
		return n, fmt.Errorf("%q is not a number", shorten(template.Text(value)))
	case t == asInt && !n.Whole():
		return n, fmt.Errorf("%q is not a whole number, as valueType int wants", shorten(template.Text(value)))
	}
	return n, nil
}
