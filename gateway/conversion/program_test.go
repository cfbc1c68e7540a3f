package conversion_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/gateway/conversion"
)

// schemas are those of the versions of a Backup: v1 has a schedule and a size as a text, v2 has both below plan, and a number.
var schemas = map[string]*roots.Props{
	"v1": {Type: "object", Properties: map[string]roots.Props{"spec": {Type: "object", Properties: map[string]roots.Props{
		"schedule": {Type: "string"}, "size": {Type: "string"}, "note": {Type: "string"},
	}}}},
	"v2": {Type: "object", Properties: map[string]roots.Props{"spec": {Type: "object", Properties: map[string]roots.Props{
		"plan": {Type: "object", Properties: map[string]roots.Props{
			"schedule": {Type: "string"}, "size": {Type: "integer"}, "paused": {Type: "boolean"},
		}},
		"note": {Type: "string"},
	}}}},
}

const paths = `
storageVersion: v1
paths:
- {from: v1, to: v2, spec: {plan: {schedule: "{{ .spec.schedule }}", size: "{{ .spec.size }}", paused: "false"}, note: "{{ .spec.note }}"}}
- {from: v2, to: v1, spec: {schedule: "{{ .spec.plan.schedule }}", size: "{{ .spec.plan.size }}", note: "{{ .spec.note }}"}}
`

func compile(tb testing.TB, text string, schemas map[string]*roots.Props) *conversion.Program {
	tb.Helper()
	declared := &orkv1.Conversion{}
	if err := yaml.UnmarshalStrict([]byte(text), declared); err != nil {
		tb.Fatal(err)
	}
	program, errs := conversion.Compile(declared, conversion.Options{Language: template.NewLanguage(nil, nil), Schemas: schemas}, field.NewPath("conversion"))
	if len(errs) > 0 {
		tb.Fatal(errs.ToAggregate())
	}
	return program
}

func object(tb testing.TB, text string) *unstructured.Unstructured {
	tb.Helper()
	converted, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		tb.Fatal(err)
	}
	o := &unstructured.Unstructured{}
	if err := json.Unmarshal(converted, &o.Object); err != nil {
		tb.Fatal(err)
	}
	return o
}

// backup has what every Backup has besides its spec.
func backup(version, spec string) string {
	return "apiVersion: example.com/" + version + "\nkind: Backup\nmetadata: {name: a, uid: u, labels: {a: b}}\nstatus: {phase: Done}\nspec: " + spec + "\n"
}

