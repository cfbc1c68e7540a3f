package rules

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// Validation are compiled validation rules. A nil Validation finds nothing.
type Validation struct {
	rules      []validationRule
	hidden     Hidden
	references [][]string
}

type validationRule struct {
	rule
	test    *conditions.Test
	link    string
	message *template.Program // nil: what the comparison wants
	warns   bool
	// refuses: at admission, what can't be evaluated is a violation.
	refuses    bool
	references [][]string
}

// CompileValidation compiles rules and reports everything wrong with them, by path below at. The Validation is nil without
// rules, and nil with errors: a caller that ignores them accepts everything.
func CompileValidation(l *template.Language, v *orkv1.Validation, at *field.Path) (*Validation, field.ErrorList) {
	if v == nil || len(v.Rules) == 0 {
		return nil, nil
	}
	c := &compiler{language: l}
	compiled := &Validation{rules: make([]validationRule, len(v.Rules))}
	for i := range v.Rules {
		compiled.rules[i] = c.validationRule(&v.Rules[i], i, at.Child("rules").Index(i))
	}
	if len(c.errors) > 0 {
		return nil, c.errors
	}
	compiled.references = c.references
	return compiled, nil
}

func (c *compiler) validationRule(declared *orkv1.ValidationRule, index int, at *field.Path) validationRule {
	before := len(c.references)
	r := validationRule{
		rule: rule{
			name:   ruleName(declared.Name, index),
			field:  fieldName(declared.Field),
			guard:  c.guard(declared.Conditions, at),
			firing: firingOf(declared.Fires),
		},
		link:    declared.Link,
		warns:   declared.Action == orkv1.RuleWarn,
		refuses: strict(declared),
	}
	if declared.Field == "" {
		r.field = strings.TrimSpace(declared.CEL)
	}
	if strings.TrimSpace(string(declared.Message)) != "" {
		r.message = c.template(c.language, string(declared.Message), at.Child("message"))
	}
	c.link(declared, at.Child("link"))
	r.test = c.test(declared.Condition, at)
	r.references = slices.Clone(c.references[before:])
	return r
}

// link must be the key of a serve field as it stands. Whether there is such a field, the rules can't know.
func (c *compiler) link(declared *orkv1.ValidationRule, at *field.Path) {
	switch link := declared.Link; {
	case link == "":
	case isTemplate(link):
		c.wrong(field.Invalid(at, link, "must be the key of a serve field as it stands, not a template"))
	case fieldName(declared.Field) == "spec."+link:
		c.wrong(field.Invalid(at, link, "says what the field says already: leave it out"))
	}
}

// test compiles the comparison without what has no meaning in a rule, which it reports.
func (c *compiler) test(compared orkv1.Condition, at *field.Path) *conditions.Test {
	const (
		clock = "a rule compares a field: put it under when, to say when the rule holds"
		none  = "has no meaning in a rule: leave it out"
	)
	for _, idle := range []struct {
		key    string
		given  bool
		remedy string
	}{
		{"time", compared.Time != nil, clock},
		{"dayOfWeek", compared.DayOfWeek != nil, clock},
		{"cron", compared.Cron != "", clock},
		{"duration", compared.Duration != nil, clock},
		{"notify", compared.Notify != nil, none},
		{"source", compared.Source != nil, none},
	} {
		if idle.given {
			c.wrong(field.Forbidden(at.Child(idle.key), idle.remedy))
		}
	}
	compared.Time, compared.DayOfWeek, compared.Cron, compared.Duration = nil, nil, "", nil
	compared.Notify, compared.Source = nil, nil
	if compared.ValueType == "number" { // rules have this name for it too
		compared.ValueType = "float"
	}
	test, errs := conditions.CompileOne(c.language, &compared, at)
	c.errors = append(c.errors, errs...)
	if test != nil {
		c.references = append(c.references, test.References()...)
	}
	return test
}

