package template

import (
	"fmt"
	"maps"
	"reflect"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// valueNode is a part of a Go value with a template somewhere in it. render replaces that part of a copy: it is given an
// addressable value that still shares what is below it with the original, and copies what it changes.
type valueNode interface {
	render(f Facts, copied reflect.Value) error
}

// text renders the leaf for a field that holds text.
func (l *leaf) text(f Facts) (string, error) {
	text, err := l.program.Text(f)
	if err != nil {
		return "", fmt.Errorf("%s: %w", l.at, err)
	}
	return text, nil
}

type textNode struct{ leaf *leaf }

func (n *textNode) render(f Facts, copied reflect.Value) error {
	text, err := n.leaf.text(f)
	copied.SetString(text)
	return err
}

type jsonNode struct{ tree treeNode }

func (n *jsonNode) render(f Facts, copied reflect.Value) error {
	value, err := n.tree.render(f)
	copied.Addr().Interface().(*orkv1.JSON).Value = value
	return err
}

// indexed is a field of a struct or an element of a slice.
type indexed struct {
	index int
	node  valueNode
}

type structNode struct{ fields []indexed }

func (n *structNode) render(f Facts, copied reflect.Value) error {
	for _, field := range n.fields {
		if err := field.node.render(f, copied.Field(field.index)); err != nil {
			return err
		}
	}
	return nil
}

type pointerNode struct{ target valueNode }

func (n *pointerNode) render(f Facts, copied reflect.Value) error {
	target := reflect.New(copied.Type().Elem())
	target.Elem().Set(copied.Elem())
	copied.Set(target)
	return n.target.render(f, target.Elem())
}

type interfaceNode struct{ held valueNode }

func (n *interfaceNode) render(f Facts, copied reflect.Value) error {
	held := reflect.New(copied.Elem().Type()).Elem()
	held.Set(copied.Elem())
	if err := n.held.render(f, held); err != nil {
		return err
	}
	copied.Set(held)
	return nil
}

type sliceNode struct{ elements []indexed }

func (n *sliceNode) render(f Facts, copied reflect.Value) error {
	list := reflect.MakeSlice(copied.Type(), copied.Len(), copied.Len())
	reflect.Copy(list, copied)
	copied.Set(list)
	for _, element := range n.elements {
		if err := element.node.render(f, list.Index(element.index)); err != nil {
			return err
		}
	}
	return nil
}

// entry is one entry of a map.
type entry struct {
	key  reflect.Value
	node valueNode
}

type mapNode struct{ entries []entry }

func (n *mapNode) render(f Facts, copied reflect.Value) error {
	m := reflect.MakeMapWithSize(copied.Type(), copied.Len())
	for iterator := copied.MapRange(); iterator.Next(); {
		m.SetMapIndex(iterator.Key(), iterator.Value())
	}
	for _, entry := range n.entries {
		value := reflect.New(copied.Type().Elem()).Elem()
		value.Set(copied.MapIndex(entry.key))
		if err := entry.node.render(f, value); err != nil {
			return err
		}
		m.SetMapIndex(entry.key, value)
	}
	copied.Set(m)
	return nil
}

// textMapNode is a map of texts, which labels, data and environments are: it needs no reflection.
type textMapNode struct {
	keys   []string
	leaves []*leaf
}

func newTextMapNode(entries []entry) *textMapNode {
	n := &textMapNode{}
	for _, entry := range entries {
		n.keys = append(n.keys, entry.key.String())
		n.leaves = append(n.leaves, entry.node.(*textNode).leaf)
	}
	return n
}

func (n *textMapNode) render(f Facts, copied reflect.Value) error {
	target := copied.Addr().Convert(reflect.TypeFor[*map[string]orkv1.Template]()).Interface().(*map[string]orkv1.Template)
	m := maps.Clone(*target)
	for i, key := range n.keys {
		text, err := n.leaves[i].text(f)
		if err != nil {
			return err
		}
		m[key] = orkv1.Template(text)
	}
	*target = m
	return nil
}
