package template_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/orkestra-runtime/orkestra/conditions/template"
)

func TestTree(t *testing.T) {
	cases := map[string]struct {
		reason      string
		value, want any
	}{
		"Native":  {"one expression keeps its type", map[string]any{"replicas": "{{ .spec.replicas }}"}, map[string]any{"replicas": int64(3)}},
		"Deep":    {"texts at any depth are rendered", []any{map[string]any{"a": []any{"{{ .metadata.name }}-x"}}}, []any{map[string]any{"a": []any{"shop-x"}}}},
		"Others":  {"other values stay", map[string]any{"i": int64(1), "b": true, "n": nil, "s": "x"}, map[string]any{"i": int64(1), "b": true, "n": nil, "s": "x"}},
		"Keys":    {"keys are not rendered", map[string]any{"{{ .a }}": "x"}, map[string]any{"{{ .a }}": "x"}},
		"Missing": {"a missing value is null", []any{"{{ .a.b }}"}, []any{nil}},
		"Scalar":  {"a text alone is a tree", "{{ .spec.enabled }}", true},
		"Nil":     {"so is nothing", nil, nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tree, errs := template.CompileTree(nil, tc.value, field.NewPath("spec"))
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			for range 2 { // the second rendering finds the tree as the first did
				got, err := tree.Render(facts())
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("\n%s\nRender(): -want, +got:\n%s", tc.reason, diff)
				}
			}
		})
	}
}

func TestTreeSharesWhatIsStatic(t *testing.T) {
	static := map[string]any{"a": "b"}
	tree, _ := template.CompileTree(nil, map[string]any{"static": static, "name": "{{ .metadata.name }}"}, field.NewPath("spec"))
	got, err := tree.Render(facts())
	if err != nil {
		t.Fatal(err)
	}
	shared := got.(map[string]any)["static"]
	if reflect.ValueOf(shared).Pointer() != reflect.ValueOf(static).Pointer() {
		t.Error("a part without a template is shared, not copied")
	}
	if diff := cmp.Diff([][]string{{"metadata", "name"}}, tree.References()); diff != "" {
		t.Errorf("References(): -want, +got:\n%s", diff)
	}
}

func TestTreeErrors(t *testing.T) {
	_, errs := template.CompileTree(nil, map[string]any{
		"labels": map[string]any{"b": "{{ .x", "a": "{{ nosuch }}"},
		"list":   []any{"fine", "{{ end }}"},
	}, field.NewPath("metadata"))
	var paths []string
	for _, err := range errs {
		paths = append(paths, err.Field)
	}
	if diff := cmp.Diff([]string{"metadata.labels.a", "metadata.labels.b", "metadata.list[1]"}, paths); diff != "" {
		t.Errorf("every text that does not compile is reported: -want, +got:\n%s", diff)
	}
	tree, errs := template.CompileTree(nil, map[string]any{"list": []any{"x", "{{ toInt .metadata.name }}"}}, field.NewPath("spec"))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	_, err := tree.Render(facts())
	want := `spec.list[1]: {{ toInt .metadata.name }}: toInt: "shop" is not a number`
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("an error names the leaf: got %v, want %s", err, want)
	}
}
