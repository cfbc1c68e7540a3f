package conditions

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// uniqueAt holds for a value that no other resource has at the path. A missing or empty field is unique.
type uniqueAt struct{ path template.Path }

func (u *uniqueAt) holds(actual any, f template.Facts) (bool, error) {
	return !exists(actual) || f.Unique(u.path, actual), nil
}

func (u *uniqueAt) want(template.Facts) string { return "unique" }

func uniqueness() operator {
	return operator{build: func(value operandText, _ valueType) comparison { return compileUnique(value) }}
}

// ofResource are the roots that are parts of the resource: other resources have them as well.
var ofResource = []string{"metadata", "spec", "status"}

// compileUnique wants a path: a template can't be looked up in other resources. A path that is wrong was reported.
func compileUnique(value operandText) comparison {
	s := value.subject
	const compares = "unique compares a field of the resource with that of others: use a path "
	switch {
	case s.program != nil:
		value.errors = append(value.errors, field.Invalid(value.subjectAt, s.source, compares+"such as spec.host, not a template"))
	case s.path != nil && (len(s.path) == 1 || !slices.Contains(ofResource, s.path[0])):
		value.errors = append(value.errors, field.Invalid(value.subjectAt, s.source, compares+"within spec, metadata or status"))
	default:
		value.unique = append(value.unique, s.path)
	}
	return &uniqueAt{path: s.path}
}
