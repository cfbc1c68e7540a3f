package cel

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"

	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// maxTime is the most that one evaluation may take. Only loops take long.
const maxTime = time.Second

// Program is a compiled expression. It is immutable and safe for concurrent use.
type Program struct {
	source     string
	program    cel.Program
	roots      map[string]root
	output     *cel.Type
	references [][]string
	// loops: the expression walks through lists, and may take long.
	loops bool
}

// programOptions bound what an evaluation takes: guard bounds each call, and a loop is interrupted. The library's own count
// of the cost keeps all values of a loop and searches them at each step, which makes long loops slow instead of short.
func programOptions(loops bool) []cel.ProgramOption {
	options := []cel.ProgramOption{cel.EvalOptions(cel.OptOptimize), cel.CustomDecoratorV2(guard(loops))}
	if loops {
		options = append(options, cel.InterruptCheckFrequency(1))
	}
	return options
}

// Source is the text that was compiled.
func (p *Program) Source() string { return p.source }

// References lists the paths from the roots that the expression reads, as far as they are known without evaluating it:
// fields of what a loop walks through, for one, are not. The caller must not change them.
func (p *Program) References() [][]string { return p.references }

// Eval evaluates the expression. The value is of JSON's types: nil, bool, int64, float64, string, []any or
// map[string]any; a moment, a duration or a quantity is its text. It may be part of the Facts: nobody may write to it. An
// error names the expression: a key that is missing, values that do not fit together, or too much to do.
func (p *Program) Eval(f template.Facts) (any, error) {
	value, err := p.eval(f)
	if err != nil {
		return nil, p.failed(err)
	}
	if sizeOf(value) > maxWork {
		return nil, p.failed(errors.New("gives too large a value"))
	}
	raw, err := native(value)
	if err != nil {
		return nil, p.failed(err)
	}
	return raw, nil
}

// EvalBool evaluates the expression, whose value must be a boolean. It is false with an error.
func (p *Program) EvalBool(f template.Facts) (bool, error) {
	value, err := p.eval(f)
	if err != nil {
		return false, p.failed(err)
	}
	b, ok := value.(types.Bool)
	if !ok {
		return false, p.failed(fmt.Errorf("gives %s, and a condition wants bool", value.Type().TypeName()))
	}
	return bool(b), nil
}

func (p *Program) eval(f template.Facts) (value ref.Val, err error) {
	input := &activation{facts: f, roots: p.roots}
	if p.loops {
		ctx, cancel := context.WithTimeout(context.Background(), maxTime)
		defer cancel()
		value, _, err = p.program.ContextEval(ctx, input)
	} else {
		value, _, err = p.program.Eval(input)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, fmt.Errorf("takes longer than %s: walk through less", maxTime)
	}
	return value, err
}

func (p *Program) failed(cause error) error {
	return fmt.Errorf("%s: %w", template.Shorten(p.source), cause)
}

// activation reads roots from Facts.
type activation struct {
	facts template.Facts
	roots map[string]root
}

// ResolveName implements interpreter.Activation.
func (a *activation) ResolveName(name string) (any, bool) {
	root, ok := a.roots[name]
	if !ok {
		return nil, false
	}
	raw, _ := a.facts.Lookup([]string{name})
	if raw == nil {
		raw = root.empty
	}
	if root.schema == anything {
		return raw, true
	}
	return root.schema.NativeToValue(raw), true
}

// Parent implements interpreter.Activation.
func (a *activation) Parent() interpreter.Activation { return nil }
