package rules

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// rule is what all rules have.
type rule struct {
	name string
	// field is the path or the template as it is written, never what it gives.
	field string
	guard *conditions.Program
	firing
}

// applies tells whether the conditions of the rule pass. With an error that can't be known.
func (r *rule) applies(f template.Facts) (bool, error) {
	verdict := r.guard.Evaluate(f)
	if verdict.Err != nil {
		return false, fmt.Errorf("its conditions: %w", verdict.Err)
	}
	return verdict.Pass, nil
}

// ruleName is the name of a rule for reports: its own, or where it stands.
func ruleName(name string, index int) string {
	if name != "" {
		return name
	}
	return fmt.Sprintf("rules[%d]", index)
}

// fieldName is a field as people write it: a path without a leading dot, or a template.
func fieldName(text orkv1.Template) string {
	trimmed := strings.TrimSpace(string(text))
	if isTemplate(trimmed) {
		return trimmed
	}
	return strings.TrimPrefix(trimmed, ".")
}

func isTemplate(text string) bool { return strings.Contains(text, "{{") }

// RuleError is a rule that could not be evaluated, and was left out.
type RuleError struct {
	// Rule is its name, or where it stands, such as rules[0]. Field is its field as it is written.
	Rule, Field string
	// Binding: a rule that denies or overrides, not one that warns or gives a default.
	Binding bool
	Err     error
}

func (e *RuleError) Error() string { return fmt.Sprintf("%s, field %q: %v", e.Rule, e.Field, e.Err) }

// Unwrap returns the cause.
func (e *RuleError) Unwrap() error { return e.Err }

// compiler collects what is found while rules are compiled.
type compiler struct {
	language   *template.Language
	errors     field.ErrorList
	references [][]string
}

func (c *compiler) wrong(err *field.Error) { c.errors = append(c.errors, err) }

func (c *compiler) guard(declared orkv1.Conditions, at *field.Path) *conditions.Program {
	program, errs := conditions.Compile(c.language, declared, at)
	c.errors = append(c.errors, errs...)
	c.references = append(c.references, program.References()...)
	return program
}

func (c *compiler) template(l *template.Language, text string, at *field.Path) *template.Program {
	program, errs := l.Compile(text, at)
	c.errors = append(c.errors, errs...)
	if program != nil {
		c.references = append(c.references, program.References()...)
	}
	return program
}
