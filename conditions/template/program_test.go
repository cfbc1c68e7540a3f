package template_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orkestra-runtime/orkestra/conditions/template"
)

func facts() template.Facts {
	return template.NewFacts(map[string]any{
		"metadata": map[string]any{"name": "shop", "labels": map[string]any{"example.com/tier": "gold"}},
		"spec": map[string]any{
			"replicas": int64(3), "weight": 1e6, "ratio": 0.5, "enabled": true, "image": "nginx", "null": nil,
			"steps": []any{map[string]any{"command": "make"}, map[string]any{"command": "test"}},
			"env":   map[string]any{"B": "2", "A": "1"},
			"blank": " x ",
		},
		"children": map[string]any{
			"deployment": map[string]any{"status": map[string]any{}},
			"jobs":       map[string]any{"my-job-2": map[string]any{"status": map[string]any{"phase": "Done"}}},
		},
	}, nil)
}

func compile(t *testing.T, text string) *template.Program {
	t.Helper()
	program, err := template.Compile(text)
	if err != nil {
		t.Fatalf("Compile(%q): %v", text, err)
	}
	return program
}

func TestText(t *testing.T) {
	cases := map[string]struct{ reason, text, want string }{
		"Static":         {"a text without braces is used as it is", " a } $x \n", " a } $x \n"},
		"Empty":          {"an empty text is a text", "", ""},
		"Path":           {"a field", "{{ .metadata.name }}", "shop"},
		"Mixed":          {"text around fields stays", "a-{{ .metadata.name }} \n", "a-shop \n"},
		"Dollar":         {"$ is the root", "{{ $.metadata.name }}", "shop"},
		"MissingRoot":    {"a missing value at any depth is empty", "[{{ .a.b.c }}]", "[]"},
		"MissingLeaf":    {"a missing value is empty, not <no value>", "[{{ .spec.none }}{{ print .spec.none }}]", "[]"},
		"Hyphen":         {"keys may have hyphens", "{{ .children.jobs.my-job-2.status.phase }}{{ (.children.jobs).my-job-2.status.phase }}", "DoneDone"},
		"HyphenQuoted":   {"what is quoted stays", "{{ print \".a-b\" `.c-d` }}.e-f{{- /* .g-h */ -}}", ".a-b.c-d.e-f"},
		"HyphenTrim":     {"trimming is no hyphen", "a {{- .metadata.name -}} b", "ashopb"},
		"HyphenVariable": {"behind a variable", "{{ $c := .children }}{{ $c.jobs.my-job-2.status.phase }}", "Done"},
		"ThroughScalar":  {"a field of a scalar is missing", "[{{ .metadata.name.first.last }}]", "[]"},
		"Null":           {"null is empty", "[{{ .spec.null }}]", "[]"},
		"LargeFloat":     {"no exponent", "{{ .spec.weight }}", "1000000"},
		"LargeFunction":  {"nor behind a function", "w={{ .spec.weight | default 1 }}", "w=1000000"},
		"Bool":           {"a boolean is its word", "{{ .spec.enabled }}", "true"},
		"List":           {"a list is JSON", "{{ .spec.steps }}", `[{"command":"make"},{"command":"test"}]`},
		"Default":        {"a pipeline", "{{ .spec.port | default 8080 }}", "8080"},
		"Chain":          {"a field of what a function gives", `{{ (index .spec.steps 0).command }}`, "make"},
		"ChainMissing":   {"a field of nothing is nothing", `[{{ (index .spec.none 0).command.x }}]`, "[]"},
		"Label":          {"keys with dots are reached with index", `{{ index .metadata.labels "example.com/tier" }}`, "gold"},
		"If":             {"a missing value is false", "{{ if .a.b }}x{{ else if .spec.enabled }}y{{ end }}", "y"},
		"With":           {"with moves the dot, and $ stays", "{{ with .spec }}{{ .image }}/{{ $.metadata.name }}/{{ .a.b }}{{ end }}", "nginx/shop/"},
		"WithElse":       {"with of nothing takes the else", "{{ with .a.b }}x{{ else }}{{ .metadata.name }}{{ end }}", "shop"},
		"RangeList":      {"a list in its order", "{{ range $i, $s := .spec.steps }}{{ $i }}{{ $s.command }}{{ .none.x }} {{ end }}", "0make 1test "},
		"RangeMap":       {"a map in the order of its keys", "{{ range $k, $v := .spec.env }}{{ $k }}={{ $v }} {{ end }}", "A=1 B=2 "},
		"RangeMissing":   {"a range over nothing takes the else", "{{ range .a.b }}x{{ else }}none{{ end }}", "none"},
		"RangeNumber":    {"a number of turns, a float too", "{{ range $i := .spec.replicas }}{{ $i }}{{ end }}{{ range 2.0 }}x{{ end }}", "012xx"},
		"BreakContinue":  {"loops can be left", `{{ range 5 }}{{ if eq . 1 }}{{ continue }}{{ end }}{{ if eq . 3 }}{{ break }}{{ end }}{{ . }}{{ end }}`, "02"},
		"Variable":       {"variables hold values", "{{ $s := .spec }}{{ $s.image }}{{ $s.a.b }}{{ $s = .metadata }}{{ $s.name }}", "nginxshop"},
		"AndOr":          {"the result of or, as of and, is a value", `{{ or .a.b "x" }}{{ and .spec.image .metadata.name }}`, "xshop"},
		"ShortCircuit":   {"or stops at the first true value", `{{ or .spec.image (toBool "maybe") }}`, "nginx"},
		"Not":            {"not of nothing", "{{ not .a.b }}", "true"},
		"CompareMissing": {"nothing compares as zero", "{{ gt .status.readyReplicas 0 }}{{ eq .spec.weight 1000000 }}", "falsetrue"},
		"Nested":         {"functions as values", `{{ ternary (contains .spec.image ":") "a" (printf "%s:%s" .spec.image "latest") }}`, "nginx:latest"},
		"NilArgument":    {"nil may be given to a function", `{{ default "x" nil }}`, "x"},
		"Trim":           {"dashes trim", "a {{- .metadata.name -}} b", "ashopb"},
		"Comment":        {"a comment prints nothing", "a{{/* }} */}}b", "ab"},
		"Quoted":         {"braces in a quoted text do not end an expression", `{{ "}}" }}{{ "{{" }}`, "}}{{"},
		"WholeRoot":      {"the dot is the resource", "{{ len . }}", "3"},
		"Replicas":       {"a missing child is not ready", "{{ allReplicasReady .children.deployment }}", "false"},
		"Spaces":         {"white space stays", "\n {{ .spec.blank }} \n", "\n  x  \n"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := compile(t, tc.text).Text(facts())
			if err != nil {
				t.Fatalf("\n%s\nText(%q): %v", tc.reason, tc.text, err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nText(%q): -want, +got:\n%s", tc.reason, tc.text, diff)
			}
		})
	}
}

