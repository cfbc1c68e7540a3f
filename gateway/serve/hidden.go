package serve

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/orkestra-runtime/orkestra/api/dotpath"
	"github.com/orkestra-runtime/orkestra/conditions/rules"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// hidden are the paths of a resource whose values nobody is to see.
func (c *CRD) hidden() [][]string {
	var all [][]string
	for _, f := range c.Fields {
		if !f.Declared.Sensitive {
			continue
		}
		switch f.Place {
		case InLabel:
			all = append(all, append([]string{"metadata", "labels"}, f.path...))
		case InAnnotation:
			all = append(all, append([]string{"metadata", "annotations"}, f.path...))
		case InSpec:
			if len(f.values) == 0 {
				all = append(all, append([]string{"spec"}, f.path...))
			}
			for _, one := range f.values {
				all = append(all, append([]string{"spec"}, one.path...))
			}
		case Nowhere:
		}
	}
	return all
}

// shortest is how long a text must be to be looked for in what the API server says: shorter ones stand everywhere.
const shortest = 4

// censor takes what nobody is to see out of what the API server says of a resource.
type censor struct {
	paths [][]string
	texts []string
}

func (c *CRD) censor(object *unstructured.Unstructured) censor {
	to := censor{paths: c.hidden()}
	for _, path := range to.paths {
		value, found, err := unstructured.NestedFieldNoCopy(object.Object, path...)
		if text := template.Text(value); found && err == nil && len(text) >= shortest {
			to.texts = append(to.texts, text)
		}
	}
	return to
}

// field is what is said of a field: nothing but that, where it is hidden, holds what is, or is within it.
func (to censor) field(name, said string) string {
	path, err := dotpath.Parse(strings.TrimPrefix(name, "."))
	if slices.ContainsFunc(to.paths, func(hidden []string) bool { return err != nil || within(hidden, path) || within(path, hidden) }) {
		return errSensitive.Error()
	}
	return to.text(said)
}

// text is a text without hidden ones.
func (to censor) text(said string) string {
	for _, text := range to.texts {
		said = strings.ReplaceAll(said, text, rules.Redacted)
	}
	return said
}

// within tells whether a path is another one or leads below it. A position in a list is as what it is in.
func within(above, path []string) bool {
	if len(path) < len(above) {
		return false
	}
	for i, key := range above {
		name, _, _ := strings.Cut(path[i], "[")
		if name != key {
			return false
		}
	}
	return true
}
