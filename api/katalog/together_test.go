package katalog

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCycles(t *testing.T) {
	cases := map[string]struct {
		reason string
		graph  map[string][]string
		want   [][]string
	}{
		"None":    {"a diamond is no cycle", map[string][]string{"a": {"b", "c"}, "b": {"d"}, "c": {"d"}}, nil},
		"Rotated": {"a cycle starts with its first name", map[string][]string{"z": {"c"}, "c": {"b"}, "b": {"c"}}, [][]string{{"b", "c", "b"}}},
		"Two":     {"every cycle is told", map[string][]string{"a": {"b"}, "b": {"a"}, "c": {"d"}, "d": {"c"}}, [][]string{{"a", "b", "a"}, {"c", "d", "c"}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, cycles(tc.graph)); diff != "" {
				t.Errorf("\n%s\ncycles(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
