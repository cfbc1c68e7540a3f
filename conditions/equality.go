package conditions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/orkestra-runtime/orkestra/conditions/notes"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// equality compares both sides as their type reads them. A field that can't be read so is equal to nothing.
func equality(label string, negated bool) operator {
	return operator{takesValue: true, build: func(value operandText, t valueType) comparison {
		return compileVersus(label, value, t.read, func(actual, want any) bool {
			read, err := t.read(actual)
			return (err == nil && read == want) != negated
		}, func(value string, want any, holds bool) []string { return equalTo(value, want, holds != negated) })
	}}
}

// members is the list of in and notIn.
type members struct {
	empty  bool // one element is empty, which matches a missing or empty field
	values []any
}

func membership(label string, negated bool) operator {
	return operator{takesValue: true, build: func(value operandText, t valueType) comparison {
		parse := func(value any) (members, error) { return parseMembers(value, t) }
		return compileVersus(label, value, parse, func(actual any, want members) bool {
			return want.contain(actual, t) != negated
		}, func(value string, want members, holds bool) []string { return amongst(value, want, holds != negated) })
	}}
}

// parseMembers reads a comma separated list, or a list that a template gave.
func parseMembers(value any, t valueType) (members, error) {
	var list members
	for _, element := range elements(value) {
		if element == "" || element == nil {
			list.empty = true
			continue
		}
		read, err := t.read(element)
		if err != nil {
			return members{}, fmt.Errorf("the list: %w", err)
		}
		list.values = append(list.values, read)
	}
	return list, nil
}

func (m members) contain(actual any, t valueType) bool {
	if m.empty && (actual == nil || actual == "" || actual == notes.NoValue) {
		return true
	}
	read, err := t.read(actual)
	return err == nil && slices.Contains(m.values, read)
}

// elements splits at commas and trims. A list stays as it is.
func elements(value any) []any {
	if list, ok := value.([]any); ok {
		return list
	}
	var list []any
	for element := range strings.SplitSeq(template.Text(value), ",") {
		list = append(list, strings.TrimSpace(element))
	}
	return list
}
