package template_test

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// declare makes notes of pairs of a name and an expression.
func declare(pairs ...string) []template.Declared {
	var declared []template.Declared
	for i := 0; i < len(pairs); i += 2 {
		declared = append(declared, template.Declared{
			Name: pairs[i], Expression: pairs[i+1], At: field.NewPath("notes", "functions").Index(i / 2).Child("expression"),
		})
	}
	return declared
}

func TestNotes(t *testing.T) {
	cases := map[string]struct {
		reason     string
		notes      []string
		text, want string
	}{
		"Text":      {"a note is its text", []string{"full", "{{ .metadata.name }}-{{ .spec.image }}"}, "[{{ full }}]", "[shop-nginx]"},
		"Static":    {"one without an expression as well", []string{"tier", "gold"}, "{{ tier | toUpper }}", "GOLD"},
		"Trimmed":   {"white space around a block text is not meant", []string{"n", "\n  {{ .spec.replicas }}\n"}, "[{{ n }}]", "[3]"},
		"Number":    {"its text counts where a number is needed", []string{"n", "{{ .spec.replicas }}"}, `{{ toInt n | printf "%03d" }}`, "003"},
		"False":     {"the text false is false", []string{"n", "{{ eq .spec.image \"x\" }}"}, "{{ if n }}yes{{ else }}no{{ end }}", "no"},
		"And":       {"also for and", []string{"n", "false", "m", "true"}, "{{ and m n }}", "false"},
		"Later":     {"one that is declared below", []string{"a", "{{ b }}!", "b", "{{ .spec.image }}"}, "{{ a }}", "nginx!"},
		"Argument":  {"as a value of a function", []string{"n", "x"}, "{{ default n .spec.none }}", "x"},
		"Roots":     {"a note reads the roots, wherever it is called", []string{"n", "{{ .spec.image }}"}, "{{ range .spec.steps }}{{ n }};{{ end }}", "nginx;nginx;"},
		"Missing":   {"what is missing is empty", []string{"n", "{{ .spec.none }}"}, "[{{ n }}]", "[]"},
		"Overrides": {"a note goes before a function of its name", []string{"trimSpace", "mine"}, "{{ trimSpace }}", "mine"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			notes, errs := template.CompileNotes(nil, declare(tc.notes...))
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			program, errs := template.NewLanguage(notes, nil).Compile(tc.text, field.NewPath("text"))
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			got, err := program.Text(facts())
			if err != nil {
				t.Fatal(err)
			}
			if got != tc.want {
				t.Errorf("\n%s\nText() = %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

func TestNotesErrors(t *testing.T) {
	var row []string
	for i := range 60 {
		row = append(row, fmt.Sprintf("n%d", i), fmt.Sprintf("{{ n%d }}", i+1))
	}
	row = append(row, "n60", "end")
	cases := map[string]struct {
		reason string
		notes  []string
		want   string
	}{
		"Syntax":  {"as in any text", []string{"a", "{{ .spec"}, `notes.functions[0].expression: Invalid value: "{{ .spec": 1:1: `},
		"Unknown": {"a function that does not exist", []string{"a", "{{ nosuch }}"}, `unknown function "nosuch"`},
		"Near":    {"notes are offered as well", []string{"a", "{{ adddress }}", "address", "x"}, `did you mean "address"?`},
		"Self":    {"a note that calls itself", []string{"a", "{{ a }}"}, `the notes call one another in a circle: a calls a`},
		"Circle":  {"over others", []string{"x", "{{ a }}", "a", "{{ b }}", "b", "{{ c }}", "c", "{{ a }}"}, `in a circle: a calls b calls c calls a`},
		"Values":  {"a note takes no values", []string{"a", "x", "b", "{{ a 1 }}"}, "a takes no value, not 1"},
		"Row":     {"a row without end", row, "more than 50 notes call one another in a row"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			notes, errs := template.CompileNotes(nil, declare(tc.notes...))
			if notes != nil || len(errs) == 0 {
				t.Fatalf("\n%s\nthere is no error", tc.reason)
			}
			if got := errs.ToAggregate().Error(); !strings.Contains(got, tc.want) {
				t.Errorf("\n%s\ngot %s\nwant %s", tc.reason, got, tc.want)
			}
		})
	}
}

// Notes that call others twice each are a text of exponential size: the bounds of one evaluation hold for all of it.
func TestNotesAreBounded(t *testing.T) {
	pairs := []string{"n0", "{{ len .spec.image }}"}
	for i := range 40 {
		pairs = append(pairs, fmt.Sprintf("n%d", i+1), fmt.Sprintf("{{ n%d }}{{ n%d }}", i, i))
	}
	notes, errs := template.CompileNotes(nil, declare(pairs...))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	program, errs := template.NewLanguage(notes, nil).Compile("{{ n40 }}", field.NewPath("text"))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	if _, err := program.Text(facts()); err == nil || !strings.Contains(err.Error(), "more than 100000 steps") || len(err.Error()) > 4096 {
		t.Errorf("got %v, want an error of a bounded length that tells of the steps", err)
	}
}

func TestNotesReferences(t *testing.T) {
	notes, _ := template.CompileNotes(nil, declare("a", "{{ .spec.a }}{{ b }}", "b", "{{ .children.job.status }}"))
	program, errs := template.NewLanguage(notes, nil).Compile("{{ a }}", field.NewPath("text"))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	if got := fmt.Sprint(program.References()); got != "[[spec a] [children job status]]" {
		t.Errorf("a text reads what the notes that it calls read: got %s", got)
	}
}

func TestNotesWarnings(t *testing.T) {
	l := template.NewLanguage(nil, nil)
	if _, errs := template.CompileNotes(l, declare("trim", "x")); len(errs) > 0 {
		t.Fatal(errs)
	}
	if got := l.Warnings().ToAggregate(); got == nil || !strings.Contains(got.Error(), "the note trim hides the function of that name") {
		t.Errorf("a note that hides a function is told: got %v", got)
	}
}
