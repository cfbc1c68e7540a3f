package conditions

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// operand is what a comparison compares with: parsed once when it is a plain text, at each evaluation when it is a
// template.
type operand[T any] struct {
	source  string
	parse   func(any) (T, error)
	fixed   T
	program *template.Program // nil: fixed
}

// operandText is the text of an operand that is to be compiled.
type operandText struct {
	*builder
	text string
	at   *field.Path
	// subject is what it is compared with, and subjectAt where that stands.
	subject   *subject
	subjectAt *field.Path
}

// wrong reports the value, and returns no comparison.
func (o operandText) wrong(err error) comparison {
	o.errors = append(o.errors, field.Invalid(o.at, o.text, err.Error()))
	return nil
}

func newOperand[T any](value operandText, parse func(any) (T, error)) operand[T] {
	o := operand[T]{source: value.text, parse: parse}
	if strings.Contains(value.text, "{{") {
		o.program = value.template(value.text, value.at)
		return o
	}
	value.lengths = append(value.lengths, template.LengthsOf(value.text)...)
	var err error
	if o.fixed, err = parse(value.text); err != nil {
		value.wrong(err)
	}
	return o
}

func (o *operand[T]) read(f template.Facts) (T, error) {
	if o.program == nil {
		return o.fixed, nil
	}
	value, err := render(o.program, f)
	if err != nil {
		return o.fixed, err
	}
	return o.parse(value)
}

// text is the value in a reason.
func (o *operand[T]) text(f template.Facts) string {
	if o.program == nil {
		return o.source
	}
	value, err := render(o.program, f)
	if err != nil {
		return o.source
	}
	return template.Text(value)
}

// versus is a comparison with a value.
type versus[T any] struct {
	label   string // in front of the value in a reason
	operand operand[T]
	test    func(actual any, want T) bool
	// certain is an expression of CEL that is true only where the test of a value comes to holds. Nil, and empty: there is none.
	certain func(value string, want T, holds bool) []string
}

func (v *versus[T]) holds(actual any, f template.Facts) (bool, error) {
	want, err := v.operand.read(f)
	if err != nil {
		return false, err
	}
	return v.test(actual, want), nil
}

func (v *versus[T]) want(f template.Facts) string { return v.label + v.operand.text(f) }

// compileVersus is the common end of all operators that take a value.
func compileVersus[T any](
	label string, value operandText, parse func(any) (T, error), test func(any, T) bool, certain func(string, T, bool) []string,
) comparison {
	return &versus[T]{label: label, operand: newOperand(value, parse), test: test, certain: certain}
}

// alone is a comparison without a value.
type alone struct {
	label string
	test  func(actual any) bool
	// certain is that of versus.
	certain func(value string, holds bool) []string
}

func (a *alone) holds(actual any, _ template.Facts) (bool, error) { return a.test(actual), nil }

func (a *alone) want(template.Facts) string { return a.label }

func ofValue(label string, test func(any) bool, certain func(string, bool) []string) operator {
	compiled := &alone{label: label, test: test, certain: certain}
	return operator{build: func(operandText, valueType) comparison { return compiled }}
}
