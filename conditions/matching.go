package conditions

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"

	"github.com/orkestra-runtime/orkestra/conditions/notes"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// ofText compares texts, whatever the value type.
func ofText(label string, test func(actual, want string) bool, certain func(value, want string, holds bool) []string) operator {
	return operator{takesValue: true, build: func(value operandText, _ valueType) comparison {
		return compileVersus(label, value, parseText, func(actual any, want string) bool {
			return test(template.Text(actual), want)
		}, certain)
	}}
}

func not(test func(string, string) bool) func(string, string) bool {
	return func(actual, want string) bool { return !test(actual, want) }
}

func parseText(value any) (string, error) { return template.Text(value), nil }

// pattern is an unanchored match of a regular expression in RE2's syntax.
func pattern() operator {
	return operator{takesValue: true, build: func(value operandText, _ valueType) comparison {
		return compileVersus("regex ", value, parsePattern, func(actual any, want *regexp.Regexp) bool {
			return want.MatchString(template.Text(actual))
		}, matched)
	}}
}

func parsePattern(value any) (*regexp.Regexp, error) {
	compiled, err := regexp.Compile(template.Text(value))
	if wrong, ok := errors.AsType[*syntax.Error](err); ok {
		return nil, fmt.Errorf("not a regular expression: %s in %q", wrong.Code, shorten(wrong.Expr))
	}
	return compiled, err
}

// exists: there is a value, and its text is not empty. 0, false and empty lists exist.
func exists(actual any) bool {
	switch v := actual.(type) {
	case nil:
		return false
	case string:
		return v != "" && v != notes.NoValue
	default:
		return true
	}
}
