package katalog

import (
	"strconv"
	"strings"
	"text/template/parse"
)

// input is what a Motif declares of one of its inputs.
type input struct {
	name     string
	pos      Position
	required bool
	want     string // its type, or ""
	fallback *node  // its default, or nil
}

// binding is what an import gives for an input: a constant, or a template.
type binding struct {
	// constant is a scalar that is the same for every resource. Nil for a template.
	constant *node
	// text is how the constant is printed, or the template.
	text string
	// body is the template, parsed.
	body *parse.ListNode
	// only is the one expression that the template consists of. Nil for other templates.
	only *parse.PipeNode
}

// newConstant returns the binding of a scalar. A problem tells what is wrong with it.
func newConstant(n *node) (b *binding, problem string) {
	value, problem := n.native()
	if problem != "" {
		return nil, problem
	}
	out := *n
	switch typed := value.(type) {
	case bool:
		out.text = strconv.FormatBool(typed)
	case int64:
		out.tag, out.text = tagInt, strconv.FormatInt(typed, 10)
	case float64:
		out.tag, out.text = tagFloat, strconv.FormatFloat(typed, 'f', -1, 64)
	default:
		out.tag = tagString
	}
	return &binding{constant: &out, text: out.text}, ""
}

// newTemplate returns the binding of a text with expressions.
func newTemplate(text string) (*binding, error) {
	body, err := parseExpressions(text)
	if err != nil {
		return nil, err
	}
	return &binding{text: text, body: body, only: single(body)}, nil
}

// single returns the pipeline of a text that is one expression, with nothing but white space around it, or nil.
func single(body *parse.ListNode) *parse.PipeNode {
	var only *parse.PipeNode
	for _, n := range body.Nodes {
		switch typed := n.(type) {
		case *parse.TextNode:
			if strings.TrimSpace(string(typed.Text)) != "" {
				return nil
			}
		case *parse.ActionNode:
			if only != nil || len(typed.Pipe.Decl) > 0 {
				return nil
			}
			only = typed.Pipe
		default:
			return nil
		}
	}
	return only
}

// literal is the constant as an operand.
func (b *binding) literal() parse.Node {
	switch b.constant.tag {
	case tagBool:
		return &parse.BoolNode{NodeType: parse.NodeBool, True: b.text == "true"}
	case tagInt, tagFloat:
		return &parse.NumberNode{NodeType: parse.NodeNumber, Text: b.text}
	default:
		return textLiteral(b.text)
	}
}

func textLiteral(text string) parse.Node {
	return &parse.StringNode{NodeType: parse.NodeString, Quoted: strconv.Quote(text), Text: text}
}

// operand is what stands in an expression for the input, or for a field below it. A constant has no fields: they are "",
// as what a template lacks. moved tells that the dot is not the root. Nil means that the template is no expression.
func (b *binding) operand(below []string, moved bool) parse.Node {
	switch {
	case b.constant != nil && len(below) > 0:
		return textLiteral("")
	case b.constant != nil:
		return b.literal()
	case b.only != nil:
		return withFields(simplest(rooted(b.only.CopyPipe(), moved)), below)
	}
	parts := pipeOf(parse.NewIdentifier("print"))
	for _, n := range b.body.Nodes {
		switch typed := n.(type) {
		case *parse.TextNode:
			parts.Cmds[0].Args = append(parts.Cmds[0].Args, textLiteral(string(typed.Text)))
		case *parse.ActionNode:
			if len(typed.Pipe.Decl) > 0 {
				return nil
			}
			parts.Cmds[0].Args = append(parts.Cmds[0].Args, simplest(rooted(typed.Pipe.CopyPipe(), moved)))
		default:
			return nil
		}
	}
	if len(below) > 0 {
		return textLiteral("")
	}
	return parts
}

// nodes are what stands in a text for the input.
func (b *binding) nodes(moved bool) []parse.Node {
	switch {
	case b.constant != nil:
		return []parse.Node{&parse.TextNode{NodeType: parse.NodeText, Text: []byte(b.text)}}
	case b.only != nil:
		return []parse.Node{actionOf(rooted(b.only.CopyPipe(), moved))}
	}
	body := b.body.CopyList()
	(&rooting{moved: moved}).list(body)
	if !declares(body) {
		return body.Nodes
	}
	// A block keeps its variables from meeting those of the Motif.
	always := pipeOf(&parse.BoolNode{NodeType: parse.NodeBool, True: true})
	return []parse.Node{&parse.IfNode{BranchNode: parse.BranchNode{NodeType: parse.NodeIf, Pipe: always, List: body}}}
}

// path returns the dot path of a template that is nothing else.
func (b *binding) path() (path string, ok bool) {
	if b.only == nil {
		return "", false
	}
	switch typed := simplest(b.only).(type) {
	case *parse.FieldNode:
		return strings.Join(keysOf(typed.Ident), "."), true
	case *parse.VariableNode:
		if typed.Ident[0] == "$" && len(typed.Ident) > 1 {
			return strings.Join(keysOf(typed.Ident[1:]), "."), true
		}
	}
	return "", false
}

// declares tells whether a list declares a variable outside of its blocks.
func declares(list *parse.ListNode) bool {
	for _, n := range list.Nodes {
		if action, ok := n.(*parse.ActionNode); ok && len(action.Pipe.Decl) > 0 {
			return true
		}
	}
	return false
}

// convert makes a constant what an input wants, if that is possible.
func (in *input) convert(b *binding) bool {
	c := b.constant
	switch {
	case c == nil || in.want == "":
		return true
	case in.want == "string":
		c.tag = tagString
		return true
	case in.want == "bool":
		return c.retag(tagBool)
	default:
		return c.retag(tagInt)
	}
}

// retag reads a text as a number or boolean, if it is spelled as one.
func (n *node) retag(tag string) bool {
	if n.tag == tag {
		return true
	}
	if n.tag != tagString {
		return false
	}
	switch tag {
	case tagBool:
		if n.text != "true" && n.text != "false" {
			return false
		}
	case tagInt:
		if value, err := strconv.ParseInt(n.text, 10, 64); err != nil || strconv.FormatInt(value, 10) != n.text {
			return false
		}
	}
	n.tag, n.quoted = tag, false
	return true
}
