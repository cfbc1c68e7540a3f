package katalog

import (
	"bytes"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template/parse"

	"github.com/orkestra-runtime/orkestra/api/expression"
)

// This file puts what inputs are bound to in place of them, in the parse tree of a template: so that a text in quotes is
// never touched, and no value can break out of the place that it is put in.

const (
	rootInputs = "inputs"
	maxText    = 1 << 20 // bytes of one text with its inputs
)

// errNoTemplates names what the language does not have.
var errNoTemplates = errors.New("{{define}}, {{template}} and {{block}} are not available")

// mayReadInputs tells whether a template may read inputs, so that it is worth parsing.
func mayReadInputs(text string) bool {
	return strings.Contains(text, "{{") && strings.Contains(text, rootInputs)
}

// goError is what Go puts in front of the message of a parse error.
var goError = regexp.MustCompile(`^template: :\d+: `)

// parseExpressions parses a text without looking at its functions. What is printed of it, expression.PartKeys gives its hyphens back.
func parseExpressions(text string) (*parse.ListNode, error) {
	tree := parse.New("")
	tree.Mode = parse.SkipFuncCheck
	others := map[string]*parse.Tree{}
	if _, err := tree.Parse(expression.JoinKeys(text), "", "", others); err != nil {
		return nil, errors.New(expression.PartKeys(goError.ReplaceAllString(err.Error(), "")))
	}
	delete(others, "")
	if len(others) > 0 {
		return nil, errNoTemplates
	}
	return tree.Root, nil
}

// substitution replaces the inputs that one text reads.
type substitution struct {
	// lookup returns what an input is bound to, or what is wrong with its name.
	lookup func(name string) (*binding, error)
}

// list rewrites the nodes of a list in place. moved tells that the dot is not the root.
func (s *substitution) list(list *parse.ListNode, moved bool) error {
	if list == nil {
		return nil
	}
	out := make([]parse.Node, 0, len(list.Nodes))
	for _, n := range list.Nodes {
		action, ok := n.(*parse.ActionNode)
		if !ok || len(action.Pipe.Decl) > 0 {
			if err := s.statement(n, moved); err != nil {
				return err
			}
			out = append(out, n)
			continue
		}
		bound, err := s.alone(action.Pipe)
		if err != nil {
			return err
		}
		if bound != nil {
			out = append(out, bound.nodes(moved)...)
			continue
		}
		if err := s.pipe(action.Pipe, moved); err != nil {
			return err
		}
		out = append(out, n)
	}
	list.Nodes = out
	return nil
}

func (s *substitution) statement(n parse.Node, moved bool) error {
	switch typed := n.(type) {
	case *parse.ActionNode:
		return s.pipe(typed.Pipe, moved)
	case *parse.IfNode:
		return s.branch(&typed.BranchNode, moved, moved)
	case *parse.WithNode:
		return s.branch(&typed.BranchNode, moved, true)
	case *parse.RangeNode:
		return s.branch(&typed.BranchNode, moved, true)
	case *parse.TemplateNode:
		return errNoTemplates
	default:
		return nil
	}
}

func (s *substitution) branch(n *parse.BranchNode, moved, body bool) error {
	if err := s.pipe(n.Pipe, moved); err != nil {
		return err
	}
	if err := s.list(n.List, body); err != nil {
		return err
	}
	return s.list(n.ElseList, moved)
}

func (s *substitution) pipe(pipe *parse.PipeNode, moved bool) error {
	for _, command := range pipe.Cmds {
		if err := s.command(command, moved); err != nil {
			return err
		}
	}
	return nil
}

func (s *substitution) command(command *parse.CommandNode, moved bool) error {
	if name, ok := indexed(command); ok {
		bound, err := s.lookup(name)
		if err != nil {
			return err
		}
		operand, err := operandOf(name, bound, nil, moved)
		if err != nil {
			return err
		}
		command.Args = slices.Replace(command.Args, 1, 3, operand)
		if len(command.Args) == 2 {
			command.Args = command.Args[1:]
		}
	}
	for i, arg := range command.Args {
		operand, err := s.operand(arg, moved)
		if err != nil {
			return err
		}
		command.Args[i] = operand
	}
	return nil
}

