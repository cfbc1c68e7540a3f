package cel

import (
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

// references lists the paths from roots, each once, in the order of the text.
func references(node ast.NavigableExpr, roots map[string]root) [][]string {
	r := &referenceReader{roots: roots}
	r.read(node, nil)
	return r.found
}

type referenceReader struct {
	roots map[string]root
	found [][]string
}

// read goes through an expression in which the locals are names of loops, not roots.
func (r *referenceReader) read(node ast.NavigableExpr, locals []string) {
	path := r.path(node, locals)
	if len(path.keys) > 0 {
		if !slices.ContainsFunc(r.found, func(known []string) bool { return slices.Equal(known, path.keys) }) {
			r.found = append(r.found, path.keys)
		}
		for _, index := range path.indexes {
			r.read(index, locals)
		}
		return
	}
	children := node.Children()
	if node.Kind() != ast.ComprehensionKind {
		for _, child := range children {
			r.read(child, locals)
		}
		return
	}
	// The range and the first value of the accumulator lie outside of the loop.
	loop := node.AsComprehension()
	inner := append(slices.Clone(locals), loop.IterVar(), loop.IterVar2(), loop.AccuVar())
	for i, child := range children {
		if i < 2 {
			r.read(child, locals)
		} else {
			r.read(child, inner)
		}
	}
}

// referencePath is how far the keys of an expression are known. indexes are parts of it that are expressions themselves.
type referencePath struct {
	keys    []string
	indexes []ast.NavigableExpr
	ended   bool
}

func (r *referenceReader) path(node ast.NavigableExpr, locals []string) referencePath {
	switch node.Kind() {
	case ast.IdentKind:
		name := node.AsIdent()
		if slices.Contains(locals, name) {
			return referencePath{}
		}
		name = strings.TrimPrefix(name, ".")
		if _, ok := r.roots[name]; ok {
			return referencePath{keys: []string{name}}
		}
	case ast.SelectKind:
		operand := node.Children()[0]
		key := node.AsSelect().FieldName()
		if operand.Type().Kind() == types.StructKind {
			if unescaped, ok := apiservercel.Unescape(key); ok {
				key = unescaped
			}
		}
		return r.path(operand, locals).with(key)
	case ast.CallKind:
		call := node.AsCall()
		switch call.FunctionName() {
		case operators.Index, operators.OptIndex, operators.OptSelect:
			children := node.Children()
			p := r.path(children[0], locals)
			if len(p.keys) == 0 {
				return p
			}
			if key, ok := call.Args()[1].AsLiteral().(types.String); ok {
				return p.with(string(key))
			}
			p.ended = true
			p.indexes = append(p.indexes, children[1])
			return p
		}
	default: // a value that is computed
	}
	return referencePath{}
}

func (p referencePath) with(key string) referencePath {
	if len(p.keys) > 0 && !p.ended {
		p.keys = append(slices.Clip(p.keys), key)
	}
	return p
}