func TestConvert(t *testing.T) {
	hub := `
storageVersion: v1
paths:
- {from: v1, to: v2, spec: {b: "{{ .spec.a }}"}}
- {from: v2, to: v1, spec: {a: "{{ .spec.b }}"}}
- {from: v1, to: v3, spec: {c: "{{ .spec.a }}"}}
- {from: v3, to: v1, spec: {a: "{{ .spec.c }}"}}
`
	cases := map[string]struct {
		reason, paths string
		schemas       map[string]*roots.Props
		from, to      string
		want, err     string
	}{
		"Same": {
			reason: "the version that it has", paths: paths, from: backup("v1", `{schedule: "* * * * *", other: 1}`), to: "v1",
			want: backup("v1", `{schedule: "* * * * *", other: 1}`),
		},
		"Weakness52Types": {
			reason: "the schema says what type a text has", paths: paths, schemas: schemas, from: backup("v1", `{schedule: "5", size: "5", note: "7"}`), to: "v2",
			want: backup("v2", `{plan: {schedule: "5", size: 5, paused: false}, note: "7"}`),
		},
		"Back": {
			reason: "and the way back", paths: paths, schemas: schemas, from: backup("v2", `{plan: {schedule: "5", size: 5}, note: "7"}`), to: "v1",
			want: backup("v1", `{schedule: "5", size: "5", note: "7"}`),
		},
		"Type": {
			reason: "what has not that type is an error that names the field", paths: paths, schemas: schemas, from: backup("v1", `{size: 5Gi}`), to: "v2",
			err: `from v1 to v2: spec.plan: size: "5Gi" is no integer, which the schema wants`,
		},
		"Dropped": {
			reason: "what is not listed is dropped", paths: paths, schemas: schemas, from: backup("v1", `{size: "1", more: true}`), to: "v2",
			want: backup("v2", `{plan: {size: 1, paused: false}}`),
		},
		"Passthrough": {
			reason: "unless that is asked for", paths: strings.ReplaceAll(paths, "{from: v1, to: v2,", "{from: v1, to: v2, passthrough: true,"), schemas: schemas,
			from: backup("v1", `{size: "1", note: nn, more: {deep: [1]}}`), to: "v2",
			want: backup("v2", `{plan: {size: 1, paused: false}, note: nn, size: "1", more: {deep: [1]}}`),
		},
		"PassthroughEmpty": {
			reason: "what is listed and comes out empty is not passed through",
			paths: `
storageVersion: v1
paths:
- {from: v1, to: v2, passthrough: true, spec: {a: "{{ if .spec.b }}x{{ end }}"}}
- {from: v2, to: v1}
`, from: backup("v1", `{a: 1, c: 2}`), to: "v2", want: backup("v2", `{c: 2}`),
		},
		"PassthroughNested": {
			reason: "of a map that is listed in part the rest is passed through, however deep; lists are whole",
			paths: `
storageVersion: v1
paths:
- {from: v1, to: v2, passthrough: true, spec: {plan: {size: "{{ .spec.plan.size }}0", none: "", deep: {a: x}, list: [{b: 1}], text: {c: 1}, new: {d: 1}}, whole: "{{ .spec.rest }}"}}
- {from: v2, to: v1}
`,
			from: backup("v1", `{plan: {size: "5", none: 1, other: [1], deep: {a: 1, b: {c: 1}}, list: [{a: 1}], text: t}, whole: {a: 1}, rest: {b: 1}}`), to: "v2",
			want: backup("v2", `{plan: {size: "50", other: [1], deep: {a: x, b: {c: 1}}, list: [{b: 1}], text: {c: 1}, new: {d: 1}}, whole: {b: 1}, rest: {b: 1}}`),
		},
		"Map": {
			reason: "a map is no text", paths: paths, schemas: schemas, from: backup("v1", `{schedule: {minute: 1}}`), to: "v2",
			err: "from v1 to v2: spec.plan: schedule: a map is no string, which the schema wants",
		},
		"List": {
			reason: "a list is no number", paths: paths, schemas: schemas, from: backup("v1", `{size: [1]}`), to: "v2",
			err: "from v1 to v2: spec.plan: size: a list is no integer, which the schema wants",
		},
		"Hub": {
			reason: "by the storage version", paths: hub, from: backup("v2", `{b: x}`), to: "v3", want: backup("v3", `{c: x}`),
		},
		"NoPath": {reason: "no path at all", paths: hub, from: backup("v2", `{b: x}`), to: "v4", err: "no path leads from v2 to v4"},
		"Native": {
			reason: "without a schema a value keeps its type", paths: hub, from: backup("v1", `{a: {deep: [1, true]}}`), to: "v2", want: backup("v2", `{b: {deep: [1, true]}}`),
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			from := object(t, tc.from)
			got, err := compile(t, tc.paths, tc.schemas).Convert(from, tc.to)
			if diff := cmp.Diff(object(t, tc.from).Object, from.Object); diff != "" {
				t.Errorf("\n%s\nConvert(...) changes what it is given: -want, +got:\n%s", tc.reason, diff)
			}
			if tc.err != "" {
				if err == nil || err.Error() != tc.err {
					t.Errorf("\n%s\nConvert(...): %v, want %s", tc.reason, err, tc.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(object(t, tc.want).Object, got.Object); diff != "" {
				t.Errorf("\n%s\nConvert(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestPreserve shows that with preserve the way there and back loses nothing, whatever is changed in between.
func TestPreserve(t *testing.T) {
	program := compile(t, "preserve: true\n"+paths, schemas)
	convert := func(o *unstructured.Unstructured, to string) *unstructured.Unstructured {
		t.Helper()
		converted, err := program.Convert(o, to)
		if err != nil {
			t.Fatal(err)
		}
		return converted
	}
	start := object(t, backup("v2", `{plan: {schedule: "5", size: 5, paused: true}, note: "7", more: {deep: [1]}}`))
	stored := convert(start, "v1")
	if diff := cmp.Diff(start.Object, convert(stored, "v2").Object); diff != "" {
		t.Errorf("there and back: -want, +got:\n%s", diff)
	}
	if err := unstructured.SetNestedField(stored.Object, "6", "spec", "size"); err != nil {
		t.Fatal(err)
	}
	want := object(t, backup("v2", `{plan: {schedule: "5", size: 6, paused: true}, note: "7", more: {deep: [1]}}`))
	if diff := cmp.Diff(want.Object, convert(stored, "v2").Object); diff != "" {
		t.Errorf("with a change in between: -want, +got:\n%s", diff)
	}
	annotations := stored.GetAnnotations()
	annotations[orkv1.AnnotationConversion+"v2"] = "{"
	stored.SetAnnotations(annotations)
	if got := convert(stored, "v2"); got.Object["spec"].(map[string]any)["note"] != "7" {
		t.Errorf("an annotation that nobody can read is as none: %v", got.Object)
	}
}

// TestPreserveAnnotation shows that nothing in the annotation of preserve makes a conversion fail, whatever the resource has of a spec.
func TestPreserveAnnotation(t *testing.T) {
	const changed = `
storageVersion: v1
paths:
- {from: v1, to: v2, spec: {plan: {paused: "false"}}}
- {from: v2, to: v1, spec: {note: "{{ .spec.note }}"}}
`
	plain := "apiVersion: example.com/%s\nkind: Backup\nmetadata: {name: a}\n"
	cases := map[string]struct {
		reason, paths, spec string
		kept, want          string
	}{
		"Map":      {"what is kept comes back", paths, "spec: {size: '5'}", `{"plan": {"size": 5}, "more": 1}`, "spec: {plan: {size: 5}, more: 1}"},
		"Null":     {"there was no spec", paths, "spec: {size: '5'}", "null", "spec: {plan: {size: 5, paused: false}}"},
		"Number":   {"a number is no spec", paths, "spec: {size: '5'}", "7", "spec: {plan: {size: 5, paused: false}}"},
		"Text":     {"nor is a text", paths, "spec: {size: '5'}", `"a"`, "spec: {plan: {size: 5, paused: false}}"},
		"List":     {"nor a list", paths, "spec: {size: '5'}", "[1]", "spec: {plan: {size: 5, paused: false}}"},
		"Broken":   {"nor what nobody can read", paths, "spec: {size: '5'}", "{", "spec: {plan: {size: 5, paused: false}}"},
		"Infinite": {"nor what no number holds", paths, "spec: {size: '5'}", `{"plan": {"size": 1e999}}`, "spec: {plan: {size: 5, paused: false}}"},
		"Deep":     {"nor what is too deep", paths, "spec: {size: '5'}", strings.Repeat(`{"a":`, 100_000), "spec: {plan: {size: 5, paused: false}}"},
		"Typed":    {"nor what a client of the version could not read", paths, "spec: {size: '5'}", `{"plan": {"size": 5, "paused": "no"}}`, "spec: {plan: {size: 5, paused: false}}"},
		"TypedMap": {"be it a map", paths, "spec: {size: '5', note: x}", `{"plan": {"size": 5}, "note": {"a": "b"}}`, "spec: {plan: {size: 5, paused: false}, note: x}"},
		"Types":    {"what has another type makes room for what there is", paths, "spec: {size: '5'}", `{"plan": 5}`, "spec: {plan: {size: 5}}"},
		"There":    {"what the paths do not convert is as none", paths, "spec: {size: '5'}", `{"plan": {"size": "big"}}`, "spec: {plan: {size: 5, paused: false}}"},
		"None":     {"a resource without a spec gets what the path makes", changed, "", "null", "spec: {plan: {paused: false}}"},
		"NoneKept": {"or what was kept", changed, "", `{"plan": {"paused": true}}`, "spec: {plan: {paused: true}}"},
		"NullSpec": {"null is none", changed, "spec: null", "null", "spec: {plan: {paused: false}}"},
		"Nothing":  {"nothing is made of nothing", "\nstorageVersion: v1\npaths: [{from: v1, to: v2}, {from: v2, to: v1}]", "", "null", ""},
		"Removed":  {"what the other version cannot see stays when it loses its spec", "\nstorageVersion: v1\npaths: [{from: v1, to: v2}, {from: v2, to: v1}]", "", `{"note": "a"}`, "spec: {note: a}"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			from := object(t, fmt.Sprintf(plain, "v1")+tc.spec)
			from.SetAnnotations(map[string]string{orkv1.AnnotationConversion + "v2": tc.kept})
			got, err := compile(t, "preserve: true"+tc.paths, schemas).Convert(from, "v2")
			if err != nil {
				t.Fatal(err)
			}
			delete(got.Object["metadata"].(map[string]any), "annotations")
			if diff := cmp.Diff(object(t, fmt.Sprintf(plain, "v2")+tc.want).Object, got.Object); diff != "" {
				t.Errorf("\n%s\nConvert(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestPreserveTypes shows of which values in the annotation a client of the version could read nothing.
func TestPreserveTypes(t *testing.T) {
	const ways = "preserve: true\nstorageVersion: v1\npaths: [{from: v1, to: v2}, {from: v2, to: v1}]"
	text, number := roots.Props{Type: "string"}, roots.Props{Type: "integer"}
	shape := map[string]roots.Props{
		"text": text, "whole": number, "number": {Type: "number"}, "yes": {Type: "boolean"}, "either": {XIntOrString: true}, "any": {},
		"list": {Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &number}},
		"map":  {Type: "object", AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{Schema: &text}},
	}
	known := map[string]*roots.Props{"v2": {Type: "object", Properties: map[string]roots.Props{"spec": {Type: "object", Properties: shape}}}}
	cases := map[string]struct {
		kept string
		fits bool
	}{
		"Text": {`{"text": "a"}`, true}, "TextNumber": {`{"text": 1}`, false}, "TextNull": {`{"text": null}`, true},
		"Whole": {`{"whole": 1}`, true}, "WholeFloat": {`{"whole": 1.5}`, false}, "WholeText": {`{"whole": "1"}`, false},
		"Number": {`{"number": 1.5}`, true}, "NumberWhole": {`{"number": 1}`, true}, "NumberList": {`{"number": [1]}`, false},
		"Yes": {`{"yes": true}`, true}, "YesText": {`{"yes": "true"}`, false}, "TextYes": {`{"text": true}`, false},
		"Either": {`{"either": 1}`, true}, "EitherText": {`{"either": "1"}`, true}, "Any": {`{"any": {"a": [1, "b"]}}`, true},
		"List": {`{"list": [1, 2]}`, true}, "ListText": {`{"list": [1, "2"]}`, false}, "ListMap": {`{"list": {"a": 1}}`, false},
		"Map": {`{"map": {"a": "b"}}`, true}, "MapNumber": {`{"map": {"a": 1}}`, false}, "MapList": {`{"map": ["a"]}`, false},
		"Unknown": {`{"more": {"a": 1}}`, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			from := object(t, "apiVersion: example.com/v1\nkind: Backup\nmetadata: {name: a}\nspec: {}\n")
			from.SetAnnotations(map[string]string{orkv1.AnnotationConversion + "v2": tc.kept})
			got, err := compile(t, ways, known).Convert(from, "v2")
			if err != nil {
				t.Fatal(err)
			}
			spec, _ := got.Object["spec"].(map[string]any)
			if comes := len(spec) > 0; comes != tc.fits {
				t.Errorf("%s comes back as %v, want it: %t", tc.kept, spec, tc.fits)
			}
		})
	}
}

// TestWithoutSpec shows that resources without a spec go to the other version and back.
func TestWithoutSpec(t *testing.T) {
	fixed := `
storageVersion: v1
paths:
- {from: v1, to: v2, passthrough: true, spec: {plan: {size: "{{ .spec.size }}", paused: "false"}}}
- {from: v2, to: v1, spec: {size: "1"}}
`
	for name, paths := range map[string]string{
		"Templates": paths, "Fixed": fixed, "Nothing": "\nstorageVersion: v1\npaths: [{from: v1, to: v2, spec: {note: '{{ .spec.note }}'}}, {from: v2, to: v1}]",
	} {
		for _, preserve := range []string{"preserve: true", "preserve: false"} {
			for _, spec := range []string{"", "spec: null", "spec: {}"} {
				for from, to := range map[string]string{"v1": "v2", "v2": "v1"} {
					o := object(t, "apiVersion: example.com/"+from+"\nkind: Backup\nmetadata: {name: a}\n"+spec)
					losses, err := compile(t, preserve+paths, schemas).RoundTrip(o, to)
					if err != nil || len(losses) > 0 {
						t.Errorf("%s, %s, %q from %s: %v, %v", name, preserve, spec, from, losses, err)
					}
				}
			}
		}
	}
}

// TestPreserveLarge shows that nothing is kept that the API server would not take: it would read no resource of the kind any more.
func TestPreserveLarge(t *testing.T) {
	o := object(t, backup("v2", `{plan: {size: 5}, note: a, more: `+strings.Repeat("x", 1<<18)+`}`))
	o.SetAnnotations(map[string]string{"team": "a"})
	got, err := compile(t, "preserve: true"+paths, schemas).Convert(o, "v1")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(o.GetAnnotations(), got.GetAnnotations()); diff != "" {
		t.Errorf("Convert(...): annotations: -want, +got:\n%s", diff)
	}
}

// TestPreserveLost shows that somebody is told of what is lost because it is too large.
func TestPreserveLost(t *testing.T) {
	program := compile(t, "preserve: true"+paths, schemas)
	for size, want := range map[int]int{10: 0, 1 << 18: 1} {
		lost := 0
		h := &conversion.Handler{Programs: func(schema.GroupKind) *conversion.Program { return program }, Lost: func(schema.GroupVersionKind) { lost++ }}
		one, err := json.Marshal(object(t, backup("v2", `{plan: {size: 5}, more: `+strings.Repeat("x", size)+`}`)).Object)
		if err != nil {
			t.Fatal(err)
		}
		body := fmt.Sprintf(`{"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview", "request": {"uid": "u", "desiredAPIVersion": "example.com/v1", "objects": [%s]}}`, one)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/convert", strings.NewReader(body)))
		if lost != want || w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"Success"`) {
			t.Errorf("of %d characters: %d lost, want %d: %d", size, lost, want, w.Code)
		}
	}
}

func TestCompileErrors(t *testing.T) {
	cases := map[string]struct{ reason, text, want string }{
		"Unreachable": {
			"no way from one version to another", "storageVersion: v1\npaths: [{from: v1, to: v2, spec: {}}]",
			"conversion.paths: Required value: nothing leads from v2 to v1: declare a path",
		},
		"Twice": {
			"two paths of one pair", "storageVersion: v1\npaths: [{from: v1, to: v2}, {from: v2, to: v1}, {from: v1, to: v2}]",
			`conversion.paths[2]: Duplicate value: "v1 to v2"`,
		},
		"Hub": {
			"no way that the storage version is on", "storageVersion: v1\npaths: [{from: v1, to: v2}, {from: v2, to: v1}, {from: v3, to: v1}]",
			"conversion.paths: Required value: nothing leads from v1 to v3: declare a path",
		},
		"Spokes": {
			"no way between two that are not stored", "storageVersion: v4\npaths: [{from: v1, to: v2}]",
			"conversion.paths: Required value: nothing leads from v2 to v1: declare a path, or one from v2 to the storage version and one from there to v1",
		},
		"Unknown": {
			"a field that the version that is made has not", "storageVersion: v1\npaths: [{from: v1, to: v2, spec: {plan: {siez: 1}}}, {from: v2, to: v1}]",
			"conversion.paths[0].spec[plan].siez: Forbidden: spec.plan of v2 has no field siez in the schema: did you mean size? (valid: paused, schedule, size)",
		},
		"UnknownTop": {
			"neither at the top", "storageVersion: v1\npaths: [{from: v1, to: v2, spec: {schedule: '{{ .spec.schedule }}'}}, {from: v2, to: v1}]",
			"conversion.paths[0].spec[schedule]: Forbidden: spec of v2 has no field schedule in the schema (valid: note, plan)",
		},
		"Status": {
			"nor in a status that the schema does not have", "storageVersion: v1\npaths: [{from: v1, to: v2, status: {phase: a}}, {from: v2, to: v1}]",
			"conversion.paths[0].status[phase]: Forbidden: status of v2 has no field phase in the schema",
		},
		"Map": {
			"a map for a text", "storageVersion: v1\npaths: [{from: v1, to: v2, spec: {note: {a: b}}}, {from: v2, to: v1}]",
			"conversion.paths[0].spec[note]: Forbidden: spec.note of v2: a map is no string, which the schema wants",
		},
		"List": {
			"a list for a number", "storageVersion: v1\npaths: [{from: v1, to: v2, spec: {plan: {size: [1]}}}, {from: v2, to: v1}]",
			"conversion.paths[0].spec[plan].size: Forbidden: spec.plan.size of v2: a list is no integer, which the schema wants",
		},
		"Text": {
			"a text without a template for a number", "storageVersion: v1\npaths: [{from: v1, to: v2, spec: {plan: {size: 5Gi}}}, {from: v2, to: v1}]",
			`conversion.paths[0].spec[plan].size: Forbidden: spec.plan.size of v2: "5Gi" is no integer, which the schema wants`,
		},
		"Fraction": {
			"a fraction for a whole number", "storageVersion: v1\npaths: [{from: v1, to: v2, spec: {plan: {size: 1.5}}}, {from: v2, to: v1}]",
			`conversion.paths[0].spec[plan].size: Forbidden: spec.plan.size of v2: "1.5" is no integer, which the schema wants`,
		},
		"Field": {
			"a field that the version has not", "storageVersion: v1\npaths: [{from: v1, to: v2, spec: {note: '{{ .spec.nots }}'}}, {from: v2, to: v1}]",
			"conversion.paths[0].spec[note]",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			declared := &orkv1.Conversion{}
			if err := yaml.UnmarshalStrict([]byte(tc.text), declared); err != nil {
				t.Fatal(err)
			}
			_, errs := conversion.Compile(declared, conversion.Options{Language: template.NewLanguage(nil, nil), Schemas: schemas}, field.NewPath("conversion"))
			if len(errs) == 0 || !strings.HasPrefix(errs[0].Error(), tc.want) {
				t.Errorf("\n%s\nCompile(...): %v, want %s", tc.reason, errs, tc.want)
			}
		})
	}
}

// TestPassthroughTypes shows what passthrough may copy.
func TestPassthroughTypes(t *testing.T) {
	with := func(a roots.Props) *roots.Props {
		return &roots.Props{Type: "object", Properties: map[string]roots.Props{"spec": {Type: "object", Properties: map[string]roots.Props{"a": a}}}}
	}
	word, whole, number, either := roots.Props{Type: "string"}, roots.Props{Type: "integer"}, roots.Props{Type: "number"}, roots.Props{XIntOrString: true}
	within := func(b roots.Props) roots.Props {
		return roots.Props{Type: "object", Properties: map[string]roots.Props{"b": b}}
	}
	cases := map[string]struct {
		reason   string
		from, to *roots.Props
		listed   string
		want     string
	}{
		"Same":    {"the same type", with(word), with(word), "", ""},
		"Wider":   {"a whole number is a number", with(whole), with(number), "", ""},
		"Either":  {"and one of two types", with(whole), with(either), "", ""},
		"Open":    {"anything goes where no type is said", with(whole), with(roots.Props{}), "", ""},
		"Gone":    {"what the other version has not is nobody's", with(whole), &roots.Props{}, "", ""},
		"Unknown": {"nothing is known of the other version", with(whole), nil, "", ""},
		"Listed":  {"what becomes of it is said", with(word), with(whole), ", spec: {a: '{{ toInt .spec.a }}'}", ""},
		"Other":   {"a text is no number", with(word), with(whole), "", "conversion.paths[0].passthrough: Forbidden: spec.a is a string in v1 and a integer in v2: say under spec what becomes of a"},
		"Narrow":  {"one of two types may be the wrong one", with(either), with(word), "", "conversion.paths[0].passthrough: Forbidden: spec.a is a number or text in v1 and a string in v2"},
		"Below": {
			"however deep", with(within(number)), with(within(whole)), "",
			"conversion.paths[0].passthrough: Forbidden: spec.a.b is a number in v1 and a integer in v2: say under spec what becomes of a.b",
		},
		"BelowListed": {"which may be said alone", with(within(number)), with(within(whole)), ", spec: {a: {b: '{{ toInt .spec.a.b }}'}}", ""},
		"BelowOther": {
			"what stands beside it is copied", with(within(within(number))), with(within(within(whole))), ", spec: {a: {b: {}}}",
			"conversion.paths[0].passthrough: Forbidden: spec.a.b.b is a number in v1 and a integer in v2: say under spec what becomes of a.b.b",
		},
		"BelowWhole": {"a text is all of it", with(within(number)), with(within(whole)), ", spec: {a: '{{ .spec.a }}'}", ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			declared := &orkv1.Conversion{}
			text := "storageVersion: v1\npaths: [{from: v1, to: v2, passthrough: true" + tc.listed + "}, {from: v2, to: v1}]"
			if err := yaml.UnmarshalStrict([]byte(text), declared); err != nil {
				t.Fatal(err)
			}
			schemas := map[string]*roots.Props{"v1": tc.from}
			if tc.to != nil {
				schemas["v2"] = tc.to
			}
			_, errs := conversion.Compile(declared, conversion.Options{Language: template.NewLanguage(nil, nil), Schemas: schemas}, field.NewPath("conversion"))
			if got := fmt.Sprint(errs.ToAggregate()); (len(errs) > 0) != (tc.want != "") || !strings.Contains(got, tc.want) {
				t.Errorf("%s: Compile(...): %s, want %q", tc.reason, got, tc.want)
			}
		})
	}
}

// TestRoundTrip shows what is told of the way to another version and back.
func TestRoundTrip(t *testing.T) {
	hub := `
storageVersion: v1
paths:
- {from: v1, to: v2, spec: {size: "{{ .spec.size }}", ports: "{{ .spec.ports }}", state: "{{ .spec.state }}"}, status: {at: "{{ .status.phase }}"}}
- {from: v2, to: v1, spec: {size: "{{ mul .spec.size 2 }}", ports: "{{ .spec.ports }}", kind: fixed}}
- {from: v1, to: v3, passthrough: true}
- {from: v3, to: v1, spec: {size: "{{ toInt .spec.size }}"}}
`
	cases := map[string]struct {
		reason, paths string
		schemas       map[string]*roots.Props
		from, to      string
		want          []string
		err           string
	}{
		"Whole": {
			reason: "what comes back loses nothing", paths: paths, schemas: schemas, from: backup("v1", `{size: "5", note: a, schedule: b}`), to: "v2",
		},
		"Lost": {
			reason: "a field that no path names", paths: paths, schemas: schemas, from: backup("v2", `{plan: {size: 5, paused: true}, note: a}`), to: "v1",
			want: []string{"spec.plan.paused was true and becomes false"},
		},
		"Preserve": {
			reason: "which is kept", paths: "preserve: true" + paths, schemas: schemas, from: backup("v2", `{plan: {size: 5, paused: true}, note: a}`), to: "v1",
		},
		"Pruned": {
			reason: "what the version does not have the API server drops by itself", paths: paths, schemas: schemas, from: backup("v1", `{size: "5", more: 1}`), to: "v2",
		},
		"Values": {
			reason: "maps, lists and scalars are compared; what is empty, and what comes in addition, is no loss", paths: hub,
			from: "{apiVersion: example.com/v1, kind: Backup, spec: {size: 2, ports: [{port: 1}], note: {a: b}, empty: {}, none: ''}, status: {phase: Done}}", to: "v2",
			want: []string{"spec.note is lost", "spec.size was 2 and becomes 4", "status.phase is lost"},
		},
		"Back": {
			reason: "a way back that fails", paths: hub, from: backup("v1", `{size: big}`), to: "v3",
			err: `on the way back: from v3 to v1: conversion.paths[3].spec[size]: {{ toInt .spec.size }}: toInt: "big" is not a number`,
		},
		"There": {
			reason: "and a way there", paths: paths, schemas: schemas, from: backup("v1", `{size: big}`), to: "v2",
			err: `from v1 to v2: spec.plan: size: "big" is no integer, which the schema wants`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			losses, err := compile(t, tc.paths, tc.schemas).RoundTrip(object(t, tc.from), tc.to)
			if (err != nil || tc.err != "") && (err == nil || err.Error() != tc.err) {
				t.Errorf("\n%s\nRoundTrip(...): %v, want %s", tc.reason, err, tc.err)
			}
			var got []string
			for _, one := range losses {
				got = append(got, one.String())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nRoundTrip(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
