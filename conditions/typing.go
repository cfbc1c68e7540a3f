package conditions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/orkestra-runtime/orkestra/conditions/notes"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// typeNames are the names that typeOf compares with.
var typeNames = []string{notes.TypeMap, notes.TypeList, notes.TypeString, notes.TypeNumber, notes.TypeBool, notes.TypeNull}

// typeName compares the name of the type of the value as it was read. A missing field is null.
func typeName() operator {
	return operator{takesValue: true, build: func(value operandText, _ valueType) comparison {
		return compileVersus("typeOf ", value, parseTypeName, func(actual any, want string) bool {
			return notes.TypeOf(actual) == want
		}, nil)
	}}
}

func parseTypeName(value any) (string, error) {
	name := strings.TrimSpace(template.Text(value))
	if !slices.Contains(typeNames, name) {
		return "", fmt.Errorf("%q is not the name of a type (valid: %s)", shorten(name), strings.Join(typeNames, ", "))
	}
	return name, nil
}

func ofType(name string) operator {
	return ofValue("typeOf "+name, func(actual any) bool { return notes.TypeOf(actual) == name }, nil)
}