func TestValue(t *testing.T) {
	cases := map[string]struct {
		reason, text string
		want         any
	}{
		"Int":        {"a single path keeps its type", "{{ .spec.replicas }}", int64(3)},
		"Float":      {"a single path keeps its type", "{{ .spec.ratio }}", 0.5},
		"Bool":       {"a single path keeps its type", "{{ .spec.enabled }}", true},
		"Map":        {"a single path keeps its type", "{{ .spec.env }}", map[string]any{"A": "1", "B": "2"}},
		"Missing":    {"a missing value is nil", "{{ .a.b }}", nil},
		"Constant":   {"a constant is a number of JSON", "{{ .spec.port | default 8080 }}", int64(8080)},
		"Function":   {"so is the length that len counts", "{{ len .spec.steps }}", int64(2)},
		"ListResult": {"a list of a function is a list", `{{ split "a,b" "," }}`, []any{"a", "b"}},
		"Nothing":    {"a function may give nothing", "{{ coalesce .a .b }}", nil},
		"Block":      {"white space around one expression is no text", "\n  {{ .spec.replicas }}\n", int64(3)},
		"Inner":      {"white space of the value stays", "{{ .spec.blank }}", " x "},
		"Mixed":      {"anything else is text", "{{ .spec.replicas }}m", "3m"},
		"Two":        {"two expressions are text", "{{ .spec.replicas }}{{ .spec.replicas }}", "33"},
		"If":         {"a block is text", "{{ if .spec.enabled }}3{{ end }}", "3"},
		"Static":     {"a plain text is text", "3", "3"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := compile(t, tc.text).Value(facts())
			if err != nil {
				t.Fatalf("\n%s\nValue(%q): %v", tc.reason, tc.text, err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nValue(%q): -want, +got:\n%s", tc.reason, tc.text, diff)
			}
		})
	}
}

