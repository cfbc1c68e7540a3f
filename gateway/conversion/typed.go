package conversion

import (
	"fmt"

	"github.com/orkestra-runtime/orkestra/conditions/notes"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// typed reads a value as a type of a schema.
func typed(value any, kind string) (any, error) {
	switch kind {
	case "integer", "number":
		number, ok := notes.NumberOf(value)
		if !ok || kind == "integer" && !number.Whole() {
			return nil, fmt.Errorf("%q is no %s, which the schema wants", template.Text(value), kind)
		}
		return number.Value(), nil
	case "boolean":
		truth, ok := notes.BoolOf(value)
		if !ok {
			return nil, fmt.Errorf("%q is no boolean, which the schema wants", template.Text(value))
		}
		return truth, nil
	case "string":
		return template.Text(value), nil
	}
	return nil, fmt.Errorf("%q is no %s, which the schema wants", template.Text(value), kind)
}

// fitScalar gives a number or a boolean the type that the schema wants.
func fitScalar(value any, shape *roots.Props) (any, error) {
	if value == nil || shape == nil || shape.Type == "" || shape.XIntOrString {
		return value, nil
	}
	return typed(value, shape.Type)
}
