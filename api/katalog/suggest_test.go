package katalog

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNearest(t *testing.T) {
	names := []string{"image", "imagePullSecrets", "env", "envFrom", "replicas"}
	cases := map[string]struct {
		reason, name, want string
	}{
		"Swapped":  {"two neighbours may be swapped", "imgae", "image"},
		"Missing":  {"a letter may be missing", "replica", "replicas"},
		"Case":     {"case alone is never another name", "ENVFROM", "envFrom"},
		"Short":    {"a short name allows one mistake", "evn", "env"},
		"TooFar":   {"something else is no misspelling", "color", ""},
		"ShortFar": {"two mistakes in a short name are something else", "ex", ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := nearest(tc.name, names); got != tc.want {
				t.Errorf("%s\nnearest(%s): want %q, got %q", tc.reason, tc.name, tc.want, got)
			}
		})
	}
}

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
