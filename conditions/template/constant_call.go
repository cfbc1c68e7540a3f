package template

import (
	"errors"
	"io"
	"strings"
	"text/template/parse"
	"time"

	texttemplate "github.com/DataDog/datadog-agent/pkg/template/text"

	"github.com/orkestra-runtime/orkestra/conditions/notes"
)

// trials are the clocks with which a call of constants is tried: what fails by all of them fails always.
var trials = []time.Time{notes.ExampleTime(), notes.ExampleTime().AddDate(1, 5, 9).Add(11 * time.Hour)}

// constants returns the source of each command at the beginning of a pipeline that reads nothing but what is written down there. It is
// asked for before the commands are rewritten.
func (r *rewriter) constants(pipe *parse.PipeNode) []string {
	if r.guarded > 0 {
		return nil // it may be there for the case in which it does not fail
	}
	var sources []string
	for _, command := range pipe.Cmds {
		if !r.isConstant(command) {
			break
		}
		sources = append(sources, command.String())
	}
	return sources
}

func (r *rewriter) isConstant(node parse.Node) bool {
	switch n := node.(type) {
	case *parse.StringNode, *parse.NumberNode, *parse.BoolNode:
		return true
	case *parse.PipeNode:
		for _, command := range n.Cmds {
			if !r.isConstant(command) {
				return false
			}
		}
		return len(n.Decl) == 0
	case *parse.CommandNode:
		for i, arg := range n.Args {
			if name, called := arg.(*parse.IdentifierNode); called {
				f, known := r.language.function(name.Ident)
				if i > 0 || !known || f.note != nil || f.random || f.sentinel {
					return false
				}
			} else if !r.isConstant(arg) {
				return false
			}
		}
		return true
	default:
		return false
	}
}

// try tells why a pipeline of constants always fails, nil when it may not.
func (*rewriter) try(source string) error {
	var failed error
	for _, now := range trials {
		t := &trial{now: now}
		bound := texttemplate.FuncMap{}
		for name, f := range functions() {
			if f.code != nil && strings.Contains(source, name) {
				bound[name] = bind(f.code, t)
			}
		}
		parsed, err := texttemplate.New(treeName).Funcs(bound).Parse("{{ " + source + " }}")
		if err != nil {
			return nil //nolint:nilerr // a template that cannot be read is found elsewhere
		}
		if failed = parsed.Execute(io.Discard, nil); failed == nil || t.reads {
			return nil
		}
	}
	// What Go's engine has against a call is about types, which it tells when it runs as well.
	if called, ok := errors.AsType[texttemplate.ExecError](failed); ok {
		return errors.Unwrap(called.Err)
	}
	return nil
}

// trial is an evaluation of constants. It notes when a function reads anything else, which is not there.
type trial struct {
	now   time.Time
	reads bool
}

var _ notes.Evaluation = (*trial)(nil)

func (t *trial) Now() time.Time { return t.now }

func (t *trial) Root(string) any {
	t.reads = true
	return nil
}

func (*trial) ChangesAt(time.Time) {}

func (*trial) CountsFrom(time.Time) {}

func (t *trial) Random([]byte) { t.reads = true }