func TestReferences(t *testing.T) {
	cases := map[string]struct {
		reason, text string
		want         [][]string
		static       bool
	}{
		"Static":   {"a plain text reads nothing", "x", nil, true},
		"Comment":  {"neither does a comment", "{{/* .spec.a */}}x", nil, true},
		"Paths":    {"every field", "{{ .spec.a }}{{ default 1 $.b }}", [][]string{{"spec", "a"}, {"b"}}, false},
		"With":     {"a field inside of with stands below it", "{{ with .spec }}{{ .a }}{{ end }}", [][]string{{"spec"}, {"spec", "a"}}, false},
		"Range":    {"an element of what a range goes over has the key []", "{{ range .spec.l }}{{ .a }}{{ $.b }}{{ end }}", [][]string{{"spec", "l"}, {"spec", "l", "[]", "a"}, {"b"}}, false},
		"Chain":    {"a chain over a path is a path", "{{ (.spec).a }}", [][]string{{"spec", "a"}, {"spec"}}, false},
		"Constant": {"a program without paths may still call functions", `{{ print "x" }}`, nil, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			program := compile(t, tc.text)
			if diff := cmp.Diff(tc.want, program.References()); diff != "" {
				t.Errorf("\n%s\nReferences(%q): -want, +got:\n%s", tc.reason, tc.text, diff)
			}
			if program.Static() != tc.static {
				t.Errorf("\n%s\nStatic(%q): want %t", tc.reason, tc.text, tc.static)
			}
			if program.Source() != tc.text {
				t.Errorf("\n%s\nSource(%q): got %q", tc.reason, tc.text, program.Source())
			}
		})
	}
}

func TestProgramIsSafeForConcurrentUse(t *testing.T) {
	program := compile(t, "{{ range .list }}{{ . | default $.name }}{{ end }}")
	var group sync.WaitGroup
	for i := range 8 {
		name := strings.Repeat("x", i)
		own := template.NewFacts(map[string]any{"name": name, "list": []any{"", "-", ""}}, nil)
		group.Go(func() {
			for range 200 {
				got, err := program.Text(own)
				if want := name + "-" + name; err != nil || got != want {
					t.Errorf("Text(): %q, %v, want %q", got, err, want)
					return
				}
			}
		})
	}
	group.Wait()
}

func TestStepsAllowOrdinaryLists(t *testing.T) {
	elements := make([]any, 5000)
	for i := range elements {
		elements[i] = map[string]any{"name": "x", "value": int64(1)}
	}
	program := compile(t, "{{ range .list }}{{ .name }}={{ .value | default 2 }};{{ end }}")
	got, err := program.Text(template.NewFacts(map[string]any{"list": elements}, nil))
	if want := strings.Repeat("x=1;", len(elements)); err != nil || got != want {
		t.Errorf("Text(): %d bytes, %v, want %d bytes", len(got), err, len(want))
	}
}

