package template

import (
	"slices"
	"strconv"
	"strings"
	"text/template/parse"
	"time"

	"github.com/orkestra-runtime/orkestra/conditions/notes"
)

// The functions that the rewritten tree calls. No text can call them: they are not among the known functions.
const (
	lookupFunction = "_lookup" // (base, number of a path) -> value or nil
	printFunction  = "_print"  // (value) -> text; notes the value of a single expression
	rangeFunction  = "_range"  // (value) -> value that a range can iterate
)

// rewriter turns Go's tree into ours and finds everything wrong with it. The first wrong call ends it.
//
//	{{ .spec.a }}          {{ _lookup . 0 | _print }}
//	{{ f .spec.a $x.b }}   {{ f (_lookup . 0) (_lookup $x 1) | _print }}
//	{{ range (g .).c }}    {{ range _lookup (g .) 2 | _range }}
type rewriter struct {
	text       string
	language   *Language
	paths      []Path              // by the number that _lookup is given
	used       map[string]function // functions the tree calls, ours not included
	notes      []*note             // notes the tree calls
	references [][]string
	needs      []need          // of the functions and notes
	lengths    []time.Duration // that are written down
	guarded    int             // above 0: what is read now need not be evaluated
	// problems and warnings are about paths.
	problems, warnings []*SyntaxError
}

// scope is what the dot stands for: a path from the roots when it is known.
type scope struct {
	path  Path
	known bool
}

func (r *rewriter) list(list *parse.ListNode, dot scope) *SyntaxError {
	if list == nil {
		return nil
	}
	for _, node := range list.Nodes {
		if err := r.statement(node, dot); err != nil {
			return err
		}
	}
	return nil
}

func (r *rewriter) statement(node parse.Node, dot scope) *SyntaxError {
	switch n := node.(type) {
	case *parse.ActionNode:
		err := r.pipe(n.Pipe, dot)
		if len(n.Pipe.Decl) == 0 {
			appendCall(n.Pipe, printFunction)
		}
		return err
	case *parse.IfNode:
		return r.branch(&n.BranchNode, dot, dot)
	case *parse.WithNode:
		return r.branch(&n.BranchNode, r.pathOf(n.Pipe, dot), dot)
	case *parse.RangeNode:
		err := r.branch(&n.BranchNode, r.element(n.Pipe, dot), dot)
		appendCall(n.Pipe, rangeFunction)
		return err
	case *parse.TextNode, *parse.CommentNode, *parse.BreakNode, *parse.ContinueNode:
		return nil
	default:
		return problem(r.text, int(node.Position()), "%s is not available", node)
	}
}

func (r *rewriter) branch(n *parse.BranchNode, body, dot scope) *SyntaxError {
	if err := r.pipe(n.Pipe, dot); err != nil {
		return err
	}
	r.guarded++
	defer func() { r.guarded-- }()
	if err := r.list(n.List, body); err != nil {
		return err
	}
	return r.list(n.ElseList, dot)
}

func (r *rewriter) pipe(pipe *parse.PipeNode, dot scope) *SyntaxError {
	r.calls(pipe, dot)
	constants := r.constants(pipe)
	for i, command := range pipe.Cmds {
		name, called := command.Args[0].(*parse.IdentifierNode)
		if err := r.command(command, dot, i > 0); err != nil {
			return err
		}
		if !called || i >= len(constants) {
			continue
		}
		if err := r.try(strings.Join(constants[:i+1], " | ")); err != nil {
			return problem(r.text, int(name.Position()), "always fails: %v", err)
		}
	}
	return nil
}

// command rewrites a function with its values, or one value alone. piped: the pipeline hands it one more value.
func (r *rewriter) command(command *parse.CommandNode, dot scope, piped bool) *SyntaxError {
	given := len(command.Args) - 1
	if piped {
		given++
	}
	name, called := command.Args[0].(*parse.IdentifierNode)
	switch {
	case called:
		if err := r.call(name, given); err != nil {
			return err
		}
		if name.Ident == "and" || name.Ident == "or" {
			r.guarded++
			defer func() { r.guarded-- }()
		}
	case given > 0:
		return problem(r.text, int(command.Position()), "%s is a value, not a function: it takes no values", command.Args[0])
	case command.Args[0].Type() == parse.NodeNil:
		return problem(r.text, int(command.Position()), "nil alone is nothing to print or test")
	}
	for i, arg := range command.Args {
		if called && i == 0 {
			continue
		}
		operand, err := r.operand(arg, dot)
		if err != nil {
			return err
		}
		command.Args[i] = operand
	}
	flatten(command)
	return nil
}

