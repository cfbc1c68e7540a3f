package conditions

import (
	"strconv"
	"strings"
	"time"

	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// condition is one compiled statement.
type condition struct {
	statement statement
	negate    bool
	// flows: what is compared counts the time, perhaps to one of the lengths.
	flows   bool
	lengths []time.Duration
	// hidden takes the place of what explains a failure, as that would show a value that nobody is to see. Empty: it would not.
	hidden string
}

// statement is what a condition says: a comparison of a field, or something about the time.
type statement interface {
	evaluate(f template.Facts) outcome
	// want is what the statement asks for, in a reason.
	want(f template.Facts) string
	// explain says why the condition failed, which with negated is a statement that holds.
	explain(result outcome, negated bool, f template.Facts) string
}

// outcome is what a condition found.
type outcome struct {
	actual any
	err    error
	holds  bool
}

func (c *condition) evaluate(f template.Facts) outcome {
	var result outcome
	if c.flows {
		result = c.flowing(f)
	} else {
		result = c.statement.evaluate(f)
	}
	result.holds = result.holds != c.negate
	return result
}

// flowing tells besides when the statement turns from true to false or back, however often what it compares changes until then.
func (c *condition) flowing(f template.Facts) outcome {
	var result outcome
	first := true
	template.Flowing(f, time.Millisecond, c.lengths, func(f template.Facts) bool {
		one := c.statement.evaluate(f)
		if first {
			result, first = one, false
		}
		return one.holds
	})
	return result
}

func (c *condition) explain(result outcome, f template.Facts) string {
	if c.hidden != "" {
		return c.hidden
	}
	return c.statement.explain(result, c.negate, f)
}

// compared is the comparison of a field.
type compared struct {
	subject    subject
	comparison comparison
}

// comparison is an operator with its value.
type comparison interface {
	// holds compares a value as it was read: nil when it is missing. An error means that there is nothing to compare with.
	holds(actual any, f template.Facts) (bool, error)
	// want is the expected value in a reason.
	want(f template.Facts) string
}

// subject is what a condition compares: a template when the text has "{{", else a path.
type subject struct {
	source  string
	path    template.Path
	program *template.Program
}

func (c *compared) evaluate(f template.Facts) outcome {
	actual, err := c.subject.read(f)
	result := outcome{actual: actual, err: err}
	if err == nil {
		result.holds, result.err = c.comparison.holds(actual, f)
	}
	return result
}

func (c *compared) want(f template.Facts) string { return c.comparison.want(f) }

// explain shows no more of a value than a line can hold.
func (c *compared) explain(result outcome, negated bool, f template.Facts) string {
	said := strconv.Quote(c.subject.source) + " = " + strconv.Quote(shorten(template.Text(result.actual)))
	if result.err != nil {
		return said + ": " + result.err.Error()
	}
	want := c.comparison.want(f)
	if negated {
		want = "not " + want
	}
	return said + ", want " + strconv.Quote(shorten(want))
}

func shorten(text string) string { return template.Cut(text, 128) }

// read gives a value its own type: of what a path leads to, or of a template that is one single expression.
func (s *subject) read(f template.Facts) (any, error) {
	if s.program == nil {
		value, _ := s.path.Lookup(f)
		return value, nil
	}
	return render(s.program, f)
}

// render drops the white space that block texts of YAML have around a template.
func render(program *template.Program, f template.Facts) (any, error) {
	value, err := program.Value(f)
	if text, ok := value.(string); ok {
		if trimmed := strings.TrimSpace(text); len(trimmed) < len(text) {
			return trimmed, err
		}
	}
	return value, err
}
