package conditions

import (
	"fmt"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/cel"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// environments is what the roots of a place may have besides: the environment of its CEL expressions.
type environments interface{ Environment() *cel.Environment }

// untyped is the environment where nothing is known of the roots.
var untyped = sync.OnceValue(func() *cel.Environment { return cel.NewEnvironment(nil) })

// cel compiles an expression, which is all that its condition says.
func (b *builder) cel(c *orkv1.Condition, others []string, at *field.Path) statement {
	if c.Field != "" {
		others = append(others, "field")
	}
	for _, written := range comparisons(c) {
		others = append(others, written.key)
	}
	for _, key := range others {
		b.errors = append(b.errors, field.Forbidden(at.Child(key), fmt.Sprintf("cel and %s are two conditions: write a condition for each", key)))
	}
	environment := untyped()
	if typed, ok := b.language.Roots().(environments); ok {
		environment = typed.Environment()
	}
	program, err := environment.CompileBool(c.CEL)
	if err != nil {
		b.errors = append(b.errors, field.Invalid(at.Child("cel"), c.CEL, err.Error()))
		return nil
	}
	b.references = append(b.references, program.References()...)
	b.misreads(c.CEL, program.References(), at.Child("cel"))
	return &expression{program}
}

// misreads reports paths that lead nowhere at this place, of which the types of the expression don't tell.
func (b *builder) misreads(text string, references [][]string, at *field.Path) {
	roots := b.language.Roots()
	if roots == nil {
		return
	}
	for _, path := range references {
		misread := roots.Check(path)
		if typed := path[0] == "spec" || path[0] == "status" || path[0] == "metadata"; typed && roots.Check(path[:1]) == nil {
			continue // the expression is typed by their schemas
		}
		switch {
		case misread == nil:
		case misread.Warning:
			b.language.Warn(field.Invalid(at, text, misread.Problem))
		default:
			b.errors = append(b.errors, field.Invalid(at, text, misread.Problem))
		}
	}
}

// expression is what a CEL expression says.
type expression struct{ program *cel.Program }

func (e *expression) evaluate(f template.Facts) outcome {
	holds, err := e.program.EvalBool(f)
	return outcome{holds: holds, err: err}
}

func (e *expression) want(template.Facts) string { return e.source() }

func (e *expression) explain(result outcome, negated bool, _ template.Facts) string {
	if result.err != nil {
		return "cel: " + result.err.Error()
	}
	return fmt.Sprintf("cel: %s is %t", e.source(), negated)
}

func (e *expression) source() string {
	return shorten(strings.Join(strings.Fields(e.program.Source()), " "))
}
