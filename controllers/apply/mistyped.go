package apply

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/kubernetes/scheme"
)

// mistyped lists the fields of an object of a built-in kind whose values are of another type than the kind has, with what to do about
// each. The server names at most the list or map that such a value is in.
func mistyped(object *unstructured.Unstructured) []string {
	typed, err := scheme.Scheme.New(object.GroupVersionKind())
	if err != nil { // the server tells what is wrong with an object of another kind
		return nil
	}
	var found []string
	compareTypes(object.Object, reflect.TypeOf(typed), nil, &found)
	return found
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

func compareTypes(value any, t reflect.Type, at *field.Path, found *[]string) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if value == nil || reflect.PointerTo(t).Implements(unmarshaler) {
		return // it reads what it takes by itself, as quantities do
	}
	wrong := func(want, remedy string) {
		*found = append(*found, fmt.Sprintf("%s: %v is %s, not %s: %s", at, value, nameOf(value), want, remedy))
	}
	switch t.Kind() {
	case reflect.String:
		if _, ok := value.(string); !ok {
			wrong("a text", "use toString in the template, or quotes")
		}
	case reflect.Bool:
		if _, ok := value.(bool); !ok {
			wrong("true or false", "use toBool in the template, or no quotes")
		}
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Float32, reflect.Float64:
		if _, ok := value.(string); ok {
			wrong("a number", "use toInt in the template, or no quotes")
		}
	case reflect.Map:
		if members, ok := value.(map[string]any); ok {
			for _, key := range slices.Sorted(maps.Keys(members)) {
				compareTypes(members[key], t.Elem(), child(at, key), found)
			}
		}
	case reflect.Slice:
		if elements, ok := value.([]any); ok {
			for i, element := range elements {
				compareTypes(element, t.Elem(), at.Index(i), found)
			}
		}
	case reflect.Struct:
		if members, ok := value.(map[string]any); ok {
			compareFields(members, t, at, found)
		}
	default:
	}
}

func compareFields(members map[string]any, t reflect.Type, at *field.Path, found *[]string) {
	for one := range t.Fields() {
		name, _, _ := strings.Cut(one.Tag.Get("json"), ",")
		switch value, given := members[name]; {
		case name == "" && one.Anonymous:
			compareTypes(members, one.Type, at, found)
		case given:
			compareTypes(value, one.Type, child(at, name), found)
		}
	}
}

func child(at *field.Path, name string) *field.Path {
	if at == nil {
		return field.NewPath(name)
	}
	return at.Child(name)
}

// nameOf is the type of a value as people say it.
func nameOf(value any) string {
	switch value.(type) {
	case string:
		return "a text"
	case bool:
		return "true or false"
	case map[string]any:
		return "a map"
	case []any:
		return "a list"
	default:
		return "a number"
	}
}
