package rules

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// unsteady is what an override that fires in each cycle would do with a random value.
const unsteady = "the rule would set another value in each cycle"

// Mutation are compiled mutation rules. A nil Mutation changes nothing.
type Mutation struct {
	rules      []mutationRule
	hidden     Hidden
	references [][]string
}

type mutationRule struct {
	rule
	target target
	path   *template.Program // gives the target; nil: it is known
	value  value
	// overrides: sets the value whatever there is.
	overrides  bool
	references [][]string
}

// CompileMutation compiles rules and reports everything wrong with them, by path below at. The Mutation is nil without
// rules and with errors.
func CompileMutation(l *template.Language, m *orkv1.Mutation, at *field.Path) (*Mutation, field.ErrorList) {
	if m == nil || len(m.Rules) == 0 {
		return nil, nil
	}
	c := &compiler{language: l}
	compiled := &Mutation{rules: make([]mutationRule, len(m.Rules))}
	for i := range m.Rules {
		compiled.rules[i] = c.mutationRule(&m.Rules[i], i, at.Child("rules").Index(i))
	}
	if len(c.errors) > 0 {
		return nil, c.errors
	}
	compiled.references = c.references
	return compiled, nil
}

func (c *compiler) mutationRule(declared *orkv1.MutationRule, index int, at *field.Path) mutationRule {
	before := len(c.references)
	r := mutationRule{
		rule: rule{
			name:   ruleName(declared.Name, index),
			field:  fieldName(declared.Field),
			guard:  c.guard(declared.Conditions, at),
			firing: firingOf(declared.Fires),
		},
		overrides: declared.Override != nil,
	}
	c.target(&r, string(declared.Field), at.Child("field"))
	k := c.kind(declared.ValueType, r.target, at.Child("valueType"))
	switch {
	case declared.Override != nil:
		l := c.language
		if !r.admissionOnly {
			l = l.Steady(unsteady)
		}
		r.value = c.value(l, declared.Override, k, r.target, at.Child("override"))
	case declared.Default != nil:
		r.value = c.value(c.language, declared.Default, k, r.target, at.Child("default"))
	default:
		c.wrong(field.Required(at, "one of default and override"))
	}
	r.references = slices.Clone(c.references[before:])
	return r
}

// target compiles where a rule sets its value.
func (c *compiler) target(r *mutationRule, text string, at *field.Path) {
	if isTemplate(text) {
		r.path = c.template(c.language, text, at)
		return
	}
	var err error
	if r.target, err = parseTarget(text); err != nil {
		c.wrong(field.Invalid(at, text, err.Error()))
		return
	}
	roots := c.language.Roots()
	if roots == nil || r.target.label {
		return
	}
	if misread := roots.Check(r.target.path); misread != nil {
		c.language.Warn(field.Invalid(at, text, misread.Problem+": the API server will drop what the rule sets"))
		return
	}
	r.target.shape = roots.Shape(r.target.path)
}

// Apply applies the rules that fire at the moment, in their order, to an object; f are the Facts of that object, and each
// rule sees in them what the rules before it did. It returns the changed object, which is the same map when nothing
// changed, and the changes. A rule that fails is a problem and changes nothing; the others go on.
func (m *Mutation) Apply(f template.Facts, object map[string]any, when Moment) (map[string]any, []Change, []*RuleError) {
	if m == nil {
		return object, nil, nil
	}
	d := &draft{object: object}
	var problems []*RuleError
	for i := range m.rules {
		r := &m.rules[i]
		if !r.at(when) {
			continue
		}
		root, err := r.apply(f, d)
		if err != nil {
			if m.hidden.Concerns(r.references...) || r.path == nil && m.hidden.Concerns(r.target.path) {
				err = errHidden
			}
			problems = append(problems, &RuleError{Rule: r.name, Field: r.field, Binding: r.overrides, Err: err})
		}
		if root != "" {
			f = f.With(root, d.object[root])
		}
	}
	return d.object, d.changes, problems
}

// References lists the paths that the rules read, as far as they are known without an object. The caller must not change
// them.
func (m *Mutation) References() [][]string {
	if m == nil {
		return nil
	}
	return m.references
}

// apply returns the root that the rule changed, "" when it changed nothing.
func (r *mutationRule) apply(f template.Facts, d *draft) (root string, err error) {
	if applies, err := r.applies(f); !applies {
		return "", err
	}
	to, k := r.target, r.value.kind
	if r.path != nil {
		text, err := r.path.Text(f)
		if err != nil {
			return "", err
		}
		if to, err = parseTarget(text); err != nil {
			return "", err
		}
		if to.label {
			k = asString
		}
	}
	if !r.overrides {
		if before, _ := lookup(d.object, to.path); !unset(before) {
			return "", nil
		}
	}
	set, err := r.value.read(f)
	if err == nil && k != r.value.kind {
		set, err = k.convert(set)
	}
	if err != nil || !r.overrides && unset(set) {
		return "", err
	}
	if problem := to.contradiction(set); problem != "" {
		return "", fmt.Errorf("%q can't be set: %s", cut(template.Text(set), maxValue), problem)
	}
	changed, err := d.set(r.name, to.path, set)
	if !changed {
		return "", err
	}
	return to.path[0], nil
}
