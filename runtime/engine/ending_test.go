package engine

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

func TestEndOrder(t *testing.T) {
	cases := map[string]struct {
		reason string
		on     map[string][]string
		want   [][]string
	}{
		"None":     {reason: "nothing ends"},
		"Apart":    {reason: "what has nothing to do with each other ends together", on: map[string][]string{"a": nil, "b": nil}, want: [][]string{{"a", "b"}}},
		"Chain":    {reason: "what is needed ends last", on: map[string][]string{"a": {"b"}, "b": {"c"}, "c": nil}, want: [][]string{{"a"}, {"b"}, {"c"}}},
		"Diamond":  {reason: "once nobody needs it", on: map[string][]string{"a": {"b", "c"}, "b": {"d"}, "c": {"b"}, "d": nil}, want: [][]string{{"a"}, {"c"}, {"b"}, {"d"}}},
		"Circle":   {reason: "which no Katalog may declare, and which must not keep the process", on: map[string][]string{"a": {"b"}, "b": {"a"}}, want: [][]string{{"a", "b"}}},
		"Stranger": {reason: "what is not there ends nothing", on: map[string][]string{"a": {"z"}}, want: [][]string{{"a"}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := &Engine{entries: map[string]*entry{}}
			for name, others := range tc.on {
				depends := map[string]orkv1.Dependency{}
				for _, other := range others {
					depends[other] = orkv1.Dependency{Condition: orkv1.DependencyStarted}
				}
				e.entries[name] = &entry{set: compiled(t, name, orkv1.Block{}, depends)}
			}
			var got [][]string
			for _, tier := range endOrder(e.all()) {
				var names []string
				for _, one := range tier {
					names = append(names, one.set.Name)
				}
				got = append(got, names)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nendOrder(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
