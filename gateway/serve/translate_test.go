package serve

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/yaml"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

const cache = `
enabled: true
namespace: 'team-{{ .team }}'
target:
  cache: {primary: true, tokens: {portal: {namespaces: [team-core], permissions: {global: [get, list], resources: [create]}}}}
  cache-preview: {tokens: {portal: {permissions: {global: ['*']}}}}
  hidden: {enabled: false}
tokens:
  portal: {permissions: {global: ['*']}}
  reader: {permissions: {schema: [list]}}
fields:
  size: {path: storage.size, required: true, label: Size}
  replicas: {value: '{{ mul .value 2 }}'}
  password: {sensitive: true}
  pin: {sensitive: true, value: '{{ toInt .value }}'}
  derived: {value: '{{ toInt .request.pin }}'}
  plan: {values: {plan.name: '{{ .value }}', plan.tier: '{{ upper .value }}'}}
  secretly: {gateOnly: true}
  mirror: {path: 'nodes["a.example.com/b"]'}
  both: {values: {'nodes["x.y"]': '{{ .value }}', 'spec.nodes.z': '{{ .value }}'}}
  old: {disabled: no longer offered}
labels:
  team: {label: Team}
annotations:
  note: {}
`

func compiled(tb testing.TB, text string) *CRD {
	tb.Helper()
	declared := &orkv1.Serve{}
	if err := yaml.UnmarshalStrict([]byte(text), declared); err != nil {
		tb.Fatal(err)
	}
	word, of := roots.Props{Type: "string"}, func(fields map[string]roots.Props) roots.Props {
		return roots.Props{Type: "object", Properties: fields}
	}
	known := new(of(map[string]roots.Props{"spec": of(map[string]roots.Props{
		"replicas": {Type: "integer"}, "pin": {Type: "integer"}, "derived": {Type: "integer"}, "password": word, "storage": of(map[string]roots.Props{"size": word}),
		"size": word, "a": word, "made": word, "env": word, "very": {Type: "object", XPreserveUnknownFields: new(true)},
		"plan":  of(map[string]roots.Props{"name": word, "tier": word}),
		"nodes": {Type: "object", AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true, Schema: &word}},
	})}))
	crd, errs := Compile("cache", &orkv1.CRD{Serve: declared, APITypes: orkv1.APITypes{Group: "example.com", Version: "v1", Kind: "Cache"}},
		schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "caches"}, template.NewLanguage(nil, nil), known, field.NewPath("spec", "crds").Key("cache"))
	if len(errs) > 0 {
		tb.Fatal(errs.ToAggregate())
	}
	return crd
}

