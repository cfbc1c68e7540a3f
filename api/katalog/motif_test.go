package katalog

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	template "github.com/DataDog/datadog-agent/pkg/template/text"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// motifHead and importHead are a Motif and a Katalog up to where they differ.
const (
	motifHead  = "apiVersion: orkestra.orkspace.io/v1\nkind: Motif\nmetadata: {name: web}\n"
	importHead = `apiVersion: orkestra.orkspace.io/v1
kind: Katalog
metadata: {name: shop}
spec:
  crds:
    website:
      apiTypes: {group: example.com, version: v1, kind: Website}
`
)

// importing writes files into a directory of the test and parses a Katalog there.
func importing(tb testing.TB, opts Options, katalog string, files map[string]string) (*Result, error) {
	tb.Helper()
	dir := tb.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	return Parse(opts, filepath.Join(dir, "katalog.yaml"), []byte(katalog))
}

func imported(t *testing.T, opts Options, katalog string, files map[string]string) orkv1.CRD {
	t.Helper()
	result, err := importing(t, opts, katalog, files)
	if err != nil {
		t.Fatal(err)
	}
	return result.Documents[0].Katalog.Spec.CRDs["website"]
}

func TestInputsInTexts(t *testing.T) {
	cases := map[string]struct {
		reason string
		text   string
		value  any
		want   any
	}{
		"Text":             {"a text that is one input becomes its value", "{{ .inputs.a }}", "nginx", "nginx"},
		"Number":           {"with its type", "{{ .inputs.a }}", 3, int64(3)},
		"Boolean":          {"a boolean as well", "{{- .inputs.a -}}", true, true},
		"QuotedNumber":     {"a number in quotes is a text", "{{ .inputs.a }}", "3", "3"},
		"Expression":       {"an expression is taken as it is spelled, so that it keeps its type", "{{ .inputs.a }}", "{{ .spec.a|lower }}", "{{ .spec.a|lower }}"},
		"Index":            {"index is another way to write it", `{{ index .inputs "a" }}`, "nginx", "nginx"},
		"IndexBelow":       {"and may go on below it", `{{ index .inputs "a" "b" 0 }}`, "{{ .spec.a }}", `{{index .spec.a "b" 0}}`},
		"IndexInPipe":      {"also in a pipeline", `{{ index .inputs "a" | upper }}`, "{{ .spec.a }}", `{{.spec.a | upper}}`},
		"Middle":           {"texts are put together", "a-{{ .inputs.a }}-b", 3, "a-3-b"},
		"MiddleExpression": {"expressions stay between them", "a-{{ .inputs.a }}-b", "{{ .spec.a }}", "a-{{.spec.a}}-b"},
		"MiddleText":       {"a text around an expression is part of it", "a-{{ .inputs.a }}", "x{{ .spec.a }}y", "a-x{{.spec.a}}y"},
		"MiddleBlocks":     {"blocks can be printed", "a-{{ .inputs.a }}", "{{ if .spec.a }}b{{ else }}c{{ end }}", "a-{{if .spec.a}}b{{else}}c{{end}}"},
		"Variables":        {"variables of a value do not meet those of the Motif", "{{ $x := 1 }}{{ .inputs.a }}{{ $x }}", "{{ $x := .spec.a }}{{ $x }}", "{{$x := 1}}{{if true}}{{$x := .spec.a}}{{$x}}{{end}}{{$x}}"},
		"Pipe":             {"a pipeline stands in parentheses", "{{ .inputs.a | upper }}", "{{ .spec.a | lower }}", "{{(.spec.a | lower) | upper}}"},
		"Argument":         {"an argument is a value", "{{ f .inputs.a .inputs.a }}", "{{ g .spec.a }}", "{{f (g .spec.a) (g .spec.a)}}"},
		"ArgumentText":     {"a text with expressions is joined", "{{ f .inputs.a }}", "x-{{ .spec.a }}", `{{f (print "x-" .spec.a)}}`},
		"Function":         {"a function without values is called", "{{ f .inputs.a }}", "{{ teamName }}", "{{f (teamName)}}"},
		"Quotes":           {"a text in quotes is no input", `{{ f ".inputs.a" .inputs.a }}`, "b", `{{f ".inputs.a" "b"}}`},
		"QuotesInValue":    {"a value cannot break out of its place", `{{ f .inputs.a }}`, `" | g "`, `{{f "\" | g \""}}`},
		"Parentheses":      {"nor out of parentheses", `{{ f (.inputs.a) }}`, `b`, `{{f ("b")}}`},
		"Hyphen":           {"keys may have hyphens, those of the Motif", "{{ .inputs.a }}-{{ .children.jobs.my-job.status }}", "{{ .spec.a }}", "{{.spec.a}}-{{.children.jobs.my-job.status}}"},
		"HyphenInValue":    {"and those of the value", "x{{ f .inputs.a.b-c }}", "{{ .spec.pages.a-page }}", "x{{f .spec.pages.a-page.b-c}}"},
		"Fields":           {"fields below an expression", "{{ .inputs.a.b.c }}", "{{ .spec.a }}", "{{.spec.a.b.c}}"},
		"FieldsOfCall":     {"and below a call", "{{ .inputs.a.b }}", "{{ f .spec.a }}", "{{(f .spec.a).b}}"},
		"FieldsOfConstant": {"a constant has none", "x{{ .inputs.a.b }}", "nginx", `x{{""}}`},
		"Dot":              {"the whole resource", "{{ f .inputs.a }}{{ .inputs.a.spec }}", "{{ . }}", "{{f .}}{{.spec}}"},
		"Range":            {"in a range the value still reads the resource", "{{ range .spec.l }}{{ .inputs.a }}{{ f $.inputs.a . }}{{ end }}", "{{ .spec.a }}", "{{range .spec.l}}{{$.spec.a}}{{f $.spec.a .}}{{end}}"},
		"With":             {"and so in with, but not behind its else", "{{ with .inputs.a }}{{ .b }}{{ .inputs.a }}{{ else }}{{ .inputs.a }}{{ end }}", "{{ f . }}", "{{with (f .)}}{{.b}}{{f $}}{{else}}{{f .}}{{end}}"},
		"RangeBlocks":      {"in a block of a value that has its own dot, that stays", "{{ range .l }}{{ .inputs.a }}{{ end }}", "{{ if .a }}{{ range .b }}{{ .c }}{{ else }}{{ .d }}{{ end }}{{ end }}", "{{range .l}}{{if $.a}}{{range $.b}}{{.c}}{{else}}{{$.d}}{{end}}{{end}}{{end}}"},
		"If":               {"a constant can be a condition", "{{ if .inputs.a }}b{{ end }}", false, "{{if false}}b{{end}}"},
		"Declared":         {"an input can be given to a variable", "{{ $x := .inputs.a }}{{ $x }}", 3, "{{$x := 3}}{{$x}}"},
		"Trimmed":          {"white space that a text trims stays trimmed", "a {{- .inputs.a -}} b", "c", "acb"},
		"OpenBrace":        {"a brace does not meet an expression", "{ {{- .inputs.a }}", "{{ .spec.a }}", `{{"{"}}{{.spec.a}}`},
		"TwoBraces":        {"nor another one", "{ {{- .inputs.a }}b", "{", `{{"{{b"}}`},
		"Unrelated":        {"other texts are not touched", "{{ .spec.inputs.a }} {{/* .inputs.b */}}", "x", "{{.spec.inputs.a}} "},
		"Comment":          {"what reads no input keeps its spelling", "{{  .spec.a  }}", "x", "{{  .spec.a  }}"},
		"Default":          {"an input without a value is empty", "{{ .inputs.b }}", "x", ""},
		"Float":            {"a fraction keeps its type", "{{ .inputs.a }} {{ f .inputs.a }}", 1.5, "1.5 {{f 1.5}}"},
		"Negative":         {"a negative number is one value", "{{ f .inputs.a }}", -3, "{{f -3}}"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			text, err := json.Marshal(tc.text)
			if err != nil {
				t.Fatal(err)
			}
			value, err := json.Marshal(tc.value)
			if err != nil {
				t.Fatal(err)
			}
			crd := imported(t, Options{}, importHead+"      imports: [{motif: web.yaml, with: {a: "+string(value)+"}}]\n", map[string]string{
				"web.yaml": motifHead + "inputs: [{name: a}, {name: b}]\nresources: {custom: [{apiVersion: a/v1, kind: A, metadata: {name: a}, spec: {x: " + string(text) + "}}]}\n",
			})
			got := crd.OperatorBox.OnReconcile.Custom[0].Object["spec"].Value.(map[string]any)["x"]
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\n%s with %v: -want, +got:\n%s", tc.reason, tc.text, tc.value, diff)
			}
		})
	}
}

