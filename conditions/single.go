package conditions

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// Test is one compiled condition that stands alone, for those who need to know what was compared. It is immutable and safe
// for concurrent use.
type Test struct {
	condition  condition
	references [][]string
	unique     bool
}

// CompileOne compiles a condition outside of a gate, and reports everything wrong with it by path below at. The Test is nil
// with errors.
func CompileOne(l *template.Language, c *orkv1.Condition, at *field.Path) (*Test, field.ErrorList) {
	b := &builder{language: l}
	compiled := b.condition(c, at)
	if len(b.errors) > 0 {
		return nil, b.errors
	}
	return &Test{condition: compiled, references: b.references, unique: len(b.unique) > 0}, nil
}

// Check compares, and gives the value that was compared. With an error there was nothing to compare, and holds says nothing.
func (t *Test) Check(f template.Facts) (holds bool, actual any, err error) {
	result := t.condition.evaluate(f)
	return result.holds, result.actual, result.err
}

// Want is what the condition asks for, for people: the operator with its value, no longer than a line can hold.
func (t *Test) Want(f template.Facts) string {
	want := t.condition.statement.want(f)
	if t.condition.negate {
		want = "not " + want
	}
	return shorten(want)
}

// References lists the paths that the condition reads, as Program.References does.
func (t *Test) References() [][]string { return t.references }

// Unique tells whether the Test asks for a value that no other resource has: then Facts need a UniqueCheck.
func (t *Test) Unique() bool { return t != nil && t.unique }
