package conversion

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// Loss is a field that is not the same after the way to another version and back.
type Loss struct {
	// Field is its path, such as spec.ports[0].name.
	Field string
	// Was is its value before. Is is the one after, nil for none.
	Was, Is any
}

// String says what became of the field.
func (l Loss) String() string {
	if l.Is == nil {
		return l.Field + " is lost"
	}
	return fmt.Sprintf("%s was %s and becomes %s", l.Field, written(l.Was), written(l.Is))
}

func written(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}

// RoundTrip converts an object to a version and back, and returns what of its spec and status that does not keep. Fields that its own version
// does not have are nothing to keep, and what comes in addition is no loss.
func (p *Program) RoundTrip(object *unstructured.Unstructured, to string) ([]Loss, error) {
	gv, err := schema.ParseGroupVersion(object.GetAPIVersion())
	if err != nil {
		return nil, fmt.Errorf("apiVersion %q: %w", object.GetAPIVersion(), err)
	}
	there, err := p.Convert(object, to)
	if err != nil {
		return nil, err
	}
	back, err := p.Convert(there, gv.Version)
	if err != nil {
		return nil, fmt.Errorf("on the way back: %w", err)
	}
	c := comparison{known: roots.New(p.schemas[gv.Version])}
	for _, part := range []string{"spec", "status"} {
		c.compare(template.Path{part}, part, object.Object[part], back.Object[part])
	}
	return c.losses, nil
}

// comparison collects what is lost.
type comparison struct {
	known  *roots.Known
	losses []Loss
}

// compare compares what a field was with what it is. The path is that of the schema, the name that of the field.
func (c *comparison) compare(path template.Path, name string, was, is any) {
	if nothing(was) || !c.known.Keeps(path) {
		return
	}
	switch was := was.(type) {
	case map[string]any:
		if is, same := is.(map[string]any); same {
			for _, key := range slices.Sorted(maps.Keys(was)) {
				c.compare(slices.Concat(path, template.Path{key}), name+"."+key, was[key], is[key])
			}
			return
		}
	case []any:
		if is, same := is.([]any); same && len(is) == len(was) {
			for i := range was {
				c.compare(slices.Concat(path, template.Path{template.Element}), fmt.Sprintf("%s[%d]", name, i), was[i], is[i])
			}
			return
		}
	default:
		if equal(was, is) {
			return
		}
	}
	c.losses = append(c.losses, Loss{Field: name, Was: was, Is: is})
}

// nothing tells whether a value is as good as none.
func nothing(value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case string:
		return value == ""
	case map[string]any:
		return len(value) == 0
	case []any:
		return len(value) == 0
	}
	return false
}

// equal compares scalars. A number is the same whole or not.
func equal(was, is any) bool {
	a, number := float(was)
	b, other := float(is)
	if number && other {
		return cmp.Compare(a, b) == 0
	}
	return reflect.DeepEqual(was, is)
}

func float(value any) (float64, bool) {
	switch value := value.(type) {
	case int64:
		return float64(value), true
	case float64:
		return value, true
	}
	return 0, false
}
