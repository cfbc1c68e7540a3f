package reconciler

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/orkestra-runtime/orkestra/conditions/notes"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// fit makes a value of a status field one that the schema of the field takes, nil for the empty text where no text can be. The server
// refuses a status as a whole: with one field of another type nothing would be written, the conditions included. A nil schema takes all.
func fit(value any, props *roots.Props) (any, error) {
	if props == nil || props.XIntOrString {
		return value, nil
	}
	text := strings.TrimSpace(template.Text(value))
	if text == "" {
		return empty(value, props), nil
	}
	switch props.Type {
	case "string":
		return text, oneOf(text, roots.EnumOf(props))
	case "integer":
		return whole(text)
	case "number":
		if number, ok := finite(text); ok {
			return number, nil
		}
		return nil, fmt.Errorf("%q is not a number", text)
	case "boolean":
		truth, err := strconv.ParseBool(text)
		if err != nil {
			return nil, fmt.Errorf("%q is neither true nor false", text)
		}
		return truth, nil
	case "array":
		if notes.TypeOf(value) != notes.TypeList {
			return nil, fmt.Errorf("%q is not a list, as the schema wants", text)
		}
	case "object":
		if notes.TypeOf(value) != notes.TypeMap {
			return nil, fmt.Errorf("%q is not a map, as the schema wants", text)
		}
	}
	return value, nil
}

// empty is what stands for the empty text: nil, which takes the field out, where the schema takes no such text.
func empty(value any, props *roots.Props) any {
	enum := roots.EnumOf(props)
	short := props.MinLength != nil && *props.MinLength > 0
	switch {
	case props.Type == "":
		return value
	case props.Type != "string" || props.Format != "" || short || enum != nil && !slices.Contains(enum, ""):
		return nil
	default:
		return ""
	}
}

func oneOf(text string, valid []string) error {
	if valid == nil || slices.Contains(valid, text) {
		return nil
	}
	return fmt.Errorf("%q is not one of those that the schema has: %s", text, strings.Join(valid, ", "))
}
