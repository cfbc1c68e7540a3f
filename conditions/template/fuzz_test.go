package template_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/orkestra-runtime/orkestra/conditions/template"
)

func FuzzCompile(f *testing.F) {
	for _, seed := range []string{
		"", "plain", "{{ .spec.a }}", "{{ $.a }}-{{ .b | default 1 }}", "{{ range $i, $x := .list }}{{ $x.a }}{{ else }}y{{ end }}",
		"{{ with .spec }}{{ .a }}{{ end }}", `{{ (index .list 0).a | printf "%05d" }}`, "{{/* c */}}", "{{- \"}}\" -}}", "{{ if and .a (not .b) }}{{ end }}",
		"{{ define \"x\" }}", "{{ $x := 1 }}{{ $x = 2 }}", "{{", "}}", "{{ 'a' }}", "{{ `a` }}", "{{ 1i }}", "{{ slice .spec.s 1 2 }}", "{{ break }}",
	} {
		f.Add(seed)
	}
	facts := template.NewFacts(map[string]any{
		"list": []any{map[string]any{"a": int64(1)}, nil, "x", []any{}},
		"spec": map[string]any{"a": 1.5, "s": "text", "nil": nil},
		"a":    true,
	}, nil)
	f.Fuzz(func(t *testing.T, text string) {
		program, err := template.Compile(text)
		if err != nil {
			syntax, ok := errors.AsType[*template.SyntaxError](err)
			if !ok {
				t.Fatalf("Compile(%q): %T is not a *SyntaxError", text, err)
			}
			if lines := 1 + strings.Count(text, "\n"); syntax.Line < 1 || syntax.Line > lines || syntax.Column < 1 {
				t.Fatalf("Compile(%q): %v is not in the text", text, err)
			}
			if strings.Contains(syntax.Problem, "template: ") || strings.Contains(syntax.Problem, "_lookup") {
				t.Fatalf("Compile(%q): %v speaks of Go's engine", text, err)
			}
			return
		}
		first, err := program.Text(facts)
		if err != nil && strings.Contains(err.Error(), "internal error") {
			t.Fatalf("Text(%q): %v", text, err)
		}
		if second, again := program.Text(facts); second != first || (err == nil) != (again == nil) {
			t.Fatalf("Text(%q): %q, %v and then %q, %v", text, first, err, second, again)
		}
		value, err := program.Value(facts)
		if err != nil {
			return
		}
		switch value.(type) {
		case nil, bool, int64, float64, string, []any, map[string]any:
		default:
			t.Fatalf("Value(%q): %T is none of JSON's types", text, value)
		}
	})
}
