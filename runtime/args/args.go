package args

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Args are arguments by their names. The zero value has none. They can't be changed, and may be read concurrently.
type Args struct {
	values map[string]any
	render Render
}

// Render renders the texts of arguments for a resource.
type Render func(resource *unstructured.Unstructured) (map[string]any, error)

// New returns arguments of values that are of JSON's types and that nobody writes to any more.
func New(values map[string]any) Args { return Args{values: values} }

// Unrendered returns arguments whose texts are still templates, and what renders them.
func Unrendered(values map[string]any, render Render) Args {
	return Args{values: values, render: render}
}

// For returns the arguments for one resource: their templates rendered. A hook's are rendered already and stay as they are; a
// constructor, which is called once for all resources, uses it in its Reconcile.
func (a Args) For(resource client.Object) (Args, error) {
	if a.render == nil {
		return a, nil
	}
	object, ok := resource.(*unstructured.Unstructured)
	if !ok {
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(resource)
		if err != nil {
			return Args{}, fmt.Errorf("read %T: %w", resource, err)
		}
		object = &unstructured.Unstructured{Object: content}
	}
	values, err := a.render(object)
	if err != nil {
		return Args{}, err
	}
	return New(values), nil
}

// Has tells whether there is an argument of the name.
func (a Args) Has(name string) bool {
	_, ok := a.values[name]
	return ok
}

// Names are those of all arguments, sorted.
func (a Args) Names() []string { return slices.Sorted(maps.Keys(a.values)) }

// String is an argument as text: a number or bool in its usual spelling, and "" for one that is absent, a list or a map.
func (a Args) String(name string) string {
	switch value := a.values[name].(type) {
	case string:
		return value
	case bool:
		return strconv.FormatBool(value)
	case int64:
		return strconv.FormatInt(value, 10)
	case float64:
		return strconv.FormatFloat(value, 'f', -1, 64)
	default:
		return ""
	}
}

// Int is an argument as a whole number, also one that is written as text. It is 0 for one that is absent or no whole number.
func (a Args) Int(name string) int {
	switch value := a.values[name].(type) {
	case int64:
		return int(value)
	case float64:
		if value == math.Trunc(value) {
			return int(value)
		}
	case string:
		if number, err := strconv.Atoi(value); err == nil {
			return number
		}
	}
	return 0
}

// Bool is an argument as a truth, also one that is written as text. It is false for one that is absent or neither.
func (a Args) Bool(name string) bool {
	switch value := a.values[name].(type) {
	case bool:
		return value
	case string:
		is, err := strconv.ParseBool(value)
		return err == nil && is
	default:
		return false
	}
}

// Sub are the arguments of a map. They are none for one that is absent or no map.
func (a Args) Sub(name string) Args {
	values, _ := a.values[name].(map[string]any)
	return New(values)
}
