package box

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// Index is a cache index over the objects of a watch.
type Index struct {
	Name  string
	path  string
	steps []indexStep
}

// Path is what the index was read from. Indexes of one path hold the same, whatever their names.
func (i *Index) Path() string { return i.path }

// indexStep leads into a map by a key or, if the key is empty, into a list by a position.
type indexStep struct {
	key      string
	position int
}

// ParseIndex reads the path of an index: keys after dots, [n] for an element of a list, and ['key'] for a key with dots in it, as in
// .metadata.labels['app.kubernetes.io/name']. The dot in front may be left out.
func ParseIndex(name, path string) (*Index, error) {
	index := &Index{Name: name}
	rest := strings.TrimSpace(path)
	if rest != "" && rest[0] != '.' && rest[0] != '[' {
		rest = "." + rest
	}
	index.path = rest
	for rest != "" {
		step, after, err := nextStep(rest)
		if err != nil {
			return nil, fmt.Errorf("%w; want a path such as .metadata.ownerReferences[0].name or .metadata.labels['app.kubernetes.io/name']", err)
		}
		index.steps, rest = append(index.steps, step), after
	}
	if len(index.steps) == 0 || index.steps[0].key == "" {
		return nil, fmt.Errorf("the path must begin with a key, such as .metadata.name")
	}
	return index, nil
}

// nextStep reads one step from a text that is not empty.
func nextStep(text string) (step indexStep, rest string, err error) {
	switch {
	case text[0] == '.':
		end := strings.IndexAny(text[1:], ".[]'\"") + 1
		if end == 0 {
			end = len(text)
		}
		if end == 1 {
			return step, "", fmt.Errorf("a key is missing at %q", text)
		}
		return indexStep{key: text[1:end]}, text[end:], nil
	case text[0] == '[' && len(text) > 1 && strings.ContainsRune(`'"`, rune(text[1])):
		end := strings.Index(text[2:], text[1:2]+"]")
		if end <= 0 {
			return step, "", fmt.Errorf("a quoted key is not closed at %q", text)
		}
		return indexStep{key: text[2 : 2+end]}, text[end+4:], nil
	case text[0] == '[':
		end := strings.IndexByte(text, ']')
		if end < 0 {
			return step, "", fmt.Errorf("a bracket is not closed at %q", text)
		}
		position, err := strconv.ParseUint(text[1:end], 10, 31)
		if err != nil {
			return step, "", fmt.Errorf("%q is neither a position nor a quoted key", text[1:end])
		}
		return indexStep{position: int(position)}, text[end+1:], nil
	default:
		return step, "", fmt.Errorf("a dot or a bracket is missing at %q", text)
	}
}

// Values are the texts under which an object is found: the value at the path or, of a list, each of its elements. Where there is none, or a
// map, the object is not in the index.
func (i *Index) Values(object *unstructured.Unstructured) []string {
	var value any = object.Object
	for _, step := range i.steps {
		switch at := value.(type) {
		case map[string]any:
			value = nil
			if step.key != "" {
				value = at[step.key]
			}
		case []any:
			value = nil
			if step.key == "" && step.position < len(at) {
				value = at[step.position]
			}
		default:
			return nil
		}
	}
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	var values []string
	for _, one := range list {
		switch one.(type) {
		case nil, map[string]any, []any:
		default:
			values = append(values, template.Text(one))
		}
	}
	return values
}
