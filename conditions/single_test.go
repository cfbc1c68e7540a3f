package conditions_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions"
	"github.com/orkestra-runtime/orkestra/conditions/conditionstest"
)

func TestCheckOne(t *testing.T) {
	type result struct {
		Holds  bool
		Actual any
		Error  string
		Want   string
	}
	cases := map[string]struct {
		reason    string
		condition orkv1.Condition
		want      result
	}{
		"Holds":  {"the value keeps its type", orkv1.Condition{Field: "spec.replicas", Min: text("2")}, result{Holds: true, Actual: int64(3), Want: "gte 2"}},
		"Not":    {"a comparison that fails", orkv1.Condition{Field: "status.phase", Equals: text("Ready")}, result{Actual: "Running", Want: "Ready"}},
		"Absent": {"of nothing", orkv1.Condition{Field: "spec.absent"}, result{Want: "any value"}},
		"Negate": {"the other way round", orkv1.Condition{Field: "status.phase", Equals: text("Ready"), Negate: true}, result{Holds: true, Actual: "Running", Want: "not Ready"}},
		"Error":  {"nothing to compare with", orkv1.Condition{Field: "spec.replicas", Max: text("{{ .status.phase }}")}, result{Actual: int64(3), Error: `"Running" is not a number`, Want: "lte Running"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			test, errs := conditions.CompileOne(nil, &tc.condition, field.NewPath("rule"))
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			holds, actual, err := test.Check(conditionstest.Facts())
			got := result{Holds: holds, Actual: actual, Want: test.Want(conditionstest.Facts())}
			if err != nil {
				got.Error = err.Error()
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nCheck(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestCompileOneErrors(t *testing.T) {
	test, errs := conditions.CompileOne(nil, &orkv1.Condition{Field: "spec..a", Regex: text("(")}, field.NewPath("rule"))
	if test != nil || len(errs) != 2 || errs[0].Field != "rule.field" || errs[1].Field != "rule.regex" {
		t.Errorf("all that is wrong, by its path: got %v, %v", test, errs)
	}
}