func TestInputsInFields(t *testing.T) {
	cases := map[string]struct {
		reason       string
		field, value string
		want         string
		forEach      string
	}{
		"Constant":     {"a constant is compared, not read as a path", "inputs.a", "nginx", `{{ "nginx" }}`, "nginx"},
		"Path":         {"a path stays one", "inputs.a", "{{ .spec.a }}", "spec.a", "spec.a"},
		"Dot":          {"a leading dot is allowed", ".inputs.a", "{{ $.spec.a }}", "spec.a", "spec.a"},
		"Below":        {"with the keys below it", "inputs.a.b", "{{ .spec.a }}", "spec.a.b", "spec.a.b"},
		"Call":         {"any other expression is a template", "inputs.a", "{{ lower .spec.a }}", "{{ lower .spec.a }}", ""},
		"Texts":        {"so is a text around one", "inputs.a", "x-{{ .spec.a }}", "x-{{ .spec.a }}", ""},
		"TemplateRead": {"a template of an input is the same", "{{ .inputs.a }}", "nginx", `{{ "nginx" }}`, "nginx"},
		"TemplatePath": {"also of a path", "{{ .inputs.a }}", "{{ .spec.a }}", "{{ .spec.a }}", "spec.a"},
		"PartOfPath":   {"a text that begins as a path remains one", "spec.{{ .inputs.a }}", "replicas", "spec.replicas", "spec.replicas"},
		"Texts2":       {"a text of constants is compared", "{{ .inputs.a }}-x", "b", `{{ "b-x" }}`, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			forEach := ""
			if tc.forEach != "" {
				forEach = fmt.Sprintf("forEach: {field: %q}, ", tc.field)
			}
			crd := imported(t, Options{}, importHead+fmt.Sprintf("      imports: [{motif: web.yaml, with: {a: %q}}]\n", tc.value), map[string]string{
				"web.yaml": motifHead + "inputs: [{name: a}]\nresources: {configMaps: [{" + forEach + fmt.Sprintf("when: [{field: %q, equals: x}]}]}\n", tc.field),
			})
			child := crd.OperatorBox.OnReconcile.ConfigMaps[0]
			if got := string(child.When[0].Field); got != tc.want {
				t.Errorf("%s\nfield of a condition: want %q, got %q", tc.reason, tc.want, got)
			}
			if tc.forEach != "" && child.ForEach.Field != tc.forEach {
				t.Errorf("%s\nfield of forEach: want %q, got %q", tc.reason, tc.forEach, child.ForEach.Field)
			}
		})
	}
}

