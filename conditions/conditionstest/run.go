package conditionstest

import (
	"testing"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// Run evaluates every case in every position of a gate, and negated. A place that has gates says with evaluate whether the gate
// passes there.
func Run(t *testing.T, evaluate func(t *testing.T, gate orkv1.Conditions, f template.Facts) bool) {
	t.Helper()
	pass := orkv1.Condition{Field: "metadata.name"}
	fail := orkv1.Condition{Field: "metadata.name", NotExists: new(true)}
	for _, c := range Cases() {
		t.Run(c.Name, func(t *testing.T) {
			for _, negate := range []bool{false, true} {
				condition, want := c.Condition, c.Holds != negate
				condition.Negate = negate
				for position, gate := range map[string]orkv1.Conditions{
					"when":      {When: []orkv1.Condition{condition}},
					"last when": {When: []orkv1.Condition{pass, condition}},
					"or":        {Or: []orkv1.Condition{condition}},
					"last or":   {Or: []orkv1.Condition{fail, condition}},
					"both":      {When: []orkv1.Condition{condition}, Or: []orkv1.Condition{condition}},
				} {
					if got := evaluate(t, gate, Facts()); got != want {
						t.Errorf("\n%s\n%s, negate %t: %+v passes: got %t, want %t", c.Reason, position, negate, c.Condition, got, want)
					}
				}
			}
		})
	}
}
