package template

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// maxNotes is how many notes may call one another in a row.
const maxNotes = 50

// Notes are the functions that a Katalog declares. They are immutable and safe for concurrent use.
type Notes struct {
	byName map[string]*note
}

// Declared is a note as it is declared.
type Declared struct {
	Name       string
	Expression string
	// At is the path of the expression.
	At *field.Path
}

// note is one function that a Katalog declares. It takes no values, and is called where it stands in a text.
type note struct {
	Declared
	program *Program
	// calls are the notes that it calls.
	calls []*note
}

// CompileNotes compiles notes, which may call one another in any order but not in a circle. That names are identifiers, and
// different, is the loader's to see to. A note that has the name of a function takes its place, with a warning.
func CompileNotes(l *Language, declared []Declared) (*Notes, field.ErrorList) {
	all := &Notes{byName: make(map[string]*note, len(declared))}
	for _, one := range declared {
		all.byName[one.Name] = &note{Declared: one}
	}
	within := l.Within(nil)
	within.notes = all
	var errs field.ErrorList
	for _, one := range declared {
		n := all.byName[one.Name]
		if _, taken := functions()[one.Name]; taken {
			l.Warn(field.Invalid(one.At, one.Name, fmt.Sprintf("the note %s hides the function of that name", one.Name)))
		}
		program, wrong := within.Compile(one.Expression, one.At)
		errs = append(errs, wrong...)
		if n.program = program; program != nil && program.engine != nil {
			n.calls = program.engine.notes
		}
	}
	if len(errs) > 0 {
		return nil, errs
	}
	c := circles{state: map[*note]int{}}
	for _, one := range declared {
		c.visit(all.byName[one.Name], nil)
	}
	if len(c.errs) > 0 {
		return nil, c.errs
	}
	return all, nil
}

// circles finds the notes that call one another in a circle, or too deep.
type circles struct {
	state map[*note]int // how deep the calls below a note go; visiting while that is being found out
	errs  field.ErrorList
}

const visiting = -1

// visit returns how many notes are called in a row from a note on, itself included.
func (c *circles) visit(n *note, above []*note) int {
	switch state := c.state[n]; {
	case state == visiting:
		circle := above[slices.Index(above, n):]
		c.report(n, "the notes call one another in a circle: "+chain(append(circle, n)))
		return 0
	case state > 0:
		return state
	case len(above) >= maxNotes:
		c.report(above[0], fmt.Sprintf("more than %d notes call one another in a row", maxNotes))
		return 1
	}
	c.state[n] = visiting
	deepest := 0
	for _, called := range n.calls {
		deepest = max(deepest, c.visit(called, append(slices.Clone(above), n)))
	}
	c.state[n] = deepest + 1
	return deepest + 1
}

func (c *circles) report(n *note, problem string) {
	c.errs = append(c.errs, field.Invalid(n.At, n.Expression, problem))
}

func chain(path []*note) string {
	names := make([]string, len(path))
	for i, one := range path {
		names[i] = one.Name
	}
	return strings.Join(names, " calls ")
}

func (n *Notes) find(name string) *note {
	if n == nil {
		return nil
	}
	return n.byName[name]
}

func (n *Notes) names() []string {
	if n == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(n.byName))
}

// walk visits the programs of the note and of all that it calls.
func (n *note) walk(visit func(*Program)) {
	seen := map[*note]bool{}
	var walk func(*note)
	walk = func(n *note) {
		if seen[n] || n.program == nil { // without a program it is wrong, which is reported
			return
		}
		seen[n] = true
		visit(n.program)
		for _, called := range n.calls {
			walk(called)
		}
	}
	walk(n)
}

// references are the paths that the note reads, those of the notes that it calls included.
func (n *note) references() [][]string {
	var paths [][]string
	n.walk(func(p *Program) { paths = append(paths, p.references...) })
	return paths
}

// needs are the enrich targets of the functions that the note calls, those of the notes that it calls included.
func (n *note) needs() []need {
	var needs []need
	n.walk(func(p *Program) { needs = append(needs, p.needs...) })
	return needs
}

// random tells whether the value is another one each time.
func (n *note) random() bool {
	random := false
	n.walk(func(p *Program) { random = random || p.random })
	return random
}

// flows tells whether the value counts the time.
func (n *note) flows() bool {
	flows := false
	n.walk(func(p *Program) { flows = flows || p.flows })
	return flows
}

// evaluate gives the text of the note: a boolean when that is what it says, so that and, or and if take it as one.
func (n *note) evaluate(f Facts, steps int) (value any, taken int, err error) {
	var text string
	if n.program.engine != nil {
		text, _, taken, err = n.program.engine.run(f, false, steps)
	} else {
		text, err = n.program.Text(f)
	}
	if err != nil {
		return nil, taken, fmt.Errorf("note %s: %w", n.Name, err)
	}
	switch text = strings.TrimSpace(text); text {
	case "true":
		return true, taken, nil
	case "false":
		return false, taken, nil
	}
	return text, taken, nil
}
