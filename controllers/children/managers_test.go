package children_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

func TestLastManager(t *testing.T) {
	type entry struct{ manager, moment, subresource string }
	const early, late = "2026-03-01T12:00:00Z", "2026-03-01T13:00:00Z"
	cases := map[string]struct {
		reason  string
		entries []entry
		want    string
	}{
		"Nobody":   {reason: "what we made is nobody else's", entries: []entry{{manager: orkv1.FieldManager, moment: early}}},
		"Other":    {reason: "also when we wrote after it", entries: []entry{{manager: "kubectl-edit", moment: early}, {manager: orkv1.FieldManager, moment: late}}, want: "kubectl-edit"},
		"Last":     {reason: "the last of several", entries: []entry{{manager: "b", moment: late}, {manager: "a", moment: early}}, want: "b"},
		"Status":   {reason: "who writes a status changes nothing that is declared", entries: []entry{{manager: "kubelet", moment: late, subresource: "status"}, {manager: "a", moment: early}}, want: "a"},
		"Nameless": {reason: "an entry without a manager says nothing", entries: []entry{{moment: late}}},
		"None":     {reason: "nor does an object without entries"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			child := owned("a", "one")
			var fields []any
			for _, e := range tc.entries {
				field := map[string]any{"operation": "Update", "time": e.moment}
				if e.manager != "" {
					field["manager"] = e.manager
				}
				if e.subresource != "" {
					field["subresource"] = e.subresource
				}
				fields = append(fields, field)
			}
			if err := unstructured.SetNestedSlice(child.Object, fields, "metadata", "managedFields"); err != nil {
				t.Fatal(err)
			}
			s := newStore(child)
			if err := s.Hold(t.Context(), "test", configMaps); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { s.Release("test") })
			kind, _ := s.Kind(configMaps)
			if got := kind.LastManager("shop", "a"); got != tc.want {
				t.Errorf("\n%s\nLastManager(...) = %q, want %q", tc.reason, got, tc.want)
			}
			if kind.Child("shop", "a").GetManagedFields() != nil {
				t.Error("managed fields are kept in memory")
			}
		})
	}
}
