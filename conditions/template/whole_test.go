package template_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// A list or map of texts may be what one expression gives.
func TestWhole(t *testing.T) {
	type value struct {
		List orkv1.Templates   `json:"list"`
		Map  orkv1.TemplateMap `json:"map"`
	}
	facts := template.NewFacts(map[string]any{"spec": map[string]any{
		"list": []any{"a", int64(1), true}, "map": map[string]any{"x": int64(2), "y": "z"}, "text": "word", "empty": []any{},
	}}, nil)
	cases := map[string]struct {
		reason string
		value  value
		want   value
		err    string
	}{
		"Both": {
			reason: "elements become texts",
			value:  value{orkv1.WholeTemplates("{{ .spec.list }}"), orkv1.WholeTemplateMap("{{ .spec.map }}")},
			want:   value{orkv1.Templates{"a", "1", "true"}, orkv1.TemplateMap{"x": "2", "y": "z"}},
		},
		"Missing":  {reason: "nothing is no element", value: value{orkv1.WholeTemplates("{{ .spec.absent }}"), orkv1.WholeTemplateMap("{{ .spec.absent }}")}},
		"Function": {reason: "a function may give the list", value: value{List: orkv1.WholeTemplates(`{{ split "a,b" "," }}`)}, want: value{List: orkv1.Templates{"a", "b"}}},
		"Elements": {reason: "a list of elements is one as before", value: value{List: orkv1.Templates{"{{ .spec.text }}"}}, want: value{List: orkv1.Templates{"word"}}},
		"NoList":   {reason: "a text is no list", value: value{List: orkv1.WholeTemplates("{{ .spec.text }}")}, err: `list: want a list, got "word"`},
		"NoMap":    {reason: "a list is no map", value: value{Map: orkv1.WholeTemplateMap("{{ .spec.list }}")}, err: `map: want a map, got`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			compiled, errs := template.CompileOf(nil, tc.value, nil)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			got, err := compiled.Render(facts)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Fatalf("\n%s\nRender(): %v, want %q", tc.reason, err, tc.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nRender(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
