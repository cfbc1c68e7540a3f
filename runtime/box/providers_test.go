package box_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/controllers/builtin"
	"github.com/orkestra-runtime/orkestra/providers"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

// store is a provider that knows what it has.
type store struct{}

var _ providers.Checker = store{}

func (store) Name() string                                                { return "store" }
func (store) Reconcile(context.Context, providers.ReconcileRequest) error { return nil }
func (store) Delete(context.Context, providers.DeleteRequest) error       { return nil }
func (store) Kinds() map[string]providers.Kind {
	return map[string]providers.Kind{
		"bucket": {Required: []string{"name", "owner.id"}, Optional: []string{"region", "tags.*", "passwordSecret"}},
		"queue":  {Required: []string{"name"}},
	}
}

func registryOf(tb testing.TB, all ...providers.Provider) *providers.Registry {
	tb.Helper()
	r, err := providers.NewRegistry(all...)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// provided compiles a Katalog of the entry website with claims and providers of its box, both YAML, and the provider store.
func provided(tb testing.TB, claims, declared string) (*orkv1.Katalog, []*box.Set, []string) {
	tb.Helper()
	katalog := &orkv1.Katalog{}
	text := "providers: " + claims + "\nspec: {crds: {website: {apiTypes: {group: a.example.com, version: v1, kind: Website}, operatorBox: {providers: " + declared + "}}}}"
	if err := yaml.UnmarshalStrict([]byte(text), katalog); err != nil {
		tb.Fatalf("%v in %s", err, text)
	}
	registry, err := builtin.Registry()
	if err != nil {
		tb.Fatal(err)
	}
	sets, found := box.CompileKatalog(katalog, box.Options{Registry: registry, Providers: registryOf(tb, store{})})
	return katalog, sets, texts(found.Errors)
}

func texts(list field.ErrorList) []string {
	all := []string{}
	for _, one := range list {
		all = append(all, one.Error())
	}
	return all
}

func TestNeeds(t *testing.T) {
	cases := map[string]struct {
		reason, declared string
		want             map[string]string
		err              string
	}{
		"Flat": {
			reason: "maps are taken by their paths, and every value is a text", declared: `{name: x, size: 3, live: true, half: 0.5, none: null, tags: {a: {b: c}}}`,
			want: map[string]string{"name": "x", "size": "3", "live": "true", "half": "0.5", "tags.a.b": "c"},
		},
		"List": {
			reason: "a list is one value, as JSON, templates in it rendered", declared: `{names: [a, "{{ .metadata.name }}", {b: 1}], none: []}`,
			want: map[string]string{"names": `["a","w",{"b":1}]`, "none": "[]"},
		},
		"Rendered": {
			reason: "an expression may give a map, whose parts are fields", declared: `{name: "{{ .metadata.name }}-db", tags: "{{ .spec.tags }}"}`,
			want: map[string]string{"name": "w-db", "tags.team": "red"},
		},
		"Trimmed": {reason: "space around a block of YAML is not meant", declared: `{name: "\n  {{ .metadata.name }}\n"}`, want: map[string]string{"name": "w"}},
		"Empty":   {reason: "a kind may need no fields", declared: `{}`, want: map[string]string{}},
		"Fails":   {reason: "an error names the field", declared: `{name: "{{ slice .spec.tags.team 5 9 }}"}`, err: "thing.name: "},
	}
	facts := template.NewFacts(map[string]any{
		"metadata": map[string]any{"name": "w"}, "spec": map[string]any{"tags": map[string]any{"team": "red"}},
	}, nil)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, sets, wrong := provided(t, "[]", `{other: [{thing: `+tc.declared+`}]}`)
			if len(wrong) > 0 {
				t.Fatal(wrong)
			}
			got, err := sets[0].Effective("").Provided[0].Needs[0].Render(facts)
			if tc.err != "" {
				if err == nil || len(err.Error()) < len(tc.err) || err.Error()[:len(tc.err)] != tc.err {
					t.Errorf("\n%s\nRender(...): %v, want %s", tc.reason, err, tc.err)
				}
				return
			}
			if diff := cmp.Diff(providers.Declaration{Kind: "thing", Fields: tc.want}, got); err != nil || diff != "" {
				t.Errorf("\n%s\nRender(...): %v, -want, +got:\n%s", tc.reason, err, diff)
			}
		})
	}
}

func TestProviderOrder(t *testing.T) {
	_, sets, wrong := provided(t, "[{name: z}, {name: b}]", `{a: [{x: {}}], b: [{x: {}}], z: [{x: {}}, {v: {}}], aa: [{x: {}}]}`)
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	var got []string
	for _, one := range sets[0].Effective("").Provided {
		for _, need := range one.Needs {
			got = append(got, need.Place)
		}
	}
	want := []string{"providers.z[0] x", "providers.z[1] v", "providers.b[0] x", "providers.a[0] x", "providers.aa[0] x"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("claims come in their order, others after them by name: -want, +got:\n%s", diff)
	}
}

