package rules

import (
	"fmt"
	"strings"

	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// The bounds of what is told of violations, in bytes. The whole fits into the note of an Event.
const (
	maxText      = 1024
	maxViolation = 512
	maxMessage   = 256
	maxValue     = 128
)

// Result is what validation found in an object, in the order of the rules.
type Result struct {
	// Denied are the violations of rules that deny, Warned of those that warn.
	Denied, Warned []Violation
	// Problems are the rules, and their messages, that could not be evaluated.
	Problems []*RuleError
}

// Violation is a rule that an object breaks.
type Violation struct {
	// Rule is the name of the rule, or where it stands, such as rules[0].
	Rule string
	// Field is the path, template or CEL expression that was compared, as it is written.
	Field string
	// Link is the key of the serve field to report in place of Field, if the rule has one.
	Link string
	// Message is rendered and no longer than 256 bytes.
	Message string
	// Got is the value that was compared, nil when there is none. It may be part of the Facts: nobody may write to it.
	Got any
}

// Name is what to call the field: Link or, without one, Field. It never holds data of the object.
func (v Violation) Name() string {
	if v.Link != "" {
		return v.Link
	}
	return v.Field
}

// String is the violation with the value, for people: field "spec.replicas": at most 5 (got "7").
func (v Violation) String() string {
	return cut(fmt.Sprintf("%s (got %q)", v.told(), cut(template.Text(v.Got), maxValue)), maxViolation)
}

func (v Violation) told() string {
	return cut(fmt.Sprintf("field %q: %s", cut(v.Name(), maxValue), v.Message), maxViolation)
}

// Err is a *DeniedError when a rule denies the object, and nil otherwise.
func (r Result) Err() error {
	if len(r.Denied) == 0 {
		return nil
	}
	return &DeniedError{Violations: r.Denied}
}

// Warning tells of the violations of rules that warn, "" when there are none: field "f": message; field "g": message. It is
// no longer than 1024 bytes.
func (r Result) Warning() string { return list("", r.Warned, Violation.told) }

// Unevaluated tells of the rules, and the messages, that could not be evaluated, and why, "" when there are none: not evaluated:
// rules[0], field "f": why; and so on. It is no longer than 1024 bytes.
func (r Result) Unevaluated() string {
	if len(r.Problems) == 0 {
		return ""
	}
	return list("not evaluated: ", r.Problems, func(e *RuleError) string { return cut(e.Error(), maxViolation) })
}

// DeniedError is an object that breaks rules which deny.
type DeniedError struct{ Violations []Violation }

// Error tells of all violations, in no more than 1024 bytes: validation failed: field "f": message (got "v"); and so on.
func (e *DeniedError) Error() string {
	return list("validation failed: ", e.Violations, Violation.String)
}

// list tells of as many elements as the text can hold, and how many more there are.
func list[T any](text string, all []T, tell func(T) string) string {
	const room = maxText - len("; and 1000000 more")
	for i, one := range all {
		said := tell(one)
		if i > 0 {
			if len(text)+len("; ")+len(said) > room {
				return fmt.Sprintf("%s; and %d more", text, len(all)-i)
			}
			text += "; "
		}
		text += said
	}
	return text
}

// cut shortens a text to so many bytes, and makes it valid UTF-8.
func cut(text string, most int) string {
	const sign = "…"
	if len(text) <= most {
		return strings.ToValidUTF8(text, "")
	}
	return strings.ToValidUTF8(text[:most-len(sign)], "") + sign
}
