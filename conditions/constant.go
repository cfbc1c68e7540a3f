package conditions

import (
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// Constant tells whether a condition on constants holds, which reads no resource.
func Constant(condition orkv1.Condition) (bool, error) {
	program, errs := Compile(nil, orkv1.Conditions{When: []orkv1.Condition{condition}}, nil)
	if len(errs) > 0 {
		return false, errs.ToAggregate()
	}
	return program.Evaluate(template.NewFacts(nil, nil)).Pass, nil
}
