package conditions

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// Compile compiles a gate and reports everything wrong with it, by path below at. The Program is nil for a gate without
// conditions, and nil with errors: a caller that ignores them opens the gate.
func Compile(l *template.Language, c orkv1.Conditions, at *field.Path) (*Program, field.ErrorList) {
	if len(c.When) == 0 && len(c.Or) == 0 {
		return nil, nil
	}
	b := &builder{language: l}
	p := &Program{when: b.list(c.When, at.Child("when")), or: b.list(c.Or, at.Child("or"))}
	if len(b.errors) > 0 {
		return nil, b.errors
	}
	p.references, p.unique = b.references, b.unique
	return p, nil
}

// builder collects what is found while a gate is compiled.
type builder struct {
	language   *template.Language
	errors     field.ErrorList
	references [][]string
	unique     [][]string
	// flows tells of the condition that is compiled whether it counts the time, and lengths to what.
	flows   bool
	lengths []time.Duration
}

func (b *builder) list(conditions []orkv1.Condition, at *field.Path) []condition {
	compiled := make([]condition, len(conditions))
	for i := range conditions {
		compiled[i] = b.condition(&conditions[i], at.Index(i))
	}
	return compiled
}

func (b *builder) condition(c *orkv1.Condition, at *field.Path) condition {
	before, read := len(b.errors), len(b.references)
	b.flows, b.lengths = false, nil
	b.errors = append(b.errors, unsupported(c, at)...)
	b.duration(c, at)
	compiled := condition{negate: c.Negate}
	switch kinds := timeKeys(c); {
	case c.CEL != "":
		compiled.statement = b.cel(c, kinds, at)
	case len(kinds) > 0:
		compiled.statement = b.timed(c, kinds, at)
	case c.Field != "" || len(b.errors) == before: // else it is clear what there should be
		compiled.statement = b.compared(c, at)
	}
	compiled.flows, compiled.lengths = b.flows, b.lengths
	if b.language.Hides(b.references[read:]...) {
		compiled.hidden = strconv.Quote(strings.TrimSpace(cmp.Or(string(c.Field), c.CEL))) + " does not hold; it reads what is sensitive, which is not shown"
	}
	return compiled
}

func (b *builder) compared(c *orkv1.Condition, at *field.Path) statement {
	compiled := &compared{subject: b.subject(c.Field, at.Child("field"))}
	compiled.comparison = b.comparison(c, &compiled.subject, at)
	return compiled
}

func (b *builder) subject(text orkv1.Template, at *field.Path) subject {
	if strings.TrimSpace(string(text)) == "" {
		b.errors = append(b.errors, field.Required(at, "what to compare: a path such as spec.replicas, or a template"))
		return subject{}
	}
	s := subject{source: strings.TrimSpace(string(text))}
	if strings.Contains(s.source, "{{") {
		s.program = b.template(string(text), at)
		return s
	}
	path, err := template.ParsePath(string(text))
	if err != nil {
		b.errors = append(b.errors, field.Invalid(at, text, err.Error()))
		return s
	}
	b.errors = append(b.errors, b.language.Check(string(text), path, at)...)
	b.references = append(b.references, path)
	s.path = path
	return s
}

func (b *builder) template(text string, at *field.Path) *template.Program {
	program, errs := b.language.Compile(text, at)
	b.errors = append(b.errors, errs...)
	if program != nil {
		b.references = append(b.references, program.References()...)
		b.flows, b.lengths = b.flows || program.Flows(), append(b.lengths, program.Lengths()...)
	}
	return program
}

// comparison compiles the one comparison that a condition may have. None at all asks whether the field exists.
func (b *builder) comparison(c *orkv1.Condition, subject *subject, at *field.Path) comparison {
	written := comparisons(c)
	if len(written) == 0 {
		b.idle(c, at)
		written = []shorthand{{key: "exists", operator: "exists"}}
	}
	for _, second := range written[1:] {
		b.errors = append(b.errors, field.Forbidden(at.Child(second.key), fmt.Sprintf(
			"%s and %s are two comparisons on one condition: keep one, or write a condition for each", written[0].key, second.key)))
	}
	reading, err := parseValueType(c.ValueType)
	if err != nil {
		b.errors = append(b.errors, field.Invalid(at.Child("valueType"), c.ValueType, err.Error()))
		return nil
	}
	return b.operator(written[0], subject, reading, at)
}

// idle reports exists: false and notExists: false, which say nothing, where they are all that is said.
func (b *builder) idle(c *orkv1.Condition, at *field.Path) {
	if c.Exists != nil {
		b.errors = append(b.errors, field.Invalid(at.Child("exists"), false, "compares nothing: use notExists: true"))
	}
	if c.NotExists != nil {
		b.errors = append(b.errors, field.Invalid(at.Child("notExists"), false, "compares nothing: use exists: true"))
	}
}

func (b *builder) operator(s shorthand, subject *subject, reading valueType, at *field.Path) comparison {
	operator, ok := lookupOperator(s.operator)
	if !ok {
		b.errors = append(b.errors, field.Invalid(at.Child("operator"), s.operator, unknownOperator(s.operator)))
		return nil
	}
	valueAt := at.Child(s.key)
	if s.key == "operator" {
		valueAt = at.Child("value")
	}
	switch {
	case operator.takesValue && s.value == nil:
		b.errors = append(b.errors, field.Required(valueAt, fmt.Sprintf("the operator %s compares with a value", s.operator)))
		return nil
	case !operator.takesValue && s.value != nil:
		b.errors = append(b.errors, field.Forbidden(valueAt, fmt.Sprintf("the operator %s takes no value", s.operator)))
		return nil
	}
	value := operandText{at: valueAt, subject: subject, subjectAt: at.Child("field"), builder: b}
	if s.value != nil {
		value.text = string(*s.value)
	}
	before := len(b.errors)
	built := operator.build(value, reading)
	if len(b.errors) == before {
		b.reachable(subject, canonical(s.operator), value, reading)
	}
	return built
}