func (s *substitution) operand(n parse.Node, moved bool) (parse.Node, error) {
	if path, ok := inputPath(n); ok {
		if len(path) == 0 {
			return nil, errors.New("reads all inputs at once; name one, such as .inputs.image")
		}
		bound, err := s.lookup(path[0])
		if err != nil {
			return nil, err
		}
		return operandOf(path[0], bound, path[1:], moved)
	}
	switch typed := n.(type) {
	case *parse.PipeNode:
		return n, s.pipe(typed, moved)
	case *parse.ChainNode:
		base, err := s.operand(typed.Node, moved)
		if err != nil {
			return nil, err
		}
		return withFields(base, typed.Field), nil
	}
	return n, nil
}

// operandOf is the operand of an input, or an error for a text that can't be one.
func operandOf(name string, bound *binding, below []string, moved bool) (parse.Node, error) {
	operand := bound.operand(below, moved)
	if operand == nil {
		return nil, errors.New("the input " + name + " is a text with blocks or variables: it can be printed, but not be the value of a " +
			"function or condition; bind one expression to it")
	}
	return operand, nil
}

// alone returns what the input that a pipeline consists of is bound to, or nil for any other pipeline.
func (s *substitution) alone(pipe *parse.PipeNode) (*binding, error) {
	if name := soleInput(pipe); name != "" {
		return s.lookup(name)
	}
	return nil, nil //nolint:nilnil // there is none
}

// soleInput returns the name of the input that a pipeline consists of, or "".
func soleInput(pipe *parse.PipeNode) string {
	if pipe == nil || len(pipe.Cmds) != 1 || len(pipe.Decl) > 0 {
		return ""
	}
	command := pipe.Cmds[0]
	if name, ok := indexed(command); ok && len(command.Args) == 3 {
		return name
	}
	if path, ok := inputPath(command.Args[0]); ok && len(path) == 1 && len(command.Args) == 1 {
		return path[0]
	}
	return ""
}

// indexed returns the name in a command index .inputs "name".
func indexed(command *parse.CommandNode) (name string, ok bool) {
	if len(command.Args) < 3 {
		return "", false
	}
	function, isName := command.Args[0].(*parse.IdentifierNode)
	path, isInputs := inputPath(command.Args[1])
	text, isText := command.Args[2].(*parse.StringNode)
	if !isName || function.Ident != "index" || !isInputs || len(path) > 0 || !isText {
		return "", false
	}
	return text.Text, true
}

// inputPath returns the keys below .inputs or $.inputs.
func inputPath(n parse.Node) (path []string, ok bool) {
	switch typed := n.(type) {
	case *parse.FieldNode:
		if typed.Ident[0] == rootInputs {
			return keysOf(typed.Ident[1:]), true
		}
	case *parse.VariableNode:
		if len(typed.Ident) > 1 && typed.Ident[0] == "$" && typed.Ident[1] == rootInputs {
			return keysOf(typed.Ident[2:]), true
		}
	}
	return nil, false
}

// keysOf are the keys of a node, as they are written.
func keysOf(idents []string) []string {
	keys := make([]string, len(idents))
	for i, ident := range idents {
		keys[i] = expression.PartKeys(ident)
	}
	return keys
}

// rooting makes an expression that is written for the root dot read the root wherever it is put.
type rooting struct{ moved bool }

func rooted(pipe *parse.PipeNode, moved bool) *parse.PipeNode {
	(&rooting{moved}).pipe(pipe)
	return pipe
}

func (r *rooting) list(list *parse.ListNode) {
	if list == nil || !r.moved {
		return
	}
	for _, n := range list.Nodes {
		switch typed := n.(type) {
		case *parse.ActionNode:
			r.pipe(typed.Pipe)
		case *parse.IfNode:
			r.pipe(typed.Pipe)
			r.list(typed.List)
			r.list(typed.ElseList)
		case *parse.WithNode: // in its body the dot is its own
			r.pipe(typed.Pipe)
			r.list(typed.ElseList)
		case *parse.RangeNode:
			r.pipe(typed.Pipe)
			r.list(typed.ElseList)
		}
	}
}

func (r *rooting) pipe(pipe *parse.PipeNode) {
	if !r.moved {
		return
	}
	for _, command := range pipe.Cmds {
		for i, arg := range command.Args {
			command.Args[i] = r.operand(arg)
		}
	}
}

