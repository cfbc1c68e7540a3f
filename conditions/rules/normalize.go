package rules

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// Normalize are compiled expressions that give fields of spec their values. A nil Normalize changes nothing.
type Normalize struct {
	fields     []normalized
	references [][]string
}

type normalized struct {
	key     string
	path    template.Path
	program *template.Program
}

// CompileNormalize compiles the expressions and reports everything wrong with them, by path below at. The Normalize is nil
// without any and with errors.
func CompileNormalize(l *template.Language, n *orkv1.Normalize, at *field.Path) (*Normalize, field.ErrorList) {
	if n == nil || len(n.Spec) == 0 {
		return nil, nil
	}
	c := &compiler{language: l.Steady("the field would have another value in each cycle")}
	at = at.Child("spec")
	compiled := &Normalize{}
	first := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(n.Spec)) {
		path, err := ParsePath(key)
		if err != nil {
			c.wrong(field.Invalid(at.Key(key), key, err.Error()))
			continue
		}
		path = append(template.Path{"spec"}, path...)
		if other, taken := first[WritePath(path)]; taken {
			c.wrong(field.Invalid(at.Key(key), key, fmt.Sprintf("is the same field as %s: keep one", other)))
		}
		first[WritePath(path)] = key
		program := c.template(c.language, string(n.Spec[key]), at.Key(key))
		compiled.fields = append(compiled.fields, normalized{key: key, path: path, program: program})
	}
	if len(c.errors) > 0 {
		return nil, c.errors
	}
	// A map comes before the fields in it.
	slices.SortFunc(compiled.fields, func(a, b normalized) int { return slices.Compare(a.path, b.path) })
	compiled.references = c.references
	return compiled, nil
}

// Apply gives the fields their values in a copy of the object; f are the Facts of the object as it is, which all expressions
// see. A text loses the white space around it; an expression that stands alone gives a value of its own type. One that gives
// nothing for a field that is not there leaves it so. It returns the changed object, which is the same map when nothing
// changed, and the changes. The first error ends it, with the object unchanged.
func (n *Normalize) Apply(f template.Facts, object map[string]any) (map[string]any, []Change, error) {
	if n == nil {
		return object, nil, nil
	}
	d := &draft{object: object}
	for i := range n.fields {
		if err := n.fields[i].apply(f, d); err != nil {
			return object, nil, fmt.Errorf("normalize %s: %w", n.fields[i].key, err)
		}
	}
	return d.object, d.changes, nil
}

// References lists the paths that the expressions read, as far as they are known without an object. The caller must not
// change them.
func (n *Normalize) References() [][]string {
	if n == nil {
		return nil
	}
	return n.references
}

func (n *normalized) apply(f template.Facts, d *draft) error {
	result, err := n.program.Value(f)
	if err != nil {
		return err
	}
	switch text, isText := result.(string); {
	case isText:
		result = strings.TrimSpace(text)
	case result == nil:
		result = ""
	}
	if before, _ := lookup(d.object, n.path); unset(before) && unset(result) {
		return nil
	}
	_, err = d.set(n.key, n.path, result)
	return err
}
