package conditions

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/orkestra-runtime/orkestra/api/nearest"
	"github.com/orkestra-runtime/orkestra/conditions/notes"
)

// operator makes a comparison. A new operator is one more line in the table.
type operator struct {
	takesValue bool
	// build compiles the value.
	build func(value operandText, t valueType) comparison
}

// operators is the table of all operators by name. It is shared and never written.
var operators = sync.OnceValue(func() map[string]operator {
	return map[string]operator{
		"equals":      equality("", false),
		"notEquals":   equality("not ", true),
		"in":          membership("in ", false),
		"notIn":       membership("not in ", true),
		"contains":    ofText("contains ", strings.Contains, textual("contains", false)),
		"notContains": ofText("not contains ", not(strings.Contains), textual("contains", true)),
		"prefix":      ofText("prefix ", strings.HasPrefix, textual("startsWith", false)),
		"notPrefix":   ofText("not prefix ", not(strings.HasPrefix), textual("startsWith", true)),
		"suffix":      ofText("suffix ", strings.HasSuffix, textual("endsWith", false)),
		"notSuffix":   ofText("not suffix ", not(strings.HasSuffix), textual("endsWith", true)),
		"regex":       pattern(),
		"gt":          ofNumber("gt ", func(order int) bool { return order > 0 }, ordered(">", "<=")),
		"gte":         ofNumber("gte ", func(order int) bool { return order >= 0 }, ordered(">=", "<")),
		"lt":          ofNumber("lt ", func(order int) bool { return order < 0 }, ordered("<", ">=")),
		"lte":         ofNumber("lte ", func(order int) bool { return order <= 0 }, ordered("<=", ">")),
		"between":     ofRange("between ", false),
		"notBetween":  ofRange("not between ", true),
		"exists":      ofValue("any value", exists, existence),
		"notExists":   ofValue("no value", func(actual any) bool { return !exists(actual) }, func(value string, holds bool) []string { return existence(value, !holds) }),
		"unique":      uniqueness(),
		"typeOf":      typeName(),
		"typeMap":     ofType(notes.TypeMap),
		"typeList":    ofType(notes.TypeList),
		"typeString":  ofType(notes.TypeString),
		"typeNumber":  ofType(notes.TypeNumber),
		"typeBool":    ofType(notes.TypeBool),
		"typeNull":    ofType(notes.TypeNull),
	}
})

// aliases are further names of operators: short ones, and the keys of the short forms that are named differently.
var aliases = map[string]string{
	"eq":                 "equals",
	"ne":                 "notEquals",
	"neq":                "notEquals",
	"greaterThan":        "gt",
	"greaterThanOrEqual": "gte",
	"min":                "gte",
	"lessThan":           "lt",
	"lessThanOrEqual":    "lte",
	"max":                "lte",
}

func lookupOperator(name string) (operator, bool) {
	found, ok := operators()[canonical(name)]
	return found, ok
}

// canonical is the name of an operator in the table.
func canonical(name string) string {
	if full, ok := aliases[name]; ok {
		return full
	}
	return name
}

func unknownOperator(name string) string {
	valid := slices.Sorted(maps.Keys(operators()))
	hint := ""
	if near := nearest.Word(name, slices.AppendSeq(valid, maps.Keys(aliases))); near != "" {
		hint = fmt.Sprintf(": did you mean %q?", near)
	}
	return fmt.Sprintf("unknown operator%s (valid: %s)", hint, strings.Join(valid, ", "))
}
