package template_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// lacking has every key but bad.
type lacking struct{}

func (lacking) Check(path template.Path) *template.Misread {
	if key := slices.Index(path, "bad"); key >= 0 {
		return &template.Misread{Problem: "is bad", Key: key}
	}
	return nil
}

func (lacking) Shape(template.Path) template.Shape { return template.Shape{} }

func TestMisreadKey(t *testing.T) {
	cases := map[string]struct{ reason, text string }{
		"Last":     {"the key that there is not", "{{ .spec.bad }}"},
		"Root":     {"which may be the root", "{{ .bad.spec }}"},
		"Middle":   {"or one on the way", "{{ .spec.a.bad.c.d }}"},
		"Argument": {"of a value of a function", "{{ toLower .spec.a }} {{ default .spec.b .spec.c.bad }}"},
		"Dollar":   {"of the root that $ stands for", "{{ $.spec.bad.a }}"},
		"Chain":    {"behind parentheses", "{{ (.spec).a.bad }}"},
		"Range":    {"of what range goes over", "{{ range .spec.bad }}x{{ end }}"},
		"Element":  {"of an element", "{{ range .spec.a }}{{ .b.bad }}{{ end }}"},
		"With":     {"of what with names", "{{ with .spec }}{{ .bad }}{{ end }}"},
		"Hyphen":   {"behind keys with hyphens", "{{ .spec.my-a.my-b.bad }}"},
		"Lines":    {"on another line", "a\nb {{ if\n .spec.bad }}c{{ end }}"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			before, _, _ := strings.Cut(tc.text, "bad")
			line, column := 1+strings.Count(before, "\n"), len(before)-strings.LastIndex(before, "\n")
			want := fmt.Sprintf("x: Invalid value: %q: %d:%d: is bad", tc.text, line, column)
			_, errs := template.NewLanguage(nil, lacking{}).Compile(tc.text, field.NewPath("x"))
			if len(errs) != 1 || errs[0].Error() != want {
				t.Errorf("%s: got %v, want %s", tc.reason, errs, want)
			}
		})
	}
	_, errs := template.NewLanguage(nil, lacking{}).Compile("{{ with .spec.bad }}{{ .a }}{{ end }}", field.NewPath("x"))
	if len(errs) != 2 || !strings.Contains(errs[1].Error(), ": 1:25: is bad") {
		t.Errorf("a key that is written elsewhere gives the first that is written here: got %v", errs)
	}
}

func TestMisreadKeyOfAPath(t *testing.T) {
	for _, text := range []string{"spec.bad", ".spec.bad.a", " bad\n", "spec.a.b.bad.c "} {
		path, err := template.ParsePath(text)
		if err != nil {
			t.Fatal(err)
		}
		errs := template.NewLanguage(nil, lacking{}).Check(text, path, field.NewPath("x"))
		want := fmt.Sprintf("x: Invalid value: %q: 1:%d: is bad", text, 1+strings.Index(text, "bad"))
		if len(errs) != 1 || errs[0].Error() != want {
			t.Errorf("Check(%q): got %v, want %s", text, errs, want)
		}
	}
}
