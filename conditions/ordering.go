package conditions

import (
	"errors"
	"fmt"
	"strings"

	"github.com/orkestra-runtime/orkestra/conditions/notes"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

var (
	errNoNumber = errors.New("the value is empty: use a number")
	errBoolean  = errors.New("booleans have no order: valueType bool goes with equals, notEquals, in and notIn")
)

// ofNumber compares numbers. A missing or empty field is 0; one that is no number satisfies nothing.
func ofNumber(label string, holds func(order int) bool, certain func(string, notes.Number, bool) []string) operator {
	return operator{takesValue: true, build: func(value operandText, t valueType) comparison {
		switch {
		case t == asBool:
			return value.wrong(errBoolean)
		case strings.TrimSpace(value.text) == "":
			return value.wrong(errNoNumber)
		}
		return compileVersus(label, value, t.number, func(actual any, want notes.Number) bool {
			n, err := t.number(actual)
			return err == nil && holds(n.Compare(want))
		}, certain)
	}}
}

// span is a range of numbers with both ends in it.
type span struct{ low, high notes.Number }

// ofRange tells whether a number is within a range, or outside of it. A field that is no number is neither.
func ofRange(label string, outside bool) operator {
	return operator{takesValue: true, build: func(value operandText, t valueType) comparison {
		if t == asBool {
			return value.wrong(errBoolean)
		}
		parse := func(value any) (span, error) { return parseSpan(value, t) }
		return compileVersus(label, value, parse, func(actual any, want span) bool {
			n, err := t.number(actual)
			within := n.Compare(want.low) >= 0 && n.Compare(want.high) <= 0
			return err == nil && within != outside
		}, func(value string, want span, holds bool) []string { return want.certain(value, holds != outside) })
	}}
}

func parseSpan(value any, t valueType) (span, error) {
	ends := elements(value)
	if len(ends) != 2 || ends[0] == "" || ends[1] == "" {
		return span{}, fmt.Errorf("%q is not exactly two numbers: use \"low,high\", such as \"1,10\"", shorten(template.Text(value)))
	}
	low, err := t.number(ends[0])
	if err != nil {
		return span{}, err
	}
	high, err := t.number(ends[1])
	if err != nil {
		return span{}, err
	}
	if low.Compare(high) > 0 {
		return span{}, fmt.Errorf("the range %q begins above its end: swap the two numbers", shorten(template.Text(value)))
	}
	return span{low: low, high: high}, nil
}