func (r *rewriter) call(name *parse.IdentifierNode, given int) *SyntaxError {
	f, ok := r.language.function(name.Ident)
	if !ok {
		return problem(r.text, int(name.Position()), "%s", r.language.unknown(name.Ident))
	}
	if wrong := f.arity(name.Ident, given); wrong != "" {
		return problem(r.text, int(name.Position()), "%s", wrong)
	}
	if f.random && r.language != nil && r.language.steady != "" {
		return problem(r.text, int(name.Position()), "%s gives another value each time: %s", name.Ident, r.language.steady)
	}
	switch {
	case f.note != nil:
		r.note(name, f.note)
	case f.sentinel:
		r.references = append(r.references, []string{SentinelRoot, name.Ident})
	}
	if _, again := r.used[name.Ident]; !again && f.needs != "" {
		r.need(name, need{function: name.Ident, target: f.needs}, "")
	}
	r.used[name.Ident] = f
	return nil
}

// need is an enrich target that a function needs.
type need struct{ function, target string }

// need notes what a function needs, and warns where it is not there.
func (r *rewriter) need(call *parse.IdentifierNode, n need, prefix string) {
	if slices.Contains(r.needs, n) {
		return
	}
	r.needs = append(r.needs, n)
	if l := r.language; l != nil && l.enriched != nil && !l.enriched[n.target] {
		r.warnings = append(r.warnings, problem(r.text, int(call.Position()),
			"%s%s needs enrich: [%s]: without it there is nothing to read", prefix, n.function, n.target))
	}
}

// note takes what a note reads and needs as read and needed here.
func (r *rewriter) note(call *parse.IdentifierNode, n *note) {
	if slices.Contains(r.notes, n) {
		return
	}
	r.notes = append(r.notes, n)
	n.walk(func(p *Program) { r.lengths = append(r.lengths, p.lengths...) })
	for _, one := range n.needs() {
		r.need(call, one, "note "+n.Name+": ")
	}
	for _, path := range n.references() {
		if !slices.ContainsFunc(r.references, func(known []string) bool { return slices.Equal(known, path) }) {
			r.references = append(r.references, path)
			r.judge(path, "note "+n.Name+": ", func(int) int { return int(call.Position()) })
		}
	}
}

// read notes a path that is read, and what the language says of it.
func (r *rewriter) read(node parse.Node, path Path) {
	r.references = append(r.references, path)
	r.judge(path, "", func(key int) int { return r.offset(node, key-len(path)) })
}

// element is the scope of what a range does with each element. It reports one over a value that has none. A number has: the
// turns that it counts.
func (r *rewriter) element(pipe *parse.PipeNode, dot scope) scope {
	over := r.pathOf(pipe, dot)
	if over.known && len(over.path) > 0 && r.language != nil && r.language.roots != nil {
		switch kind := r.language.roots.Shape(over.path).Type; kind {
		case notes.TypeString, notes.TypeBool:
			at := r.offset(pipe.Cmds[0].Args[0], -1)
			r.problems = append(r.problems, problem(r.text, at, ".%s is a %s: there is nothing to range over", over.path, kind))
			return scope{}
		}
	}
	return over.join(Path{Element})
}

// offset is where a key of a field stands, by its index from the end. A key that is written elsewhere, as what range goes
// over, gives the place of the first that is written.
func (r *rewriter) offset(node parse.Node, fromEnd int) int {
	written := identsOf(node)
	at := min(max(0, int(node.Position())), len(r.text))
	// Go's position of a field is that of its first key or of the second.
	chain := "." + strings.Join(written, ".")
	start := strings.LastIndex(r.text[:min(at+len(chain), len(r.text))], chain)
	if len(written) == 0 || start < 0 {
		return at
	}
	before := written[:max(0, len(written)+fromEnd)]
	return start + len(".") + len(strings.Join(append(slices.Clip(before), ""), "."))
}

// identsOf are the keys that a node is written with, as Go has them.
func identsOf(node parse.Node) []string {
	switch n := node.(type) {
	case *parse.FieldNode:
		return n.Ident
	case *parse.VariableNode:
		return n.Ident[1:]
	case *parse.ChainNode:
		return n.Field
	default:
		return nil
	}
}

