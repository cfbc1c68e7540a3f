package simulate_test

import (
	"strings"
	"testing"

	"github.com/orkestra-runtime/orkestra/runtime/simulate"
)

// A target that nobody declares is hardly meant: the simulation says which there are, and goes on as the operator would.
func TestUnknownTarget(t *testing.T) {
	documents, err := simulate.Load("../../examples/targets")
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct{ reason, target, says string }{
		"Unknown":    {"it is a misspelt one", "previwe", "CRD cache has no target previwe (it has preview, standard): its own box holds"},
		"WithoutBox": {"one without a box is declared all the same", "standard", ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := simulated(t.Context(), simulate.Scene{Target: tc.target}, documents)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(got, tc.says) || strings.Contains(got, "has no target") != (tc.says != "") {
				t.Errorf("%s: want %q in\n%s", tc.reason, tc.says, got)
			}
			if !strings.Contains(got, "created Service default/sessions\n") {
				t.Errorf("%s: the CRD's own box does not hold:\n%s", tc.reason, got)
			}
		})
	}
}
