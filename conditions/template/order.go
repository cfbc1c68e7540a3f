package template

import (
	"fmt"
	"slices"
	"strings"
	"text/template/parse"

	"github.com/orkestra-runtime/orkestra/conditions/notes"
)

// A pipeline hands its value over as the last one. These functions take what they work on first, so that behind a pipe they take one
// for the other and fail with nothing: {{ .spec.hosts | join "," }} is ",".
var (
	// takeTexts are those whose other values are texts.
	takeTexts = []string{"trim", "trimPrefix", "trimSuffix", "hasPrefix", "hasSuffix", "contains", "replace", "split", "join"}
	// takeAny are those whose other values may be anything.
	takeAny = []string{"listHas", "getOr", "getStringOr", "getIntOr", "getBoolOr", "boolDefault", "timeFormat"}
)

// versionFunction reads metadata.resourceVersion of its value.
const versionFunction = "resourceVersion"

// calls reports the calls of a pipeline whose values are certainly, or probably, in the wrong order, or what must not be read. It is asked
// before the commands are rewritten.
func (r *rewriter) calls(pipe *parse.PipeNode, dot scope) {
	for i, command := range pipe.Cmds {
		name, called := command.Args[0].(*parse.IdentifierNode)
		if !called || name.Ident != versionFunction && !slices.Contains(takeTexts, name.Ident) && !slices.Contains(takeAny, name.Ident) {
			continue
		}
		values := slices.Clone(command.Args[1:])
		if i > 0 {
			values = append(values, &parse.PipeNode{NodeType: parse.NodePipe, Pos: pipe.Pos, Cmds: pipe.Cmds[:i]})
		}
		f, known := r.language.function(name.Ident)
		if !known || f.note != nil || len(values) != f.least {
			continue
		}
		if name.Ident == versionFunction {
			if read := r.pathOf(values[0], dot); read.known {
				r.feed(append(slices.Clip(read.path), metadataKey, versionFunction), "", func(int) int { return int(name.Position()) })
			}
			continue
		}
		r.orderOf(call{name: name, values: values, piped: i > 0, arguments: f.arguments}, dot)
	}
}

// kinds are the types that no text is, as people and notes.Function name them.
var kinds = map[string]string{notes.TypeList: "list", notes.TypeMap: "map"}

// call is a call of a function, with the value that a pipeline hands over as the last one.
type call struct {
	name      *parse.IdentifierNode
	values    []parse.Node
	piped     bool
	arguments []string // what the function calls its values
}

func (r *rewriter) orderOf(c call, dot scope) {
	last := c.values[len(c.values)-1]
	if slices.Contains(takeTexts, c.name.Ident) {
		for i, value := range c.values[1:] {
			if kind := r.typeOf(value, dot); kinds[kind] != "" {
				r.problems = append(r.problems, problem(r.text, int(c.name.Position()), "%s: %s is a %s, where the %s belongs%s",
					c.name.Ident, written(value), kinds[kind], c.arguments[i+1], c.remedy()))
				return
			}
		}
	}
	switch {
	case !r.isConstant(c.values[0]), !r.varies(last, dot), c.meant():
	default:
		r.warnings = append(r.warnings, problem(r.text, int(c.name.Position()), "%s works on %s here, and takes %s for the %s%s",
			c.name.Ident, written(c.values[0]), written(last), c.arguments[len(c.arguments)-1], c.remedy()))
	}
}

// varies tells whether a value is another one for another resource.
func (r *rewriter) varies(value parse.Node, dot scope) bool {
	if pipe, ok := value.(*parse.PipeNode); ok && len(pipe.Cmds) > 0 {
		return !r.isConstant(value)
	}
	read := r.pathOf(value, dot)
	return read.known && len(read.path) > 0
}

// typeOf is the type of a value where the schema or a function tells it.
func (r *rewriter) typeOf(value parse.Node, dot scope) string {
	if read := r.pathOf(value, dot); read.known && len(read.path) > 0 {
		if r.language == nil || r.language.roots == nil {
			return ""
		}
		return r.language.roots.Shape(read.path).Type
	}
	pipe, ok := value.(*parse.PipeNode)
	if !ok || len(pipe.Cmds) == 0 {
		return ""
	}
	name, called := pipe.Cmds[len(pipe.Cmds)-1].Args[0].(*parse.IdentifierNode)
	if !called {
		return ""
	}
	f, _ := r.language.function(name.Ident)
	for kind, name := range kinds {
		if name == f.result {
			return kind
		}
	}
	return ""
}

// meant tells of a call on a constant whether it says something all the same: a text in which something is replaced, or in which words
// are listed.
func (c call) meant() bool {
	subject, ok := c.values[0].(*parse.StringNode)
	if !ok {
		return false
	}
	switch c.name.Ident {
	case "replace":
		old, ok := c.values[1].(*parse.StringNode)
		return ok && strings.Contains(subject.Text, old.Text)
	case "contains":
		return !c.piped && strings.ContainsAny(subject.Text, ",;| /")
	default:
		return false
	}
}

// remedy is the call with its last value first.
func (c call) remedy() string {
	last := len(c.values) - 1
	texts := append(make([]string, 0, last+2), c.name.Ident, written(c.values[last]))
	for _, value := range c.values[:last] {
		texts = append(texts, written(value))
	}
	why := ""
	if c.piped {
		why = ", as a pipe hands its value over last"
	}
	return fmt.Sprintf("%s: write %s", why, strings.Join(texts, " "))
}

// written is a value as an argument.
func written(value parse.Node) string {
	pipe, ok := value.(*parse.PipeNode)
	switch {
	case !ok:
		return value.String()
	case len(pipe.Cmds) == 1 && len(pipe.Cmds[0].Args) == 1:
		return written(pipe.Cmds[0].Args[0])
	default:
		return "(" + pipe.String() + ")"
	}
}