// Check evaluates all rules that fire at the moment, and collects every violation in their order. A rule that can't be
// evaluated is a problem, and at admission a violation as well: but for one that warns, unless that says onError: deny, and for one that says
// onError: allow.
func (v *Validation) Check(f template.Facts, when Moment) Result {
	return v.CheckWithout(f, when)
}

func (v *Validation) check(f template.Facts, when Moment, unknown []Unknown) Result {
	var result Result
	for i := range v.rules {
		if r := &v.rules[i]; r.at(when) {
			r.check(&result, f, unknown, r.refuses && when == Admission, v.hidden)
		}
	}
	return result
}

// check adds what the rule finds, without what is hidden. Refuses: what can't be evaluated is a violation.
func (r *validationRule) check(result *Result, f template.Facts, unknown []Unknown, refuses bool, hidden Hidden) {
	if i := slices.IndexFunc(unknown, func(u Unknown) bool { return u.concerns(r.references) }); i >= 0 {
		r.unevaluated(result, unknown[i].Err, nil, refuses)
		return
	}
	holds, got, err := r.compare(f)
	if holds && err == nil {
		return
	}
	if hidden.Concerns(r.references...) {
		f, err = hidden.facts(f), hide(err)
		got = r.redacted(f, got)
	}
	if err != nil {
		r.unevaluated(result, err, got, refuses)
		return
	}
	message, err := r.text(f)
	if err != nil {
		result.Problems = append(result.Problems, r.problem(fmt.Errorf("message: %w", err)))
	}
	list := &result.Denied
	if r.warns {
		list = &result.Warned
	}
	*list = append(*list, r.violation(message, got))
}

// compare tells whether the rule holds, which it does where its conditions don't pass, and the value that was compared.
func (r *validationRule) compare(f template.Facts) (holds bool, got any, err error) {
	if applies, err := r.applies(f); !applies {
		return err == nil, nil, err
	}
	return r.test.Check(f) //nolint:wrapcheck // says what can't be compared
}

// redacted is a value that was compared as it is without what is hidden.
func (r *validationRule) redacted(shown template.Facts, got any) any {
	if unset(got) {
		return got
	}
	if r.test.Unique() { // others are not asked about what nobody has
		return Redacted
	}
	_, got, err := r.test.Check(shown)
	if err != nil {
		return Redacted
	}
	return got
}

// hide is an error without what it may quote.
func hide(err error) error {
	if err == nil {
		return nil
	}
	return errHidden
}

// unevaluated notes that a rule can't be evaluated, and where it refuses that, that it is violated.
func (r *validationRule) unevaluated(result *Result, err error, got any, refuses bool) {
	result.Problems = append(result.Problems, r.problem(err))
	if refuses {
		result.Denied = append(result.Denied, r.violation(cut(fmt.Sprintf("can't be checked: %v", err), maxMessage), got))
	}
}

// AsksUnique tells whether a rule, or what it depends on, asks for a value that no other resource has.
func (v *Validation) AsksUnique() bool {
	return v != nil && slices.ContainsFunc(v.rules, func(r validationRule) bool { return r.test.Unique() || len(r.guard.Unique()) > 0 })
}

// References lists the paths that the rules read, as far as they are known without an object. The caller must not change
// them.
func (v *Validation) References() [][]string {
	if v == nil {
		return nil
	}
	return v.references
}

// text is the message of a violation: the rule's own, or what the comparison wants when it has none or can't be rendered.
func (r *validationRule) text(f template.Facts) (string, error) {
	if r.message != nil {
		text, err := r.message.Text(f)
		if text = strings.TrimSpace(text); text != "" && err == nil {
			return cut(text, maxMessage), nil
		}
		return r.wanted(f), err
	}
	return r.wanted(f), nil
}

func (r *validationRule) wanted(f template.Facts) string {
	return "want " + strconv.Quote(r.test.Want(f))
}

func (r *validationRule) violation(message string, got any) Violation {
	return Violation{Rule: r.name, Field: r.field, Link: r.link, Message: message, Got: got}
}

func (r *validationRule) problem(err error) *RuleError {
	return &RuleError{Rule: r.name, Field: r.field, Binding: !r.warns, Err: err}
}