func TestEvaluationsShareNothing(t *testing.T) {
	program := compile(t, `{{ .spec.x | toBool }}`)
	if _, err := program.Value(template.NewFacts(map[string]any{"spec": map[string]any{"x": "maybe"}}, nil)); err == nil {
		t.Fatal("want an error")
	}
	got, err := program.Value(template.Facts{})
	if diff := cmp.Diff(any(false), got); diff != "" || err != nil {
		t.Errorf("after an error the next evaluation starts anew: -want, +got:\n%s\n%v", diff, err)
	}
}

func TestFacts(t *testing.T) {
	base := template.NewFacts(map[string]any{"a": map[string]any{"b": "c", "n": nil}, "l": map[string]string{"k": "v"}}, nil)
	more := base.With("item", "x").With("a", "y")
	cases := map[string]struct {
		reason string
		facts  template.Facts
		path   []string
		want   any
		found  bool
	}{
		"Nested":       {"keys lead through maps", base, []string{"a", "b"}, "c", true},
		"TextMap":      {"also through maps of texts", base, []string{"l", "k"}, "v", true},
		"NoMap":        {"a scalar has no keys", base, []string{"a", "b", "c"}, nil, false},
		"Null":         {"null is found", base, []string{"a", "n"}, nil, true},
		"BelowNull":    {"nothing is below null", base, []string{"a", "n", "x"}, nil, false},
		"Zero":         {"the zero Facts have no roots", template.Facts{}, []string{"a"}, nil, false},
		"ZeroWith":     {"but may get one", template.Facts{}.With("a", "b"), []string{"a"}, "b", true},
		"With":         {"With adds a root", more, []string{"item"}, "x", true},
		"WithReplaces": {"With replaces a root", more, []string{"a"}, "y", true},
		"Parent":       {"With leaves its parent alone", base, []string{"item"}, nil, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, found := tc.facts.Lookup(tc.path)
			if diff := cmp.Diff(tc.want, got); diff != "" || found != tc.found {
				t.Errorf("\n%s\nLookup(%v): found %t, -want, +got:\n%s", tc.reason, tc.path, found, diff)
			}
		})
	}
}

func TestFactsNow(t *testing.T) {
	noon := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	injected := template.NewFacts(nil, func() time.Time { return noon })
	if got := injected.With("a", 1).Now(); !got.Equal(noon) {
		t.Errorf("With keeps the clock: got %v", got)
	}
	if before := time.Now(); template.NewFacts(nil, nil).Now().Before(before) {
		t.Error("without a clock the time is the system's")
	}
}

func TestParsePath(t *testing.T) {
	cases := map[string]struct {
		reason, text string
		want         template.Path
		err          string
	}{
		"Plain":      {"keys and dots", "spec.replicas", template.Path{"spec", "replicas"}, ""},
		"LeadingDot": {"a leading dot is the same", ".status.phase", template.Path{"status", "phase"}, ""},
		"Dash":       {"keys may hold what names hold", "external.health-check.status", template.Path{"external", "health-check", "status"}, ""},
		"Empty":      {"nothing is no path", " . ", nil, "the path is empty"},
		"Index":      {"paths have no index", "spec.steps[0].name", nil, "{{ index .spec.list 0 }}"},
		"Quoted":     {"nor keys in brackets", `metadata.labels["example.com/tier"]`, nil, `{{ get .metadata.labels "example.com/tier" }}`},
		"Star":       {"a sign for several keys is for none", "spec.extra.*", nil, "names one field"},
		"Dollar":     {"nor is one of another language", "$.spec.extra", nil, "names one field"},
		"Gap":        {"no key is empty", "spec..a", nil, "empty key"},
		"End":        {"no key is empty", "spec.", nil, "empty key"},
		"Space":      {"a sentence is no path", "spec replicas", nil, "not keys separated by dots"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := template.ParsePath(tc.text)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nParsePath(%q): -want, +got:\n%s", tc.reason, tc.text, diff)
			}
			if (err != nil) != (tc.err != "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Errorf("\n%s\nParsePath(%q): error %v, want one with %q", tc.reason, tc.text, err, tc.err)
			}
		})
	}
}
