package template

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

var (
	templateType   = reflect.TypeFor[orkv1.Template]()
	jsonType       = reflect.TypeFor[orkv1.JSON]()
	conditionsType = reflect.TypeFor[orkv1.Conditions]()
	textMapType    = reflect.TypeFor[map[string]orkv1.Template]()
	textsType      = reflect.TypeFor[orkv1.Templates]()
	namedMapType   = reflect.TypeFor[orkv1.TemplateMap]()
)

// value returns nil for a part without a template.
func (c *compilation) value(v reflect.Value, at *field.Path) valueNode {
	switch v.Type() {
	case templateType:
		if leaf := c.leaf(v.String(), at); leaf != nil {
			return &textNode{leaf}
		}
		return nil
	case jsonType:
		if tree := c.tree(v.Interface().(orkv1.JSON).Value, at); tree != nil {
			return &jsonNode{tree}
		}
		return nil
	case conditionsType:
		return nil
	case textsType, namedMapType:
		if node, ok := c.whole(v, at); ok {
			return node
		}
	}
	switch v.Kind() {
	case reflect.Struct:
		return c.structure(v, at)
	case reflect.Pointer:
		return c.pointer(v, at)
	case reflect.Interface:
		return c.dynamic(v, at)
	case reflect.Slice:
		return c.slice(v, at)
	case reflect.Map:
		return c.mapping(v, at)
	default:
		return nil
	}
}

func (c *compilation) structure(v reflect.Value, at *field.Path) valueNode {
	var fields []indexed
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if !f.IsExported() {
			continue
		}
		var node valueNode
		if f.Tag.Get("json") == "-" && f.Type.Kind() == reflect.Map {
			node = c.members(v.Field(i), at.Child)
		} else {
			node = c.value(v.Field(i), fieldPath(at, f))
		}
		if node != nil {
			fields = append(fields, indexed{i, node})
		}
	}
	if len(fields) == 0 {
		return nil
	}
	return &structNode{fields}
}

// fieldPath is the path of a field by its name in JSON. One that is inlined has none of its own, and neither has one without a
// name in JSON, whose elements stand beside the other fields.
func fieldPath(at *field.Path, f reflect.StructField) *field.Path {
	name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	switch {
	case f.Anonymous, options == "inline", name == "-":
		return at
	case name != "":
		return at.Child(name)
	default:
		return at.Child(f.Name)
	}
}

func (c *compilation) pointer(v reflect.Value, at *field.Path) valueNode {
	if v.IsNil() {
		return nil
	}
	if node := c.value(v.Elem(), at); node != nil {
		return &pointerNode{node}
	}
	return nil
}

// dynamic compiles what an interface value holds, so that CompileOf takes an any.
func (c *compilation) dynamic(v reflect.Value, at *field.Path) valueNode {
	if v.IsNil() {
		return nil
	}
	if node := c.value(v.Elem(), at); node != nil {
		return &interfaceNode{node}
	}
	return nil
}

func (c *compilation) slice(v reflect.Value, at *field.Path) valueNode {
	var elements []indexed
	for i := range v.Len() {
		if node := c.value(v.Index(i), at.Index(i)); node != nil {
			elements = append(elements, indexed{i, node})
		}
	}
	if len(elements) == 0 {
		return nil
	}
	return &sliceNode{elements}
}

func (c *compilation) mapping(v reflect.Value, at *field.Path) valueNode {
	return c.members(v, func(key string, _ ...string) *field.Path { return at.Key(key) })
}

// members compiles the values of a map; where tells the path of a key.
func (c *compilation) members(v reflect.Value, where func(key string, more ...string) *field.Path) valueNode {
	if v.Type().Key().Kind() != reflect.String {
		return nil
	}
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(a.String(), b.String()) })
	var entries []entry
	for _, key := range keys {
		if node := c.value(v.MapIndex(key), where(key.String())); node != nil {
			entries = append(entries, entry{key, node})
		}
	}
	switch {
	case len(entries) == 0:
		return nil
	case v.Type() == textMapType, v.Type() == namedMapType:
		return newTextMapNode(entries)
	default:
		return &mapNode{entries}
	}
}