// judge reports what the language says of reading a path. Where tells the offset of a key of the path.
func (r *rewriter) judge(path Path, prefix string, where func(key int) int) {
	r.feed(path, prefix, where)
	if r.language == nil || r.language.roots == nil {
		return
	}
	misread := r.language.roots.Check(path)
	if misread == nil {
		return
	}
	found := problem(r.text, where(misread.Key), "%s", prefix+misread.Problem)
	if misread.Warning {
		r.warnings = append(r.warnings, found)
	} else {
		r.problems = append(r.problems, found)
	}
}

func (r *rewriter) operand(node parse.Node, dot scope) (parse.Node, *SyntaxError) {
	// What is in parentheses is recorded inside of them.
	if read := r.pathOf(node, dot); read.known && node.Type() != parse.NodePipe {
		r.read(node, read.path)
	}
	switch n := node.(type) {
	case *parse.FieldNode:
		return r.lookup(&parse.DotNode{NodeType: parse.NodeDot, Pos: n.Pos}, keysOf(n.Ident)), nil
	case *parse.VariableNode:
		if len(n.Ident) == 1 {
			return n, nil
		}
		variable := &parse.VariableNode{NodeType: parse.NodeVariable, Pos: n.Pos, Ident: n.Ident[:1]}
		return r.lookup(variable, keysOf(n.Ident[1:])), nil
	case *parse.ChainNode:
		if name, called := n.Node.(*parse.IdentifierNode); called && functions()[name.Ident].least > 0 {
			return nil, problem(r.text, int(name.Position()), "%s is a function: write %s .%s to call it, or .%s.%[3]s for a field",
				name.Ident, name.Ident, strings.Join(n.Field, "."), name.Ident)
		}
		base, err := r.operand(n.Node, dot)
		if err != nil {
			return nil, err
		}
		return r.lookup(base, keysOf(n.Field)), nil
	case *parse.PipeNode:
		return n, r.pipe(n, dot)
	case *parse.IdentifierNode:
		return n, r.call(n, 0)
	default:
		r.constant(n)
		return n, nil
	}
}

// lookup is the pipeline (_lookup base number).
func (r *rewriter) lookup(base parse.Node, path Path) *parse.PipeNode {
	number := slices.IndexFunc(r.paths, func(p Path) bool { return slices.Equal(p, path) })
	if number < 0 {
		number = len(r.paths)
		r.paths = append(r.paths, path)
	}
	pos := base.Position()
	return &parse.PipeNode{NodeType: parse.NodePipe, Pos: pos, Cmds: []*parse.CommandNode{{
		NodeType: parse.NodeCommand, Pos: pos, Args: []parse.Node{
			parse.NewIdentifier(lookupFunction).SetPos(pos),
			base,
			&parse.NumberNode{NodeType: parse.NodeNumber, Pos: pos, IsInt: true, Int64: int64(number), Text: strconv.Itoa(number)},
		},
	}}}
}

// pathOf is the path from the roots that a node reads, if it reads nothing else.
func (r *rewriter) pathOf(node parse.Node, dot scope) scope {
	switch n := node.(type) {
	case *parse.DotNode:
		return dot
	case *parse.FieldNode:
		return dot.join(keysOf(n.Ident))
	case *parse.VariableNode:
		if n.Ident[0] == "$" {
			return scope{known: true}.join(keysOf(n.Ident[1:]))
		}
	case *parse.ChainNode:
		return r.pathOf(n.Node, dot).join(keysOf(n.Field))
	case *parse.PipeNode:
		if len(n.Cmds) == 1 && len(n.Cmds[0].Args) == 1 {
			return r.pathOf(n.Cmds[0].Args[0], dot)
		}
	}
	return scope{}
}

func (s scope) join(path Path) scope {
	if !s.known {
		return s
	}
	return scope{known: true, path: slices.Concat(s.path, path)}
}

// flatten makes a command of one call in parentheses that call.
func flatten(command *parse.CommandNode) {
	if len(command.Args) != 1 {
		return
	}
	if pipe, ok := command.Args[0].(*parse.PipeNode); ok && len(pipe.Cmds) == 1 && len(pipe.Decl) == 0 {
		command.Args = pipe.Cmds[0].Args
	}
}

func appendCall(pipe *parse.PipeNode, name string) {
	pipe.Cmds = append(pipe.Cmds, &parse.CommandNode{
		NodeType: parse.NodeCommand, Pos: pipe.Pos, Args: []parse.Node{parse.NewIdentifier(name).SetPos(pipe.Pos)},
	})
}
