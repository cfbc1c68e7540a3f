package conditions_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions"
	"github.com/orkestra-runtime/orkestra/conditions/conditionstest"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

func text(s string) *orkv1.Template { return new(orkv1.Template(s)) }

func compile(t *testing.T, c orkv1.Conditions) *conditions.Program {
	t.Helper()
	program, errs := conditions.Compile(nil, c, field.NewPath("gate"))
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	return program
}

func TestOperators(t *testing.T) {
	conditionstest.Run(t, func(t *testing.T, gate orkv1.Conditions, f template.Facts) bool {
		t.Helper()
		verdict := compile(t, gate).Evaluate(f)
		if verdict.Pass != (verdict.Reason == "") {
			t.Errorf("a reason belongs to a failure: got %+v", verdict)
		}
		return verdict.Pass
	})
}

// Every operator that an author can write has a case.
func TestEveryOperatorHasACase(t *testing.T) {
	tested := map[string]bool{}
	for _, c := range conditionstest.Cases() {
		tested[c.Name] = true
	}
	_, errs := conditions.Compile(nil, orkv1.Conditions{When: []orkv1.Condition{{Field: "spec.a", Operator: "none"}}}, field.NewPath("gate"))
	_, list, _ := strings.Cut(errs.ToAggregate().Error(), "(valid: ")
	names := strings.Split(strings.TrimSuffix(list, ")"), ", ")
	if len(names) < 20 {
		t.Fatalf("no list of operators in: %v", errs)
	}
	for _, name := range names {
		if !tested[name] {
			t.Errorf("no case for the operator %s", name)
		}
	}
}