func TestProviderErrors(t *testing.T) {
	const at = "spec.crds[website].operatorBox.providers[store]"
	cases := map[string]struct {
		reason, declared string
		want             []string
	}{
		"Right": {reason: "all that it has", declared: `[{bucket: {name: a, owner: {id: "1"}, tags: {any: {thing: x}}}}, {queue: {name: "{{ .spec.x }}"}}]`, want: []string{}},
		"Whole": {reason: "an expression may give a whole map", declared: `[{bucket: {name: a, owner: "{{ .spec.owner }}", tags: "{{ .spec.tags }}"}}]`, want: []string{}},
		"Kind": {
			reason: "with the nearest one", declared: `[{buckett: {}}]`,
			want: []string{at + `[0].buckett: Invalid value: "buckett": is no kind of the provider store; did you mean bucket?`},
		},
		"FarKind": {
			reason: "or all there are", declared: `[{x: {}}]`,
			want: []string{at + `[0].x: Invalid value: "x": is no kind of the provider store (valid: bucket, queue)`},
		},
		"Field": {
			reason: "by its path, and what is missing as well", declared: `[{bucket: {nam: a, owner: {id: "1", x: y}}}]`,
			want: []string{
				at + `[0].bucket.nam: Invalid value: "nam": is no field of bucket; did you mean name?`,
				at + `[0].bucket.owner.x: Invalid value: "owner.x": is no field of bucket; did you mean owner.id?`,
				at + `[0].bucket.name: Required value: bucket needs it`,
			},
		},
		"Empty": {
			reason: "an empty one is not given", declared: `[{queue: {name: ""}}]`,
			want: []string{at + `[0].queue.name: Required value: queue needs it`},
		},
		"Template": {
			reason: "a text that does not compile is told with its place", declared: `[{queue: {name: "{{ .spec. }}"}}]`,
			want: []string{at + `[0].queue.name: Invalid value: "{{ .spec. }}": 1:1: unexpected <.> in operand`},
		},
		"Random": {
			reason: "what is another value each time is asked for anew each time", declared: `[{queue: {name: "{{ randomHex 4 }}"}}]`,
			want: []string{at + `[0].queue.name: Invalid value: "{{ randomHex 4 }}": 1:4: randomHex gives another value each time: the provider would be asked for something else in every cycle`},
		},
		"Condition": {
			reason: "and so is a condition", declared: `[{queue: {name: a}, when: [{field: spec.x, greaterThan: "{{"}]}]`,
			want: []string{at + `[0].when[0].greaterThan: Invalid value: "{{": 1:1: unclosed action`},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, _, got := provided(t, "[]", "{store: "+tc.declared+"}")
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestMissingProviders(t *testing.T) {
	const lacks = "is a provider that this binary does not have; run the Katalog with a program that registers it, see docs/write-a-provider.md"
	cases := map[string]struct {
		reason, claims, declared string
		must, warnings           []string
	}{
		"There":    {reason: "one that is there", claims: "[{name: store, required: true}]", declared: "{store: [{queue: {name: a}}]}", must: []string{}, warnings: []string{}},
		"Required": {reason: "what is required must be there", claims: "[{name: stor, required: true}]", declared: "{}", must: []string{`providers[0].name: Invalid value: "stor": ` + lacks + "; did you mean store?"}, warnings: []string{}},
		"Optional": {
			reason: "what is not required is passed over", claims: "[{name: other}]", declared: "{other: [{x: {}}]}", must: []string{},
			warnings: []string{`providers[0].name: Invalid value: "other": ` + lacks + " (valid: store); it is not required: what is declared of it is passed over, and resources that need it are not ready"},
		},
		"Unclaimed": {
			reason: "what nobody says may be missing must be there", claims: "[]", declared: "{other: [{x: {}}]}",
			must:     []string{`spec.crds[website].operatorBox.providers[other]: Invalid value: "other": ` + lacks + " (valid: store); or claim it in providers with required: false"},
			warnings: []string{},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			katalog, sets, wrong := provided(t, tc.claims, tc.declared)
			if len(wrong) > 0 {
				t.Fatal(wrong)
			}
			must, warnings := box.MissingProviders(katalog, sets, registryOf(t, store{}))
			if diff := cmp.Diff([][]string{tc.must, tc.warnings}, [][]string{texts(must), texts(warnings)}); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// Secrets that the Katalog names may be read, and no others.
func TestProviderSecrets(t *testing.T) {
	_, sets, wrong := provided(t, "[]", `{other: [{x: {passwordSecret: b, tls: {secretName: a}, secrets: c, from: {secretRef: {name: d}}}}, {v: {secret: "{{ .metadata.name }}"}}]}`)
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	var got []string
	for _, rule := range box.Rules(sets...) {
		if rule.Resources[0] == "secrets" {
			got = append(got, rule.ResourceNames...)
		}
	}
	if diff := cmp.Diff([]string{"a", "b", "d"}, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	want := []string{`spec.crds[website].operatorBox.providers[other][1].v.secret: Invalid value: "{{ .metadata.name }}": ` +
		"names a Secret that only the resource tells: the printed roles do not let the operator get it; add a Role for it where it is"}
	if diff := cmp.Diff(want, texts(sets[0].NotGranted())); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
