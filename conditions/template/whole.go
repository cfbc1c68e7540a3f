package template

import (
	"fmt"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/notes"
)

// wholeNode is a list or map of texts that one expression gives.
type wholeNode struct {
	leaf *leaf
	// want is a type of package notes, and named what people call it.
	want, named string
}

// whole compiles a list or map that one expression gives; ok is false for any other value.
func (c *compilation) whole(v reflect.Value, at *field.Path) (node valueNode, ok bool) {
	var expression, want, named string
	switch value := v.Interface().(type) {
	case orkv1.Templates:
		expression, ok = value.Whole()
		want, named = notes.TypeList, "list"
	case orkv1.TemplateMap:
		expression, ok = value.Whole()
		want, named = notes.TypeMap, "map"
	}
	if !ok {
		return nil, false
	}
	leaf := c.leaf(expression, at)
	if leaf == nil {
		return nil, true
	}
	if path := leaf.program.Path(); path != nil && c.language.Roots() != nil {
		if kind := c.language.Roots().Shape(path).Type; kind != "" && kind != want {
			wrong := problem(expression, max(0, strings.Index(expression, "."+path.String())), ".%s is a %s: want a %s here", path, kind, named)
			c.errors = append(c.errors, c.language.invalid(at, expression, wrong.Error()))
		}
	}
	return &wholeNode{leaf: leaf, want: want, named: named}, true
}

func (n *wholeNode) render(f Facts, copied reflect.Value) error {
	value, err := n.leaf.render(f)
	if err != nil {
		return err
	}
	kind := notes.TypeOf(value)
	switch {
	case kind == notes.TypeNull || value == "":
		copied.SetZero()
	case kind != n.want:
		return fmt.Errorf("%s: want a %s, got %.60q", n.leaf.at, n.named, Text(value))
	case kind == notes.TypeList:
		list := make(orkv1.Templates, 0, reflect.ValueOf(value).Len())
		for _, element := range value.([]any) {
			list = append(list, orkv1.Template(Text(element)))
		}
		copied.Set(reflect.ValueOf(list))
	default:
		members := orkv1.TemplateMap{}
		for key, element := range value.(map[string]any) {
			members[key] = orkv1.Template(Text(element))
		}
		copied.Set(reflect.ValueOf(members))
	}
	return nil
}