func (r *rooting) operand(n parse.Node) parse.Node {
	switch typed := n.(type) {
	case *parse.DotNode:
		return &parse.VariableNode{NodeType: parse.NodeVariable, Ident: []string{"$"}}
	case *parse.FieldNode:
		return &parse.VariableNode{NodeType: parse.NodeVariable, Ident: append([]string{"$"}, typed.Ident...)}
	case *parse.ChainNode:
		typed.Node = r.operand(typed.Node)
	case *parse.PipeNode:
		r.pipe(typed)
	}
	return n
}

// simplest is the operand of a pipeline that is nothing but that, else the pipeline, which stands in parentheses.
func simplest(pipe *parse.PipeNode) parse.Node {
	if len(pipe.Cmds) != 1 || len(pipe.Cmds[0].Args) != 1 || len(pipe.Decl) > 0 {
		return pipe
	}
	switch operand := pipe.Cmds[0].Args[0].(type) {
	case *parse.PipeNode:
		return simplest(operand)
	case *parse.IdentifierNode: // a function without values
		return pipe
	default:
		return operand
	}
}

// withFields is a field of an operand.
func withFields(n parse.Node, below []string) parse.Node {
	if len(below) == 0 {
		return n
	}
	switch typed := n.(type) {
	case *parse.FieldNode:
		return &parse.FieldNode{NodeType: parse.NodeField, Ident: slices.Concat(typed.Ident, below)}
	case *parse.VariableNode:
		return &parse.VariableNode{NodeType: parse.NodeVariable, Ident: slices.Concat(typed.Ident, below)}
	case *parse.DotNode:
		return &parse.FieldNode{NodeType: parse.NodeField, Ident: below}
	case *parse.ChainNode:
		return &parse.ChainNode{NodeType: parse.NodeChain, Node: typed.Node, Field: slices.Concat(typed.Field, below)}
	case *parse.PipeNode:
		return &parse.ChainNode{NodeType: parse.NodeChain, Node: typed, Field: below}
	default:
		return textLiteral("") // a constant has no fields
	}
}

func pipeOf(operand parse.Node) *parse.PipeNode {
	command := &parse.CommandNode{NodeType: parse.NodeCommand, Args: []parse.Node{operand}}
	return &parse.PipeNode{NodeType: parse.NodePipe, Cmds: []*parse.CommandNode{command}}
}

func actionOf(pipe *parse.PipeNode) *parse.ActionNode {
	return &parse.ActionNode{NodeType: parse.NodeAction, Pipe: pipe}
}

// printed writes a list as a text again: as it is when it has no expression.
func printed(list *parse.ListNode) string {
	joinTexts(list)
	if text, ok := plainText(list); ok && !strings.Contains(text, "{{") {
		return text
	}
	quoteBraces(list)
	return expression.PartKeys(list.String())
}

// plainText returns the text of a list without expressions.
func plainText(list *parse.ListNode) (string, bool) {
	var text strings.Builder
	for _, n := range list.Nodes {
		typed, ok := n.(*parse.TextNode)
		if !ok {
			return "", false
		}
		text.Write(typed.Text)
	}
	return text.String(), true
}

// joinTexts makes neighbouring texts one.
func joinTexts(list *parse.ListNode) {
	var out []parse.Node
	for _, n := range list.Nodes {
		text, ok := n.(*parse.TextNode)
		if ok && len(out) > 0 {
			if last, ok := out[len(out)-1].(*parse.TextNode); ok {
				last.Text = slices.Concat(last.Text, text.Text)
				continue
			}
		}
		out = append(out, n)
	}
	list.Nodes = out
}

// quoteBraces writes a text that would open an expression, alone or with what follows it, as an expression.
func quoteBraces(list *parse.ListNode) {
	if list == nil {
		return
	}
	joinTexts(list)
	for i, n := range list.Nodes {
		switch typed := n.(type) {
		case *parse.TextNode:
			if bytes.Contains(typed.Text, []byte("{{")) || bytes.HasSuffix(typed.Text, []byte("{")) {
				list.Nodes[i] = actionOf(pipeOf(textLiteral(string(typed.Text))))
			}
		case *parse.IfNode:
			quoteBraces(typed.List)
			quoteBraces(typed.ElseList)
		case *parse.WithNode:
			quoteBraces(typed.List)
			quoteBraces(typed.ElseList)
		case *parse.RangeNode:
			quoteBraces(typed.List)
			quoteBraces(typed.ElseList)
		}
	}
}

// quoted is an expression of a constant text.
func quoted(text string) string { return "{{ " + strconv.Quote(text) + " }}" }
