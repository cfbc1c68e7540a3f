package reconciler

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

func TestKeepProtection(t *testing.T) {
	type labels = map[string]string
	const protect, exempt, older = orkv1.LabelDeletionProtection, orkv1.LabelStrictExempt, orkv1.OlderDomain + "deletion-protection"
	var (
		protected = &box.Protection{Resources: true}
		strict    = &box.Protection{Resources: true, Strict: true}
		exempted  = &box.Protection{Resources: true, Strict: true, Exempt: true}
		released  = &box.Protection{Strict: true}
		open      = &box.Protection{}
	)
	cases := map[string]struct {
		reason     string
		protection *box.Protection
		has        labels
		want       labels // after all steps
		steps      int
	}{
		"Nothing":        {"people put the labels", nil, labels{protect: "true", exempt: "true"}, labels{protect: "true", exempt: "true"}, 0},
		"Protect":        {"a new resource", protected, labels{"a": "b"}, labels{"a": "b", protect: "true"}, 1},
		"Kept":           {"nothing is written twice", protected, labels{protect: "true"}, labels{protect: "true"}, 0},
		"Drift":          {"somebody wrote something else", strict, labels{protect: "false"}, labels{protect: "true"}, 1},
		"DriftExempt":    {"somebody exempted it", strict, labels{protect: "true", exempt: "true"}, labels{protect: "true"}, 1},
		"Exempt":         {"protected, and anybody may take that away", exempted, labels{}, labels{protect: "true", exempt: "true"}, 1},
		"ExemptKept":     {"nothing is written twice", exempted, labels{protect: "true", exempt: "true"}, labels{protect: "true", exempt: "true"}, 0},
		"Release":        {"without strict mode in one step", open, labels{protect: "true", "a": "b"}, labels{"a": "b"}, 1},
		"ReleaseOlder":   {"in its older spelling as well", open, labels{older: "true"}, labels{}, 1},
		"ReleaseStrict":  {"with strict mode in two", released, labels{protect: "true"}, labels{}, 2},
		"ReleaseExempt":  {"what was exempt already", released, labels{protect: "true", exempt: "true"}, labels{}, 2},
		"ReleaseFinish":  {"a process ended between the steps", released, labels{exempt: "true"}, labels{}, 1},
		"ReleaseNothing": {"it was never protected", released, labels{"a": "b"}, labels{"a": "b"}, 0},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			has := maps.Clone(tc.has)
			steps := 0
			for more := true; more; {
				change := map[string]any{}
				more = keepProtection(tc.protection, has, change)
				if len(change) == 0 {
					break
				}
				steps++
				_, leaves := change[protect]
				if tc.protection.Strict && leaves && change[protect] == nil && has[exempt] != "true" && change[exempt] != "true" {
					t.Errorf("\n%s\nstep %d takes the label from what is not exempt, which strict mode denies", tc.reason, steps)
				}
				for key, value := range change {
					if value == nil {
						delete(has, key)
					} else {
						has[key] = value.(string)
					}
				}
			}
			if diff := cmp.Diff(tc.want, has); diff != "" || steps != tc.steps {
				t.Errorf("\n%s\nkeepProtection(...) in %d steps, want %d: -want, +got:\n%s", tc.reason, steps, tc.steps, diff)
			}
		})
	}
}
