package roots_test

import (
	"strings"
	"testing"

	"github.com/orkestra-runtime/orkestra/conditions/roots"
)

func TestFeedback(t *testing.T) {
	cases := map[string]struct{ reason, path, want string }{
		"Metric":    {"one there is", "metrics.queueDepth", ""},
		"Health":    {"one there is", "health.state", ""},
		"All":       {"all of them", "metrics", ""},
		"Each":      {"each of them", "metrics.[]", ""},
		"Misspelt":  {"a slip", "metrics.queuDepth", ".metrics has no field queuDepth: did you mean queueDepth? (valid: autoscaleActive, errorCount, errorRate,"},
		"Unknown":   {"no version of the runtime has it", "metrics.flux", ".metrics has no field flux (valid: autoscaleActive,"},
		"UnknownOf": {"and so of the health", "health.mood", ".health has no field mood (valid: consecutiveFails,"},
		"Below":     {"a text has no fields", "health.state.deep", ".health.state is a string, which has no field deep"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			misread := roots.New(nil).Check(strings.Split(tc.path, "."))
			switch {
			case tc.want == "" && misread != nil:
				t.Errorf("\n%s\nCheck(%s) = %q, want nothing", tc.reason, tc.path, misread.Problem)
			case tc.want != "" && (misread == nil || misread.Warning || !strings.HasPrefix(misread.Problem, tc.want)):
				t.Errorf("\n%s\nCheck(%s) = %+v, want the error %q", tc.reason, tc.path, misread, tc.want)
			}
		})
	}
	for path, want := range map[string]string{"health.healthy": "bool", "health.state": "string", "metrics.workersBusyPercent": "number"} {
		if got := roots.New(nil).Shape(strings.Split(path, ".")).Type; got != want {
			t.Errorf("Shape(%s).Type = %q, want %q", path, got, want)
		}
	}
}