// equals evaluates the one comparison that the test uses.
func equals(c orkv1.Condition) (bool, error) {
	return strings.Trim(string(c.Field), `{" }`) == string(*c.Equals), nil
}

func TestConstantConditions(t *testing.T) {
	const children = `inputs: [{name: "on"}, {name: name}]
resources:
  configMaps:
    - {name: when, when: [{field: inputs.on, equals: "true"}, {field: spec.a, equals: b}]}
    - {name: alone, when: [{field: "{{ .inputs.on }}", equals: true}]}
    - {name: or, or: [{field: inputs.on, equals: "true"}, {field: spec.a, equals: b}]}
    - {name: or-two, or: [{field: inputs.on, equals: "true"}, {field: inputs.on, equals: "yes"}]}
    - {name: open, when: [{field: inputs.name, equals: "true"}, {field: inputs.on, equals: "{{ .spec.on }}"}]}
  onCreate:
    when: [{field: inputs.on, equals: "true"}]
    secrets: [{name: block}]
status:
  fields:
    - {path: a, when: [{field: inputs.on, equals: "true"}]}
    - {path: b, clearOnFalse: true, when: [{field: inputs.on, equals: "true"}]}
`
	gates := func(crd orkv1.CRD) []string {
		var found []string
		say := func(name string, c orkv1.Conditions) {
			found = append(found, fmt.Sprintf("%s: %d, %d", name, len(c.When), len(c.Or)))
		}
		for _, child := range crd.OperatorBox.OnReconcile.ConfigMaps {
			say(string(child.Name), child.Conditions)
		}
		for _, child := range crd.OperatorBox.OnCreate.Secrets {
			say(string(child.Name), child.Conditions)
		}
		for _, f := range crd.OperatorBox.Status.Fields {
			say(f.Path, f.Conditions)
		}
		return found
	}
	cases := map[string]struct {
		reason string
		on     string
		opts   Options
		want   []string
	}{
		"True": {
			"a condition that holds is dropped", "true",
			Options{Evaluate: equals},
			[]string{"when: 1, 0", "alone: 0, 0", "or: 0, 0", "or-two: 0, 0", "open: 2, 0", "block: 0, 0", "a: 0, 0", "b: 1, 0"},
		},
		"False": {
			"with one that does not, the declaration is; what writes when it is false stays", "false",
			Options{Evaluate: equals},
			[]string{"or: 0, 1", "open: 2, 0", "b: 1, 0"},
		},
		"Template": {
			"what depends on the resource stays", "'{{ .spec.on }}'",
			Options{Evaluate: equals},
			[]string{"when: 2, 0", "alone: 1, 0", "or: 0, 2", "or-two: 0, 2", "open: 2, 0", "block: 1, 0", "a: 1, 0", "b: 1, 0"},
		},
		"Nil": {
			"without a function everything stays", "true",
			Options{},
			[]string{"when: 2, 0", "alone: 1, 0", "or: 0, 2", "or-two: 0, 2", "open: 2, 0", "block: 1, 0", "a: 1, 0", "b: 1, 0"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			crd := imported(t, tc.opts, importHead+"      imports: [{motif: web.yaml, with: {on: "+tc.on+", name: '{{ .spec.name }}'}}]\n", map[string]string{"web.yaml": motifHead + children})
			if diff := cmp.Diff(tc.want, gates(crd)); diff != "" {
				t.Errorf("\n%s\n(number of when, of or): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// What the Katalog declares itself wins, whatever the place in which it stands.
func TestBoxWins(t *testing.T) {
	crd := imported(t, Options{}, importHead+`      imports: [{motif: web.yaml}]
      operatorBox:
        onReconcile: {deployments: [{name: web, image: own}, {name: gated, image: own, when: [{field: spec.a}]}]}
        status: {conditions: false, fields: [{path: phase, value: own}]}
`, map[string]string{"web.yaml": motifHead + `
resources: {deployments: [{name: web, image: motif}, {name: gated, image: motif, when: [{field: spec.b}]}, {name: other, image: motif}]}
status: {conditions: true, fields: [{path: phase, value: motif}]}
`})
	var got []string
	for _, d := range crd.OperatorBox.OnReconcile.Deployments {
		got = append(got, string(d.Name+" "+d.Image))
	}
	for _, f := range crd.OperatorBox.Status.Fields {
		got = append(got, f.Path+" "+string(f.Value))
	}
	want := []string{"web own", "gated own", "gated motif", "other motif", "phase motif", "phase own"}
	if diff := cmp.Diff(want, got); diff != "" || *crd.OperatorBox.Status.Conditions {
		t.Errorf("-want, +got:\n%s\nconditions %t", diff, *crd.OperatorBox.Status.Conditions)
	}
}

// What is found after the load has the position in the Motif, and the import.
func TestFindingsInMotifs(t *testing.T) {
	t.Chdir(filepath.Join("testdata", "valid", "motif"))
	result, err := Load(Options{}, "katalog.yaml")
	if err != nil {
		t.Fatal(err)
	}
	box := field.NewPath("spec", "crds").Key("website").Child("operatorBox")
	errs := field.ErrorList{
		field.Required(box.Child("onReconcile", "deployments").Index(0).Child("image"), "own"),
		field.Required(box.Child("onReconcile", "deployments").Index(1).Child("labels").Key("middle"), "first"),
		field.Required(box.Child("onReconcile", "deployments").Index(2).Child("labels").Key("middle"), "second"),
		field.Required(box.Child("onReconcile", "custom").Index(1).Child("spec", "nested").Index(0).Child("image"), "deep"),
		field.Required(box.Child("onReconcile", "configMaps").Index(2).Child("when").Index(0).Child("field"), "nested"),
		field.Required(box.Child("onCreate", "secrets").Index(1).Child("when").Index(0), "gate of a block"),
		field.Required(box.Child("status", "fields").Index(3).Child("value"), "status"),
	}
	want := []string{
		"katalog.yaml:21:36: spec.crds[website].operatorBox.onReconcile.deployments[0].image: own",
		"motifs/label.yaml:12:24: spec.crds[website].operatorBox.onReconcile.configMaps[2].when[0].field: nested; imported at motifs/web.yaml:12:13, from katalog.yaml:15:18",
	}
	got := result.Documents[0].Findings(errs)
	lines := strings.Split(got.Error(), "\n")
	if diff := cmp.Diff(want, lines[:2]); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if len(lines) != len(errs) {
		t.Errorf("want a line for each of %d, got:\n%s", len(errs), got)
	}
	for _, finding := range got[2:] {
		site := Position{"katalog.yaml", 9, 18}
		if slices.Contains([]string{"second", "deep", "gate of a block", "status"}, finding.Message) {
			site = Position{"katalog.yaml", 15, 18}
		}
		if finding.File != "motifs/web.yaml" || finding.Line < 14 || !slices.Equal(finding.Imports, []Position{site}) {
			t.Errorf("%s: want a place in motifs/web.yaml, imported at %s", finding, site)
		}
	}
}

func TestReadMotifs(t *testing.T) {
	files := map[string]string{
		"motif.yaml": motifHead + "inputs: [{name: a, required: true}]\nresources: {deployments: [{image: '{{ .inputs.a }}', replicas: '{{ .inputs.a }}'}]}\n",
		"wrong.yaml": motifHead + "resources: {deployments: [{image: '{{ .inputs.a }}'}]}\n",
		"use.yaml":   importHead + "      imports: [{motif: motif.yaml, with: {a: '3'}}]\n",
	}
	cases := map[string]struct {
		reason string
		motifs bool
		files  []string
		want   int
		err    string
	}{
		"Alone":      {"a Motif is checked without a Katalog", true, []string{"motif.yaml"}, 0, ""},
		"Wrong":      {"strictly", true, []string{"wrong.yaml"}, 0, `wrong.yaml:4:35: resources.deployments[0].image: the Motif has no input "a"; it declares none`},
		"WithOthers": {"and beside Katalogs that import it", true, []string{"motif.yaml", "use.yaml", "motif.yaml"}, 1, ""},
		"NotRead":    {"it cannot run", false, []string{"motif.yaml"}, 0, "motif.yaml:2:7: a Motif is a part of Katalogs; name a Katalog that imports it"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			for _, file := range tc.files {
				if err := os.WriteFile(file, []byte(files[file]), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			result, err := Load(Options{Motifs: tc.motifs}, tc.files...)
			if tc.err != "" {
				if err == nil || err.Error() != tc.err {
					t.Fatalf("%s\nwant %s\ngot  %v", tc.reason, tc.err, err)
				}
				return
			}
			if err != nil || len(result.Documents) != tc.want || len(result.Warnings) > 0 {
				t.Errorf("%s\nwant %d documents, got %v and %v", tc.reason, tc.want, result, err)
			}
			if result, err := Load(Options{Motifs: tc.motifs}, "."); err != nil || len(result.Documents) != tc.want || len(result.Warnings) > 0 {
				t.Errorf("the directory: want %d documents, got %v and %v", tc.want, result, err)
			}
		})
	}
}

// Inputs that hold inputs of inputs end at the limit of a load.
func TestGrowingInputs(t *testing.T) {
	files := map[string]string{}
	for i := range 40 {
		files[fmt.Sprintf("m%d.yaml", i)] = motifHead + fmt.Sprintf("inputs: [{name: a}]\nimports: [{motif: m%d.yaml, with: {a: '{{ .inputs.a }}{{ .inputs.a }}'}}, {motif: m%d.yaml}]\n", i+1, i+1)
	}
	files["m40.yaml"] = motifHead + "inputs: [{name: a}]\nresources: {deployments: [{image: '{{ .inputs.a }}'}]}\n"
	_, err := importing(t, Options{}, importHead+"      imports: [{motif: m0.yaml, with: {a: 'x{{ .spec.a }}'}}]\n", files)
	if err == nil || !strings.Contains(err.Error(), "Motifs add more than 500000 values") {
		t.Errorf("want the limit, got %.300v", err)
	}
}

// manyMotifs is a Katalog that imports 200 Motifs.
func manyMotifs() (katalog string, files map[string]string) {
	var b strings.Builder
	b.WriteString(importHead + "      imports:\n")
	files = map[string]string{}
	for i := range 200 {
		fmt.Fprintf(&b, "        - {motif: m%d.yaml, with: {image: '{{ .spec.image }}', name: n%d}}\n", i, i)
		files[fmt.Sprintf("m%d.yaml", i)] = motifHead + `inputs: [{name: image, required: true}, {name: name, default: web}]
resources:
  deployments:
    - name: "{{ .metadata.name }}-{{ .inputs.name }}"
      image: "{{ .inputs.image }}:{{ .spec.tag }}"
      labels: {app: "{{ .inputs.name }}", image: "{{ .inputs.image | trunc 20 }}"}
      env: [{name: A, value: "{{ upper .inputs.image }}"}]
      when: [{field: inputs.name, notEquals: ""}]
  services:
    - {name: "{{ .metadata.name }}-{{ .inputs.name }}", port: 80}
`
	}
	return b.String(), files
}

func TestManyMotifs(t *testing.T) {
	text, files := manyMotifs()
	crd := imported(t, Options{}, text, files)
	if got := len(crd.OperatorBox.OnReconcile.Deployments); got != 200 {
		t.Errorf("want 200 Deployments, got %d", got)
	}
}

func BenchmarkMotifs(b *testing.B) {
	text, files := manyMotifs()
	dir := b.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(Options{}, filepath.Join(dir, "katalog.yaml"), []byte(text)); err != nil {
			b.Fatal(err)
		}
	}
}

// FuzzMotif looks for a panic, for a text that is no template any more once its inputs are bound, and for an input that is
// left in it.
func FuzzMotif(f *testing.F) {
	for _, seed := range [][3]string{
		{"{{ .inputs.a }}", "{{ .spec.a }}", "inputs.a"},
		{"a-{{ .inputs.a }}-{{ .inputs.b | upper }}", "x{{ if .spec.a }}b{{ end }}", "{{ .inputs.a }}"},
		{`{{ range .spec.l }}{{ index .inputs "a" "b" }}{{ $.inputs.a.c }}{{ end }}`, "{{ . }}", "spec.{{ .inputs.b }}"},
		{`{{ with $x := .inputs.a }}{{ f (g $x).b ".inputs.a" }}{{ else }}{ {{- .inputs.b }}{{ end }}`, "{{ $y := f . }}{{ $y }}", ".inputs.a.b"},
		{"{ {{- .inputs.a }}", "{", "inputs."},
		{"{{ if .inputs.a }}{{ else if not .inputs.b }}{{ .inputs.a }}{{ end }}", "{{ (f .spec).a | g }}", "inputs.b"},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, text, value, path string) {
		texts := [4]string{text, value, path}
		for i, text := range texts {
			if quoted, err := json.Marshal(text); err == nil {
				texts[i] = string(quoted)
			}
		}
		l := newLoader(Options{Evaluate: func(orkv1.Condition) (bool, error) { return true, nil }})
		s := source{file: "web.yaml", log: l.log, budget: l.budget}
		motif := s.parse([]byte(motifHead + "inputs: [{name: a}, {name: b, default: 3}]\nresources: {configMaps: [{data: {x: " + texts[0] +
			"}, when: [{field: " + texts[2] + ", equals: x}], or: [{field: spec.a, equals: " + texts[2] + "}]}]}\n"))
		if len(motif) != 1 {
			return // no YAML
		}
		l.includer.files["web.yaml"] = motif[0]
		l.text("katalog.yaml", []byte(importHead+"      imports: [{motif: web.yaml, with: {a: "+texts[1]+"}}]\n"), true)
		result, err := l.finish()
		if err != nil || !parses(text) || !parses(value) {
			return
		}
		child := result.Documents[0].Katalog.Spec.CRDs["website"].OperatorBox.OnReconcile.ConfigMaps[0]
		bound := string(child.Data["x"])
		body, err := parseExpressions(bound)
		if err != nil {
			t.Fatalf("%q with %q became %q: %v", text, value, bound, err)
		}
		if _, err := newTemplate(bound); err != nil || readsInputs(&binding{text: bound, body: body}) {
			t.Errorf("%q with %q became %q, which reads an input", text, value, bound)
		}
	})
}

func parses(text string) bool {
	_, err := parseExpressions(text)
	return err == nil
}

// A template and its bound form print the same.
func TestBoundTemplatesPrintTheSame(t *testing.T) {
	resource := map[string]any{"spec": map[string]any{"a": "A", "l": []any{"x", "y"}, "m": map[string]any{"b": "B"}}}
	texts := []string{
		"{{ .inputs.x }}", "a{{ .inputs.x }}b", "{{ printf \"%v!\" .inputs.x }}", "{{ .inputs.x | printf \"%v-%v\" 1 }}",
		"{{ range .spec.l }}{{ . }}{{ $.inputs.x }}{{ end }}", "{{ with .spec.m }}{{ .b }}{{ $.inputs.x }}{{ end }}",
		"{{ if $.inputs.x }}y{{ else }}n{{ end }}", `{{ index .inputs "x" }}`, "{{ $v := .inputs.x }}{{ $v }}",
	}
	values := []string{"text", "{{ .spec.a }}", "{{ .spec.m.b | printf \"%q\" }}", "{{ index .spec.l 1 }}", "p-{{ .spec.a }}"}
	for _, value := range values {
		evaluated := execute(t, value, resource)
		with := map[string]any{"inputs": map[string]any{"x": evaluated}, "spec": resource["spec"]}
		for _, text := range texts {
			crd := imported(t, Options{}, importHead+fmt.Sprintf("      imports: [{motif: web.yaml, with: {x: %q}}]\n", value), map[string]string{
				"web.yaml": motifHead + fmt.Sprintf("inputs: [{name: x}]\nresources: {configMaps: [{data: {x: %q}}]}\n", text),
			})
			bound := string(crd.OperatorBox.OnReconcile.ConfigMaps[0].Data["x"])
			if want, got := execute(t, text, with), execute(t, bound, resource); want != got {
				t.Errorf("%q with %q became %q: want %q, got %q", text, value, bound, want, got)
			}
		}
	}
}

func execute(t *testing.T, text string, data any) string {
	t.Helper()
	parsed, err := template.New("").Parse(text)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	var out strings.Builder
	if err := parsed.Execute(&out, data); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return out.String()
}

// Defect: an input whose name has a hyphen could be declared, and not be read.
func TestInputWithHyphen(t *testing.T) {
	const text = motifHead + `inputs: [{name: app-name, required: true}]
resources:
  configMaps:
    - name: "{{ .inputs.app-name }}-config"
      data: {each: "{{ range .spec.hosts }}{{ $.inputs.app-name }}{{ . }}{{ end }}", index: '{{ index .inputs "app-name" }}'}
      when: [{field: inputs.app-name, exists: true}]
`
	const katalog = importHead + "      imports: [{motif: web.yaml, with: {app-name: \"{{ .spec.my-app }}\"}}]\n"
	crd := imported(t, Options{}, katalog, map[string]string{"web.yaml": text})
	got := crd.OperatorBox.OnReconcile.ConfigMaps[0]
	want := []string{
		"{{.spec.my-app}}-config", "{{range .spec.hosts}}{{$.spec.my-app}}{{.}}{{end}}", "{{ .spec.my-app }}", "spec.my-app",
	}
	if diff := cmp.Diff(want, []string{
		string(got.Name), string(got.Data["each"]), string(got.Data["index"]), string(got.When[0].Field),
	}); diff != "" {
		t.Errorf("every way to read an input takes its name: -want, +got:\n%s", diff)
	}
}
