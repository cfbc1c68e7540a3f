package template

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Tree is a compiled JSON value: every string in it, at any depth, is a program; keys of maps are not. It is immutable and
// safe for concurrent use.
type Tree struct {
	value      any
	root       treeNode // nil: nothing in it is rendered
	references [][]string
}

// CompileTree compiles a value of JSON's types and reports every text that does not compile, by its path below at. The
// tree keeps the value: nobody may write to it any more.
func CompileTree(l *Language, value any, at *field.Path) (*Tree, field.ErrorList) {
	c := &compilation{language: l}
	root := c.tree(value, at)
	if len(c.errors) > 0 {
		return nil, c.errors
	}
	return &Tree{value: value, root: root, references: c.references}, nil
}

// Render returns the value with its texts rendered; a text that is one single expression takes the expression's type.
// Parts without a template are shared with the compiled value, so nobody may write to them. An error begins with the
// path of the text.
func (t *Tree) Render(f Facts) (any, error) {
	if t.root == nil {
		return t.value, nil
	}
	return t.root.render(f)
}

// References lists the paths that the texts read, as Program.References does.
func (t *Tree) References() [][]string { return t.references }

// treeNode is a part of a value with a template somewhere in it.
type treeNode interface {
	render(Facts) (any, error)
}

// tree returns nil for a part without a template.
func (c *compilation) tree(value any, at *field.Path) treeNode {
	switch v := value.(type) {
	case string:
		if leaf := c.leaf(v, at); leaf != nil {
			return leaf
		}
	case []any:
		return c.list(v, at)
	case map[string]any:
		return c.object(v, at)
	}
	return nil
}

func (c *compilation) list(list []any, at *field.Path) treeNode {
	var dynamic []element
	for i, value := range list {
		if node := c.tree(value, at.Index(i)); node != nil {
			dynamic = append(dynamic, element{i, node})
		}
	}
	if len(dynamic) == 0 {
		return nil
	}
	return &listNode{list: list, dynamic: dynamic}
}

func (c *compilation) object(object map[string]any, at *field.Path) treeNode {
	var dynamic []member
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if node := c.tree(object[key], at.Child(key)); node != nil {
			dynamic = append(dynamic, member{key, node})
		}
	}
	if len(dynamic) == 0 {
		return nil
	}
	return &objectNode{object: object, dynamic: dynamic}
}

func (l *leaf) render(f Facts) (any, error) {
	value, err := l.program.Value(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.at, err)
	}
	return value, nil
}

// element is a rendered element of a list, member one of an object.
type (
	element struct {
		index int
		node  treeNode
	}
	member struct {
		key  string
		node treeNode
	}
)

type listNode struct {
	list    []any
	dynamic []element
}

func (n *listNode) render(f Facts) (any, error) {
	rendered := slices.Clone(n.list)
	for _, element := range n.dynamic {
		value, err := element.node.render(f)
		if err != nil {
			return nil, err
		}
		rendered[element.index] = value
	}
	return rendered, nil
}

type objectNode struct {
	object  map[string]any
	dynamic []member
}

func (n *objectNode) render(f Facts) (any, error) {
	rendered := maps.Clone(n.object)
	for _, member := range n.dynamic {
		value, err := member.node.render(f)
		if err != nil {
			return nil, err
		}
		rendered[member.key] = value
	}
	return rendered, nil
}
