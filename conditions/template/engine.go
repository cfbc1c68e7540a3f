package template

import (
	"bytes"
	"fmt"
	"reflect"
	"sync"
	"text/template/parse"
	"time"

	texttemplate "github.com/DataDog/datadog-agent/pkg/template/text"

	"github.com/orkestra-runtime/orkestra/conditions/notes"
)

// The bounds of one evaluation. A step is a lookup, a print or one turn of a range.
const (
	maxOutput = notes.MaxText
	maxSteps  = 100_000
	// keptBuffer is the largest buffer that goes back into the pool, in bytes.
	keptBuffer = 64 << 10
)

// engine runs one rewritten tree. Go binds functions to a template, and ours need the evaluation they run in; so
// evaluations take an instance of their own, with a template over the shared tree, from the pool.
type engine struct {
	text  string
	notes []*note
	pool  sync.Pool
}

// instance is one evaluation after the other.
type instance struct {
	template *texttemplate.Template
	paths    []Path
	facts    Facts // of the running evaluation
	steps    int
	output   bytes.Buffer
	// capture: keep the value of the single expression, and print nothing.
	capture bool
	value   any
}

func newEngine(text string, tree *parse.Tree, r *rewriter) *engine {
	e := &engine{text: text, notes: r.notes}
	e.pool.New = func() any { return newInstance(tree, r) }
	return e
}

// newInstance gives the template the functions it uses and no others, bound to the instance where they need the
// evaluation.
func newInstance(tree *parse.Tree, r *rewriter) *instance {
	in := &instance{paths: r.paths}
	bound := texttemplate.FuncMap{
		lookupFunction: in.lookup,
		printFunction:  in.print,
		rangeFunction:  in.iterable,
	}
	for name, f := range r.used {
		switch {
		case f.note != nil:
			bound[name] = func() (any, error) { return in.note(f.note) }
		case f.code != nil:
			bound[name] = bind(f.code, in)
		}
	}
	// AddParseTree fails for a template that is redefined after it was run; this one is new.
	in.template = texttemplate.Must(texttemplate.New(treeName).Funcs(bound).Option("missingkey=zero").AddParseTree(treeName, tree))
	return in
}

// run evaluates the program, after so many steps of the evaluation that it is a part of, and tells how many there are then. What a
// function or Go's engine makes of hostile values ends as an error, not as a panic.
func (e *engine) run(f Facts, capture bool, steps int) (text string, value any, taken int, err error) {
	in := e.pool.Get().(*instance)
	in.facts, in.capture, in.steps = f, capture, steps
	defer func() {
		if r := recover(); r != nil {
			err = &renderError{expression: e.text, cause: fmt.Errorf("internal error: %v", r)}
			return // The instance is in an unknown state: it does not go back.
		}
		in.reset()
		e.pool.Put(in)
	}()
	if err := in.template.Execute(in, f.roots); err != nil {
		return "", nil, in.steps, explain(e.text, err)
	}
	if capture {
		return "", in.value, in.steps, nil
	}
	return in.output.String(), nil, in.steps, nil
}

// reset lets go of everything that belongs to the evaluation.
func (in *instance) reset() {
	in.facts, in.value, in.steps = Facts{}, nil, 0
	in.output.Reset()
	if in.output.Cap() > keptBuffer {
		in.output = bytes.Buffer{}
	}
}

// An instance is the notes.Evaluation of its functions.
var _ notes.Evaluation = (*instance)(nil)

func (in *instance) Now() time.Time { return in.facts.Now() }

func (in *instance) Root(name string) any { return in.facts.roots[name] }

func (in *instance) ChangesAt(t time.Time) { in.facts.ChangesAt(t) }

func (in *instance) CountsFrom(t time.Time) { in.facts.CountsFrom(t) }

func (in *instance) Random(p []byte) { in.facts.Random(p) }

// Write takes the output of the template, up to its bound.
func (in *instance) Write(p []byte) (int, error) {
	if in.output.Len()+len(p) > maxOutput {
		return 0, errOutput
	}
	return in.output.Write(p)
}

func (in *instance) step(n int) error {
	in.steps += n
	if in.steps > maxSteps {
		return errSteps
	}
	return nil
}

func (in *instance) lookup(base any, path int) (any, error) {
	value, _ := descend(base, in.paths[path])
	return value, in.step(1)
}

func (in *instance) print(value any) (string, error) {
	if in.capture {
		in.value = value
		return "", nil
	}
	return Text(value), in.step(1)
}

// note runs as a part of this evaluation, and within its bounds.
func (in *instance) note(n *note) (any, error) {
	value, steps, err := n.evaluate(in.facts, in.steps)
	in.steps = max(in.steps, steps)
	if err != nil {
		return nil, err
	}
	return value, in.step(1)
}

// iterable pays for a whole range before it begins.
func (in *instance) iterable(value any) (any, error) {
	switch notes.TypeOf(value) {
	case notes.TypeNull:
		return nil, nil
	case notes.TypeList, notes.TypeMap:
		return value, in.step(reflect.ValueOf(value).Len())
	case notes.TypeNumber:
		if n, ok := notes.NumberOf(value); ok && n.Whole() {
			turns := n.Value().(int64)
			return turns, in.step(int(min(max(turns, 0), maxSteps+1)))
		}
	}
	return nil, fmt.Errorf("range needs a list, a map or a whole number, not %.60q", Text(value))
}