func TestTranslate(t *testing.T) {
	cases := map[string]struct {
		reason, intent string
		strict         bool
		want           string
		warnings       []string
		err            string
	}{
		"Places": {
			reason: "each value goes where its field says", intent: `{target: cache, name: c1, size: 5Gi, team: core, note: hello, plan: gold}`,
			want: `{metadata: {name: c1, namespace: team-core, labels: {team: core}, annotations: {note: hello}}, spec: {storage: {size: 5Gi}, plan: {name: gold, tier: GOLD}}}`,
		},
		"Brackets": {
			reason: "a key with dots is one key", intent: `{name: c1, team: core, mirror: up, both: down}`,
			want: `{metadata: {name: c1, namespace: team-core, labels: {team: core}}, spec: {nodes: {a.example.com/b: up, x.y: down, z: down}}}`,
		},
		"Weakness50": {
			reason: "what a template makes has the type of the schema", intent: `{name: c1, team: core, replicas: 2}`,
			want: `{metadata: {name: c1, namespace: team-core, labels: {team: core}}, spec: {replicas: 4}}`,
		},
		"Weakness49": {
			reason: "what is no field is told", intent: `{name: c1, team: core, siez: 1}`, warnings: []string{"there is no field siez: it is left out"},
			want: `{metadata: {name: c1, namespace: team-core, labels: {team: core}}, spec: {}}`,
		},
		"Strict":   {reason: "or is an error", intent: `{name: c1, team: core, siez: 1}`, strict: true, err: "siez: there is no such field"},
		"GateOnly": {reason: "what is for conditions alone is not written", intent: `{name: c1, team: core, secretly: x}`, want: `{metadata: {name: c1, namespace: team-core, labels: {team: core}}, spec: {}}`},
		"Disabled": {reason: "what nobody may set", intent: `{name: c1, team: core, old: x}`, err: "old: is disabled: no longer offered"},
		"All":      {reason: "all problems at once", intent: `{name: c1, team: [a], old: x}`, err: "old: is disabled: no longer offered; team: a slice is no text"},
		"Label":    {reason: "what is no label", intent: `{name: c1, team: "a b"}`, err: "team: is no value of a label: "},
		"Number":   {reason: "what is no number", intent: `{name: c1, team: core, replicas: many}`, err: "replicas: "},
		"Sensitive": {
			reason: "a value that nobody is to see is not quoted", intent: `{name: c1, team: core, pin: hush}`,
			err: "pin: is not what the field takes; as a value that is read for it is sensitive, no more is said",
		},
		"Derived": {
			reason: "nor what reads it", intent: `{name: c1, team: core, pin: 5, derived: {}}`, want: `{metadata: {name: c1, namespace: team-core, labels: {team: core}}, spec: {pin: 5, derived: 5}}`,
		},
		"DerivedFails": {
			reason: "nor what reads it", intent: `{name: c1, team: core, derived: 1, pin: hush}`, err: "derived: is not what the field takes; as a value that is read for it is sensitive, no more is said; pin: ",
		},
		"NoName":  {reason: "a name is needed", intent: `{team: core}`, err: "metadata.name: is required"},
		"NoTeam":  {reason: "what the namespace is made of is needed", intent: `{name: c1}`, err: "metadata.namespace: needs the field team"},
		"BadName": {reason: "and must be one", intent: `{name: "A b", team: core}`, err: `metadata.name: "A b": `},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			crd := compiled(t, cache)
			crd.Strict = tc.strict
			intent := parsed(t, tc.intent)
			out, err := crd.Primary.translate(intent)
			if err == nil {
				err = crd.identify(out.object, intent)
			}
			if tc.err != "" {
				if err == nil || !strings.HasPrefix(err.Error(), tc.err) {
					t.Errorf("\n%s\ngot %v, want %s", tc.reason, err, tc.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want := parsed(t, tc.want)
			want["apiVersion"], want["kind"] = "example.com/v1", "Cache"
			if diff := cmp.Diff(want, out.object.Object); diff != "" {
				t.Errorf("\n%s\ntranslate(...): -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.warnings, out.warnings); diff != "" {
				t.Errorf("\n%s\ntranslate(...) warns: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestTranslateMetadata shows that labels and annotations are texts, whatever is sent for them, and that nothing of it is in the spec.
func TestTranslateMetadata(t *testing.T) {
	const serve = "enabled: true\nnamespace: shop\nlabels: {cost: {}, paid: {}, example.com/share: {}}\nannotations: {note: {}, large: {}, made: {value: '{{ mul .value 2 }}'}}\n"
	out, err := compiled(t, serve).Primary.translate(parsed(t, `{name: c1, cost: 12, paid: true, example.com/share: 0.25, note: false, large: 12345678901, made: 4}`))
	if err != nil {
		t.Fatal(err)
	}
	want := parsed(t, `{apiVersion: example.com/v1, kind: Cache, spec: {}, metadata: {
		labels: {cost: "12", paid: "true", example.com/share: "0.25"}, annotations: {note: "false", large: "12345678901", made: "8"}}}`)
	if diff := cmp.Diff(want, out.object.Object); diff != "" {
		t.Errorf("translate(...): -want, +got:\n%s", diff)
	}
	typed := "enabled: true\nnamespace: shop\nlabels: {count: {type: integer}, share: {type: number}, paid: {type: boolean}, free: {}}\n"
	for sent, want := range map[string]string{
		`{count: 3}`: "", `{count: "3"}`: "", `{count: five}`: `count: "five" is no integer`, `{count: 1.5}`: `count: "1.5" is no integer`, `{count: " "}`: `count: " " is no integer`,
		`{share: 1.5}`: "", `{share: x}`: `share: "x" is no number`, `{paid: true}`: "", `{paid: "false"}`: "", `{paid: maybe}`: `paid: "maybe" is no boolean`, `{free: five}`: "",
	} {
		if _, err := compiled(t, typed).Primary.translate(parsed(t, sent)); (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%s: %v, want %q", sent, err, want)
		}
	}
	text := "enabled: true\nnamespace: shop\nfields: {size: {type: string}}\n"
	if _, err := compiled(t, text).Primary.translate(parsed(t, `{size: {a: 1}}`)); err == nil || err.Error() != "size: a map is no text" {
		t.Errorf("a map for a text: %v", err)
	}
	for _, wrong := range []string{"{cost: [1]}", "{note: {a: 1}}"} {
		if _, err := compiled(t, serve).Primary.translate(parsed(t, wrong)); err == nil || !strings.HasSuffix(err.Error(), "is no text") {
			t.Errorf("%s: %v, want that it is no text", wrong, err)
		}
	}
}

// TestServeName shows that the name that a Katalog makes is the one there is, whatever the caller sends, and that none is made with a gap in it.
func TestServeName(t *testing.T) {
	const serve = "enabled: true\nnamespace: '{{ .team }}'\nname: '{{ .team }}-{{ .spec.env }}'\nlabels: {team: {}}\nfields: {env: {}}\n"
	cases := map[string]struct {
		reason, body string
		status       int
		want         string
		violations   []any
	}{
		"Intent": {reason: "a name of an intent is replaced", body: `{"target":"cache","name":"mine","team":"core","env":"dev"}`, status: http.StatusCreated, want: "core/core-dev"},
		"NoName": {reason: "and not needed", body: `{"target":"cache","team":"core","env":"dev"}`, status: http.StatusCreated, want: "core/core-dev"},
		"Whole": {
			reason: "so is that of a whole resource, and its namespace", body: `{"apiVersion":"example.com/v1","kind":"Cache","metadata":{"name":"mine","namespace":"theirs"},"spec":{"env":"dev","team":"core"}}`,
			status: http.StatusCreated, want: "core/core-dev",
		},
		"Missing": {
			reason: "what the name is made of is needed", body: `{"target":"cache","name":"mine","team":"core"}`, status: http.StatusUnprocessableEntity,
			violations: []any{map[string]any{"field": "metadata.name", "message": "needs the field spec.env", "severity": "error"}},
		},
		"Empty": {
			reason: "and must say something", body: `{"target":"cache","name":"mine","team":"core","env":""}`, status: http.StatusUnprocessableEntity,
			violations: []any{map[string]any{"field": "metadata.name", "message": "needs the field spec.env", "severity": "error"}},
		},
		"Both": {
			reason: "all that is missing is told at once", body: `{"target":"cache","name":"mine"}`, status: http.StatusUnprocessableEntity,
			violations: []any{
				map[string]any{"field": "metadata.name", "message": "needs the field team", "severity": "error"}, map[string]any{"field": "metadata.namespace", "message": "needs the field team", "severity": "error"},
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			writes := 0
			a := apiOf(t, serve, clusterOf(t, interceptor.Funcs{
				Apply: func(ctx context.Context, c client.WithWatch, o runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
					writes++
					return c.Apply(ctx, o, opts...)
				},
			}))
			got := answers(t, a, http.MethodPost, "/api/v1/apply", tc.body, tc.status)
			if diff := cmp.Diff(tc.violations, got["violations"]); tc.violations != nil && diff != "" {
				t.Errorf("\n%s\nviolations: -want, +got:\n%s", tc.reason, diff)
			}
			made := ""
			if writes > 0 {
				made = fmt.Sprint(got["namespace"], "/", got["name"])
			}
			if made != tc.want {
				t.Errorf("\n%s\n%q is made, want %q", tc.reason, made, tc.want)
			}
		})
	}
}

func parsed(t *testing.T, text string) map[string]any {
	t.Helper()
	converted, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(converted, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestAllows(t *testing.T) {
	crd := compiled(t, cache)
	cases := map[string]struct {
		reason, surface, token string
		on                     class
		operation              orkv1.ServeOperation
		namespace, denied      string
	}{
		"Granted":   {"what the surface and the CRD grant", "cache", "portal", onResources, "create", "team-core", ""},
		"Class":     {"a list of the class stands alone", "cache", "portal", onResources, "get", "team-core", "token portal may not get here"},
		"Global":    {"without one it is the global one", "cache", "portal", onSchema, "list", "", ""},
		"Namespace": {"another namespace", "cache", "portal", onResources, "create", "team-other", "token portal may not use namespace team-other"},
		"Alias":     {"another surface grants more", "cache-preview", "portal", onResources, "delete", "anywhere", ""},
		"Unlisted":  {"who is not on the surface's list", "cache-preview", "reader", onSchema, "list", "", "token reader is not one of target cache-preview"},
		"Inherited": {"a surface without a list has the CRD's", "hidden", "reader", onSchema, "list", "", ""},
		"NotGet":    {"and no more than that", "hidden", "reader", onSchema, "get", "", "token reader may not get here"},
		"Nobody":    {"who is on no list", "hidden", "other", onResources, "get", "", "token other is not one of target hidden"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			err := crd.Surfaces[tc.surface].allows(tc.token, tc.on, tc.operation, tc.namespace)
			if (err == nil) != (tc.denied == "") || err != nil && err.Error() != tc.denied {
				t.Errorf("\n%s\nallows(...) = %v, want %q", tc.reason, err, tc.denied)
			}
		})
	}
}

// Weakness 2: what is sensitive is not kept, and what is long is cut.
func TestWeakness02KeptIntent(t *testing.T) {
	crd := compiled(t, cache)
	crd.MaxIntent = orkv1.MinIntentAnnotation
	object := &unstructured.Unstructured{Object: map[string]any{}}
	keepIntent(crd, object, map[string]any{"password": "s3cret", "size": "5Gi"})
	if got := object.GetAnnotations()[orkv1.AnnotationServeIntent]; got != `{"password":"[redacted]","size":"5Gi"}` {
		t.Errorf("kept %s", got)
	}
	long := map[string]any{"size": strings.Repeat("x", orkv1.MinIntentAnnotation)}
	keepIntent(crd, object, long)
	if got := object.GetAnnotations()[orkv1.AnnotationServeIntent]; !strings.Contains(got, `"truncated":true`) || len(got) > orkv1.MinIntentAnnotation {
		t.Errorf("kept %d bytes: %s", len(got), got)
	}
	crd.MaxIntent = 0
	keepIntent(crd, object, long)
	if got := object.GetAnnotations()[orkv1.AnnotationServeIntent]; strings.Contains(got, "truncated") {
		t.Errorf("16 KiB are kept by default, not %s", got)
	}
	keepIntent(crd, object, map[string]any{"size": strings.Repeat("x", orkv1.DefaultIntentAnnotation)})
	if got := object.GetAnnotations()[orkv1.AnnotationServeIntent]; !strings.Contains(got, "truncated") {
		t.Errorf("16 KiB are kept by default, not %d bytes", len(got))
	}
}

// Weakness 46: the URL to ask again is that of the surface, and whole.
func TestWeakness46PollURL(t *testing.T) {
	crd := compiled(t, strings.Replace(cache, "hidden: {enabled: false}", "hidden: {enabled: false, config: {response: {poll: {field: status.phase & more}}}}", 1))
	object := &unstructured.Unstructured{Object: map[string]any{}}
	object.SetName("c1")
	object.SetNamespace("team-core")
	for surface, want := range map[string]string{
		"cache": "/api/v1/resources/cache/team-core/c1", "hidden": "/api/v1/resources/hidden/team-core/c1?field=status.phase+%26+more",
	} {
		if got := crd.Surfaces[surface].response.pollURL(crd.Surfaces[surface], object, ""); got != want {
			t.Errorf("pollURL of %s = %s, want %s", surface, got, want)
		}
	}
}

// TestRoutePaths: a whole resource finds its surface by its values, at paths whose keys may hold dots.
func TestRoutePaths(t *testing.T) {
	crd := compiled(t, strings.Replace(cache, "  hidden: {enabled: false}", `  hidden: {enabled: false, fieldSelector: {spec.storage.size: 1Gi}}
  dotted: {fieldSelector: {'metadata.labels["example.com/tier"]': gold, spec.replicas: "2"}}`, 1))
	cases := map[string]struct{ reason, object, want string }{
		"All":    {"it has all of the values", `{metadata: {labels: {example.com/tier: gold}}, spec: {replicas: 2}}`, "dotted"},
		"Some":   {"some of them are not enough", `{metadata: {labels: {example.com/tier: gold}}, spec: {replicas: 3}}`, "cache"},
		"Absent": {"what is not there is no value", `{spec: {replicas: 2}}`, "cache"},
		"Hidden": {"a surface that is hidden takes none", `{spec: {storage: {size: 1Gi}}}`, "cache"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got, _ := crd.route(&unstructured.Unstructured{Object: parsed(t, tc.object)}); got.Name != tc.want {
				t.Errorf("\n%s\nroute(...) = %s, want %s", tc.reason, got.Name, tc.want)
			}
		})
	}
}

// What is served in a way that the schema does not allow is not compiled.
func TestCompileErrors(t *testing.T) {
	known := &roots.Props{Type: "object", Properties: map[string]roots.Props{"spec": {Type: "object", Properties: map[string]roots.Props{"size": {Type: "string"}}}}}
	cases := map[string]struct{ reason, serve, want string }{
		"Path":     {"a path that is none", `fields: {size: {path: "tags[0]"}}`, `serve.fields[size].path: Invalid value: "tags[0]"`},
		"Values":   {"nor one of several", `fields: {size: {values: {metadata.x: x}}}`, `serve.fields[size].values[metadata.x]: Invalid value: "metadata.x"`},
		"Unknown":  {"a field that the schema does not have", `fields: {colour: {}}`, `serve.fields[colour]: Invalid value: "colour": the API server takes nothing there`},
		"Selector": {"nor a selector", `target: {a: {fieldSelector: {spec.colour: red}}}`, `serve.target[a].fieldSelector[spec.colour]: Invalid value: "spec.colour": .spec has no field colour`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			declared := &orkv1.Serve{}
			if err := yaml.UnmarshalStrict([]byte("{enabled: true, namespace: shop, "+tc.serve+"}"), declared); err != nil {
				t.Fatal(err)
			}
			_, errs := Compile("cache", &orkv1.CRD{Serve: declared, APITypes: orkv1.APITypes{Group: "example.com", Version: "v1", Kind: "Cache"}},
				schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "caches"}, template.NewLanguage(nil, nil), known, field.NewPath("c"))
			if len(errs) != 1 || !strings.HasPrefix(errs[0].Error(), "c."+tc.want) {
				t.Errorf("\n%s\nCompile(...): %v, want %s", tc.reason, errs, tc.want)
			}
		})
	}
}

// TestSource shows what a resource records of who asked for it, also as Katalogs of older generations read it.
func TestSource(t *testing.T) {
	cases := map[string]struct {
		reason, compat, subject string
		source, identity        string
	}{
		"Static":    {"a token that somebody holds", "", "", "portal", ""},
		"Issued":    {"a token of an issuer, which tells who it is", "", "repo:shop", "portal", "repo:shop"},
		"Compat":    {"who it is was the source once", "\ncompat: {sourceIsIdentity: true}", "repo:shop", "repo:shop", "repo:shop"},
		"Anonymous": {"where it is known", "\ncompat: {sourceIsIdentity: true}", "", "portal", ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			object := &unstructured.Unstructured{Object: map[string]any{}}
			compiled(t, cache+strings.TrimPrefix(tc.compat, "\n")).Primary.provenance(object, "portal", tc.subject)
			got := object.GetAnnotations()
			if got[orkv1.AnnotationServeSource] != tc.source || got[orkv1.AnnotationServeIdentity] != tc.identity {
				t.Errorf("%s: %v, want the source %q and the identity %q", tc.reason, got, tc.source, tc.identity)
			}
		})
	}
}

// TestGated shows what is asked of fields that are not written, and of those that are shown by them: no rule of a resource can be about them.
func TestGated(t *testing.T) {
	const text = `
enabled: true
namespace: shop
fields:
  mode: {gateOnly: true, required: true, label: Mode, enum: [big, small]}
  size: {required: true, when: [{field: mode, equals: big}]}
  replicas: {required: true}
  secret: {gateOnly: true, sensitive: true, enum: [aaaa, bbbb]}
`
	cases := map[string]struct {
		reason, intent string
		want           []string
	}{
		"Right":   {"all that is asked for is there", `{"name":"a","mode":"big","size":"1"}`, nil},
		"Missing": {"one that is not written is required", `{"name":"a"}`, []string{"mode: Mode is required"}},
		"Enum":    {"and one of some", `{"name":"a","mode":"zzz"}`, []string{`mode: "zzz" is none of big, small`}},
		"Shown":   {"it shows another one", `{"name":"a","mode":"big"}`, []string{"size: size is required"}},
		"Empty":   {"which an empty text does not fill", `{"name":"a","mode":"big","size":""}`, []string{"size: size is required"}},
		"Hidden":  {"or does not", `{"name":"a","mode":"small"}`, nil},
		"Secret":  {"and nothing is quoted that nobody is to see", `{"name":"a","mode":"small","secret":"cccc"}`, []string{"secret: " + errSensitive.Error()}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			intent, err := parse(t.Context(), []byte(tc.intent))
			if err != nil {
				t.Fatal(err)
			}
			_, err = compiled(t, text).Primary.translate(intent)
			wrong, _ := errors.AsType[problems](err)
			var got []string
			for _, one := range wrong {
				got = append(got, one.Field+": "+one.Message)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
