package template

import (
	"slices"
	"strings"
	"text/template/parse"
	"time"

	"github.com/orkestra-runtime/orkestra/api/expression"
)

// Program is a compiled text. It is immutable and safe for concurrent use.
type Program struct {
	source     string
	references [][]string
	// single: the text is one expression, with nothing but white space around it.
	single bool
	// random: a function in it gives another value each time.
	random bool
	// flows: a function in it counts the time.
	flows bool
	// lengths are the lengths of time in it.
	lengths []time.Duration
	// needs are the enrich targets of the functions in it.
	needs []need
	// parts is the whole program when it has literal texts and paths only; a static one has at most one literal.
	parts []part
	// engine runs all other programs.
	engine *engine
}

// part is a literal text, or what is at a path.
type part struct {
	literal string
	path    Path
}

// Compile compiles a text in the plain language, without notes and with any path. One without "{{" is used as it is. An error is a
// *SyntaxError: it tells line and column inside the text for wrong syntax, unknown functions and wrong numbers of values.
func Compile(text string) (*Program, error) {
	program, problems, _ := (*Language)(nil).compile(text)
	if len(problems) > 0 {
		return nil, problems[0]
	}
	return program, nil
}

// compile returns a Program, or what is wrong with the text, and what may be.
func (l *Language) compile(text string) (p *Program, problems, warnings []*SyntaxError) {
	if !strings.Contains(text, "{{") {
		return &Program{source: text, parts: []part{{literal: text}}}, nil, nil
	}
	source := text
	text = expression.JoinKeys(text)
	tree, problem := parseTree(text)
	if problem != nil {
		return nil, []*SyntaxError{problem}, nil
	}
	p = &Program{source: source, single: isSingle(tree.Root)}
	r := &rewriter{text: text, language: l, used: map[string]function{}}
	parts, plain := r.parts(tree.Root)
	if problem := r.list(tree.Root, scope{known: true}); problem != nil {
		r.problems = append(r.problems, problem)
	}
	if len(r.problems) > 0 {
		return nil, r.problems, r.warnings
	}
	p.references = r.references
	if plain {
		p.parts = parts
		return p, nil, r.warnings
	}
	p.needs = r.needs
	for _, f := range r.used {
		p.random, p.flows = p.random || f.random, p.flows || f.flows
	}
	p.lengths = r.lengths
	p.engine = newEngine(text, tree, r)
	return p, nil, r.warnings
}

// Source is the text that was compiled.
func (p *Program) Source() string { return p.source }

// Static reports whether the program gives the same text for all Facts.
func (p *Program) Static() bool {
	return p.engine == nil && !slices.ContainsFunc(p.parts, func(part part) bool { return part.path != nil })
}

// Path is the path of a text that is one single expression and nothing but a path, else nil. The caller must not change it.
func (p *Program) Path() Path {
	if p.single && p.engine == nil {
		for _, part := range p.parts {
			if part.path != nil {
				return part.path
			}
		}
	}
	return nil
}

// References lists the paths from the roots that the program reads, as far as they are known without running it: fields
// inside of a range, for one, are not. An empty path is all there is, as in {{ toJson . }}. The caller must not change them.
func (p *Program) References() [][]string {
	if p == nil {
		return nil
	}
	return p.references
}

// Text renders the program. A missing value renders as "", numbers as Text prints them, white space stays. An error names
// the expression; so does the one for a text of more than 1 MiB.
func (p *Program) Text(f Facts) (string, error) {
	if p.engine != nil {
		text, _, err := p.run(f, false)
		return text, err
	}
	switch len(p.parts) {
	case 0:
		return "", nil
	case 1:
		return p.bounded(p.parts[0].text(f))
	}
	var out strings.Builder
	for _, part := range p.parts {
		out.WriteString(part.text(f))
	}
	return p.bounded(out.String())
}

// Value renders the program, and keeps the type of a text that is one single expression: nil, bool, int64, float64,
// string, []any or map[string]any, without the white space around the expression. The value may be part of the Facts:
// nobody may write to it. Any other text gives a string, as Text does.
func (p *Program) Value(f Facts) (any, error) {
	switch {
	case !p.single:
		return p.Text(f)
	case p.engine != nil:
		_, value, err := p.run(f, true)
		return native(value), err
	}
	value, _ := f.Lookup(p.Path())
	return native(value), nil
}

func (p *Program) bounded(text string) (string, error) {
	if len(text) > maxOutput && !p.Static() {
		return "", &renderError{expression: p.source, cause: errOutput}
	}
	return text, nil
}

func (p part) text(f Facts) string {
	if p.path == nil {
		return p.literal
	}
	value, _ := f.Lookup(p.path)
	return Text(value)
}

// parts takes a tree that is literal texts and paths only apart; false for any other.
func (r *rewriter) parts(root *parse.ListNode) ([]part, bool) {
	var parts []part
	for _, node := range root.Nodes {
		switch n := node.(type) {
		case *parse.TextNode:
			parts = append(parts, part{literal: string(n.Text)})
		case *parse.ActionNode:
			read := r.pathOf(n.Pipe, scope{known: true})
			if !read.known || len(read.path) == 0 || len(n.Pipe.Decl) > 0 {
				return nil, false
			}
			parts = append(parts, part{path: read.path})
		default:
			return nil, false
		}
	}
	return parts, true
}

func isSingle(root *parse.ListNode) bool {
	expressions := 0
	for _, node := range root.Nodes {
		switch n := node.(type) {
		case *parse.TextNode:
			if strings.TrimSpace(string(n.Text)) != "" {
				return false
			}
		case *parse.ActionNode:
			if len(n.Pipe.Decl) > 0 {
				return false
			}
			expressions++
		default:
			return false
		}
	}
	return expressions == 1
}
