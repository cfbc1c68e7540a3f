package conversion

import (
	"fmt"
	"slices"

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

// readable tells whether all of a value has the types that a schema wants, so that a client of Go types can read it. The API server does not look: it asks nobody what it has
// converted. What the schema does not know fits.
func readable(value any, shape *roots.Props) bool {
	if shape == nil {
		return true
	}
	kind := shape.Type
	switch value := value.(type) {
	case nil:
		return true // the API server takes it as absent
	case map[string]any:
		for key, below := range value {
			known, declared := shape.Properties[key]
			switch {
			case declared && !readable(below, &known):
				return false
			case !declared && shape.AdditionalProperties != nil && !readable(below, shape.AdditionalProperties.Schema):
				return false
			}
		}
		return kind == "" || kind == "object"
	case []any:
		if shape.Items != nil && slices.ContainsFunc(value, func(one any) bool { return !readable(one, shape.Items.Schema) }) {
			return false
		}
		return kind == "" || kind == "array"
	case string:
		return kind == "" || kind == "string"
	case bool:
		return kind == "" || kind == "boolean"
	}
	number, ok := notes.NumberOf(value)
	return ok && (kind == "" || kind == "number" || kind == "integer" && number.Whole())
}

// fitScalar gives a number or a boolean the type that the schema wants.
func fitScalar(value any, shape *roots.Props) (any, error) {
	if value == nil || shape == nil || shape.Type == "" || shape.XIntOrString {
		return value, nil
	}
	return typed(value, shape.Type)
}
