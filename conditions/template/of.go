package template

import (
	"reflect"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Of is a compiled Go value: every orkv1.Template and every orkv1.JSON in it, at any depth of structs, pointers, slices
// and maps, is a program. It is immutable and safe for concurrent use.
type Of[T any] struct {
	value      T
	root       valueNode // nil: nothing in it is rendered
	references [][]string
	random     []string
}

// CompileOf compiles a value and reports every text that does not compile, by its path below at, in the names of JSON.
// orkv1.Conditions are left as they are: package conditions compiles them. The result keeps the value: nobody may write
// to what it points to any more.
func CompileOf[T any](l *Language, value T, at *field.Path) (*Of[T], field.ErrorList) {
	c := &compilation{language: l}
	root := c.value(reflect.ValueOf(&value).Elem(), at)
	if len(c.errors) > 0 {
		return nil, c.errors
	}
	return &Of[T]{value: value, root: root, references: c.references, random: c.random}, nil
}

// Render returns a new value with its texts rendered, white space included. Parts without a template are shared with the
// compiled value, so nobody may write to them. An error begins with the path of the text.
func (o *Of[T]) Render(f Facts) (T, error) {
	rendered := o.value
	if o.root == nil {
		return rendered, nil
	}
	if err := o.root.render(f, reflect.ValueOf(&rendered).Elem()); err != nil {
		var none T
		return none, err
	}
	return rendered, nil
}

// Declared returns the value as it was compiled. Nobody may write to what it points to.
func (o *Of[T]) Declared() T { return o.value }

// References lists the paths that the texts read, as Program.References does.
func (o *Of[T]) References() [][]string { return o.references }

// Random lists the paths of the texts that give another value each time.
func (o *Of[T]) Random() []string { return o.random }
