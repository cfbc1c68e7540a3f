package rules

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/notes"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// kind is the type that a mutation gives its value.
type kind string

const (
	asItIs   kind = "" // the value's own type
	asString kind = "string"
	asInt    kind = "int"
	asFloat  kind = "float"
	asBool   kind = "bool"
)

func parseKind(valueType string) (kind, error) {
	switch valueType {
	case "":
		return asItIs, nil
	case "string":
		return asString, nil
	case "int", "integer":
		return asInt, nil
	case "float", "number":
		return asFloat, nil
	case "bool", "boolean":
		return asBool, nil
	}
	return "", errors.New("unknown type (valid: string, int, float, bool)")
}

var errNothing = errors.New("there is no value")

// convert gives a value the type. A missing value is the empty text, and no number or boolean.
func (k kind) convert(value any) (any, error) {
	if k == asItIs {
		if value == nil {
			return "", nil
		}
		return value, nil
	}
	switch notes.TypeOf(value) {
	case notes.TypeMap, notes.TypeList:
		return nil, fmt.Errorf("a %s is not of type %s", notes.TypeOf(value), k)
	}
	text := template.Text(value)
	if k == asString {
		return text, nil
	}
	if strings.TrimSpace(text) == "" || text == notes.NoValue {
		return nil, errNothing
	}
	if k == asBool {
		truth, ok := notes.BoolOf(value)
		if !ok {
			return nil, fmt.Errorf("%q is not a boolean: use true or false", cut(text, maxValue))
		}
		return truth, nil
	}
	number, ok := notes.NumberOf(value)
	switch {
	case !ok:
		return nil, fmt.Errorf("%q is not a number", cut(text, maxValue))
	case k == asInt && !number.Whole():
		return nil, fmt.Errorf("%q is not a whole number", cut(text, maxValue))
	}
	return number.Value(), nil
}

// value is what a mutation sets: a template, a tree with templates in it, or a value that is known from the start.
type value struct {
	kind    kind
	program *template.Program
	tree    *template.Tree
	fixed   any
}

func (v *value) read(f template.Facts) (any, error) {
	var (
		rendered any
		err      error
	)
	switch {
	case v.program != nil:
		if rendered, err = v.program.Value(f); err != nil {
			return nil, err
		}
		if text, ok := rendered.(string); ok {
			rendered = strings.TrimSpace(text)
		}
	case v.tree != nil:
		if rendered, err = v.tree.Render(f); err != nil {
			return nil, err
		}
	default:
		return v.fixed, nil
	}
	return v.kind.convert(rendered)
}

// value compiles a value of a kind for a target that is known to be of a shape.
func (c *compiler) value(l *template.Language, declared *orkv1.JSON, k kind, to target, at *field.Path) value {
	compiled := value{kind: k}
	switch v := declared.Value.(type) {
	case nil:
		c.wrong(field.Required(at, "a value, or a template that gives one"))
		return compiled
	case string:
		if isTemplate(v) {
			compiled.program = c.template(l, v, at)
			return compiled
		}
	case map[string]any, []any:
		if k != asItIs {
			break
		}
		tree, errs := template.CompileTree(l, v, at)
		c.errors = append(c.errors, errs...)
		if compiled.tree = tree; tree != nil {
			c.references = append(c.references, tree.References()...)
		}
		if problem := to.contradiction(v); problem != "" {
			c.wrong(field.Invalid(at, v, problem))
		}
		return compiled
	}
	fixed, err := k.convert(declared.Value)
	if err != nil {
		c.wrong(field.Invalid(at, declared.Value, err.Error()))
		return compiled
	}
	if problem := to.contradiction(fixed); problem != "" {
		c.wrong(field.Invalid(at, declared.Value, problem))
	}
	compiled.fixed = fixed
	return compiled
}

// contradiction tells why a target can't have a value, "" when it can.
func (t target) contradiction(value any) string {
	is := notes.TypeOf(value)
	switch {
	case t.shape.Type != "" && t.shape.Type != is:
		return fmt.Sprintf("%s is a %s, not a %s", WritePath(t.path), t.shape.Type, is)
	case t.shape.Enum != nil && !slices.Contains(t.shape.Enum, template.Text(value)):
		return fmt.Sprintf("%s is one of %s", WritePath(t.path), strings.Join(t.shape.Enum, ", "))
	}
	return ""
}

// kind is the type that the schema tells of the field, if that is one of a single value.
func (t target) kind() kind {
	switch {
	case t.shape.Type == notes.TypeString:
		return asString
	case t.shape.Type == notes.TypeNumber && t.shape.Whole:
		return asInt
	case t.shape.Type == notes.TypeNumber:
		return asFloat
	case t.shape.Type == notes.TypeBool:
		return asBool
	}
	return asItIs
}

// kind is the type that the rule says; of one that says none, the type of the field where the schema tells it, and else the
// type that the value has.
func (c *compiler) kind(valueType string, to target, at *field.Path) kind {
	k, err := parseKind(valueType)
	if err != nil {
		c.wrong(field.Invalid(at, valueType, err.Error()))
		return asItIs
	}
	if to.label && k != asItIs && k != asString {
		c.wrong(field.Invalid(at, valueType, "labels and annotations are texts: leave it out"))
		return asString
	}
	if to.label {
		return asString
	}
	of := to.kind()
	switch {
	case k == asItIs:
		return of
	case to.shape.Type == "", k == of, k == asInt && of == asFloat:
		return k
	case k == asFloat && of == asInt:
		return of
	case of != asItIs:
		c.wrong(field.Invalid(at, valueType, fmt.Sprintf("%s is a %s: use %s, or leave it out", WritePath(to.path), to.shape.Type, of)))
	default:
		c.wrong(field.Invalid(at, valueType, fmt.Sprintf("%s is a %s: leave it out", WritePath(to.path), to.shape.Type)))
	}
	return of
}
