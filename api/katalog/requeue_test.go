package katalog

import (
	"fmt"
	"testing"
)

// One delay may stand without its list, as some pages have it.
func TestDefect70Requeue(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, requeue string
		want            int
	}{
		"Object": {"one delay", "{after: 60s}", 1},
		"List":   {"several", "[{after: 15s, when: [{field: status.phase, exists: true}]}, {after: 60s}]", 2},
	} {
		t.Run(name, func(t *testing.T) {
			result, err := Parse(Options{}, "katalog.yaml", fmt.Appendf(nil, `apiVersion: orkestra.orkspace.io/v1
kind: Katalog
metadata: {name: a}
spec: {crds: {website: {apiTypes: {group: a.example.com, version: v1, kind: Website}, operatorBox: {reconciler: {requeue: %s}}}}}
`, tc.requeue))
			if err != nil {
				t.Fatal(err)
			}
			got := result.Documents[0].Katalog.Spec.CRDs["website"].OperatorBox.Reconciler.Requeue
			if len(got) != tc.want || got[tc.want-1].After != "60s" {
				t.Errorf("\n%s\nrequeue is %v, want %d delays, the last of 60s", tc.reason, got, tc.want)
			}
			if len(result.Warnings) > 0 {
				t.Errorf("\n%s\nwarnings: %v", tc.reason, result.Warnings)
			}
		})
	}
}
