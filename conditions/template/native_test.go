package template_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// TestNative gives programs what unstructured objects never hold and Go code might.
func TestNative(t *testing.T) {
	type named string
	cases := map[string]struct {
		reason     string
		value      any
		want       any
		wantedText string
	}{
		"Int32":   {"other integers become int64", int32(3), int64(3), "3"},
		"Float32": {"other floats become float64", float32(1.5), 1.5, "1.5"},
		"Named":   {"a named text becomes a string", named("x"), "x", "x"},
		"Texts":   {"lists of texts become lists", []string{"a"}, []any{"a"}, `["a"]`},
		"Map":     {"maps of texts become maps", map[string]string{"a": "b"}, map[string]any{"a": "b"}, `{"a":"b"}`},
		"Numbers": {"maps by numbers become text", map[int]string{1: "b"}, `{"1":"b"}`, `{"1":"b"}`},
		"Struct":  {"structs become text", struct{ A int }{1}, `{"A":1}`, `{"A":1}`},
		"Nil":     {"nil pointers become nil", (*int)(nil), nil, ""},
		"Pointer": {"pointers become the text of what they point to", new(1), "1", "1"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			own := template.NewFacts(map[string]any{"x": tc.value}, nil)
			for _, text := range []string{"{{ .x }}", "{{ coalesce .x }}"} {
				if text == "{{ coalesce .x }}" && tc.want == nil {
					continue // coalesce leaves out what is empty
				}
				program := compile(t, text)
				got, err := program.Value(own)
				if diff := cmp.Diff(tc.want, got); diff != "" || err != nil {
					t.Errorf("\n%s\nValue(%q): %v, -want, +got:\n%s", tc.reason, text, err, diff)
				}
				printed, err := program.Text(own)
				if diff := cmp.Diff(tc.wantedText, printed); diff != "" || err != nil {
					t.Errorf("\n%s\nText(%q): %v, -want, +got:\n%s", tc.reason, text, err, diff)
				}
			}
		})
	}
}

func TestTextIsBounded(t *testing.T) {
	half := template.NewFacts(map[string]any{"x": strings.Repeat("a", 600<<10)}, nil)
	for name, tc := range map[string]struct {
		text string
		ok   bool
	}{
		"OnePath":  {"{{ .x }}", true},
		"TwoPaths": {"{{ .x }}{{ .x }}", false},
		"Function": {"{{ print .x }}{{ .x }}", false},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := compile(t, tc.text).Text(half)
			if (err == nil) != tc.ok {
				t.Errorf("Text(%q): %v", tc.text, err)
			}
		})
	}
}

func TestPathString(t *testing.T) {
	path, err := template.ParsePath(".spec.replicas")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("spec.replicas", path.String()); diff != "" {
		t.Errorf("String(): -want, +got:\n%s", diff)
	}
	got, found := path.Lookup(facts())
	if diff := cmp.Diff(any(int64(3)), got); diff != "" || !found {
		t.Errorf("Lookup(): found %t, -want, +got:\n%s", found, diff)
	}
}

func TestOfReferences(t *testing.T) {
	compiled, errs := template.CompileOf(nil, shapes{Named: map[string]shape{"a": {Text: "{{ .spec.a }}"}}}, field.NewPath("value"))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	if diff := cmp.Diff([][]string{{"spec", "a"}}, compiled.References()); diff != "" {
		t.Errorf("References(): -want, +got:\n%s", diff)
	}
}
