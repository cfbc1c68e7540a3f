package admission_test

import (
	"encoding/json"
	"strings"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/gateway/admission"
	"github.com/orkestra-runtime/orkestra/gateway/entry"
)

// What rules elsewhere let pass without a word.
func TestWeaknessesOfRules(t *testing.T) {
	const spec = "{count: 7, s: many, list: [a], map: {a: b}, flag: true, nothing: null}"
	cases := map[string]struct {
		reason, rule string
		denied       bool
	}{
		"Weakness36Bound":     {reason: "a bound that is no number denies", rule: `{field: spec.count, operator: gt, value: "{{ .spec.s }}", message: x}`, denied: true},
		"Weakness36Regex":     {reason: "a pattern that is none denies", rule: `{field: spec.s, operator: regex, value: "({{ .spec.s }}", message: x}`, denied: true},
		"Weakness36Value":     {reason: "a value that is no number denies", rule: `{field: spec.s, min: 1, message: x}`, denied: true},
		"Weakness36Allow":     {reason: "unless that is said", rule: `{field: spec.count, operator: gt, value: "{{ .spec.s }}", message: x, onError: allow}`},
		"Weakness37Map":       {reason: "a map is one", rule: `{field: spec.map, operator: typeMap, message: x}`},
		"Weakness37NoMap":     {reason: "a list is none", rule: `{field: spec.list, operator: typeMap, message: x}`, denied: true},
		"Weakness37List":      {reason: "a list is one", rule: `{field: spec.list, operator: typeList, message: x}`},
		"Weakness37NoList":    {reason: "a text is none", rule: `{field: spec.s, operator: typeList, message: x}`, denied: true},
		"Weakness37Text":      {reason: "a text is one", rule: `{field: spec.s, operator: typeString, message: x}`},
		"Weakness37NoText":    {reason: "a number is none", rule: `{field: spec.count, operator: typeString, message: x}`, denied: true},
		"Weakness37Number":    {reason: "a number is one", rule: `{field: spec.count, operator: typeNumber, message: x}`},
		"Weakness37NoNumber":  {reason: "a truth value is none", rule: `{field: spec.flag, operator: typeNumber, message: x}`, denied: true},
		"Weakness37Bool":      {reason: "a truth value is one", rule: `{field: spec.flag, operator: typeBool, message: x}`},
		"Weakness37NoBool":    {reason: "a text is none", rule: `{field: spec.s, operator: typeBool, message: x}`, denied: true},
		"Weakness37Null":      {reason: "null is null", rule: `{field: spec.nothing, operator: typeNull, message: x}`},
		"Weakness37NoNull":    {reason: "a number is not", rule: `{field: spec.count, operator: typeNull, message: x}`, denied: true},
		"Weakness37TypeOf":    {reason: "by its name", rule: `{field: spec.count, operator: typeOf, value: string, message: x}`, denied: true},
		"Weakness37Missing":   {reason: "what is not there has no type", rule: `{field: spec.none, operator: typeString, message: x}`, denied: true},
		"Weakness38Not":       {reason: "what is not there is different", rule: `{field: spec.none, notEquals: a, message: x}`},
		"Weakness38NotIn":     {reason: "is in no list", rule: `{field: spec.none, notIn: "a,b", message: x}`},
		"Weakness38NotPrefix": {reason: "begins with nothing", rule: `{field: spec.none, notPrefix: a, message: x}`},
		"Weakness38NotSuffix": {reason: "ends with nothing", rule: `{field: spec.none, notSuffix: a, message: x}`},
		"Weakness38NotHas":    {reason: "contains nothing", rule: `{field: spec.none, notContains: a, message: x}`},
		"Weakness38NotExists": {reason: "and does not exist", rule: `{field: spec.none, notExists: true, message: x}`},
		"Weakness38In":        {reason: "nor is it in a list", rule: `{field: spec.none, in: "a,b", message: x}`, denied: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			all := entries(t, "", "validation: {rules: ["+tc.rule+"]}")
			got := ask(t, admission.Options{Entries: func() admission.Entries { return all }}, false, request(t, spec, false), new([]string))
			if got.Allowed == tc.denied {
				t.Errorf("%s: allowed %t: %s %q", tc.reason, got.Allowed, got.Message, got.Warnings)
			}
		})
	}
}

// A value that can't be had of the type that a rule wants is no value, and is not passed over in silence.
func TestWeakness36Mutation(t *testing.T) {
	const (
		fails    = `{{ .spec.s }}`
		defaults = `{field: spec.size, default: "` + fails + `", valueType: int}`
		override = `{field: spec.size, override: "` + fails + `", valueType: int}`
		other    = `{field: spec.other, default: x}`
	)
	cases := map[string]struct {
		reason, webhooks, rules string
		denied                  bool
		patched                 map[string]any
	}{
		"Override":           {reason: "what must be set and can't be is a denial", rules: override, denied: true},
		"OverrideAmong":      {reason: "whatever else is set", rules: other + ", " + override, denied: true},
		"Default":            {reason: "a default that can't be had is told of, and the others are set", rules: defaults + ", " + other, patched: map[string]any{"/spec/other": "x"}},
		"DefaultDenied":      {reason: "or it is a denial, where the Katalog says so", webhooks: "mutationErrorPolicy: Deny", rules: defaults, denied: true},
		"Weakness35":         {reason: "so is a rule that fails for another reason", webhooks: "mutationErrorPolicy: Deny", rules: `{field: spec.size, default: "{{ toInt .spec.s }}"}`, denied: true},
		"Weakness35Override": {reason: "and one that must be set", rules: `{field: spec.size, override: "{{ toInt .spec.s }}"}`, denied: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			all := entries(t, tc.webhooks, "mutation: {rules: ["+tc.rules+"]}")
			got := ask(t, admission.Options{Entries: func() admission.Entries { return all }}, true, request(t, "{s: many}", false), new([]string))
			said := got.Message
			if !tc.denied {
				said = strings.Join(got.Warnings, "; ")
			}
			if got.Allowed == tc.denied || !strings.Contains(said, `"spec.size"`) || !strings.Contains(said, "many") {
				t.Errorf("%s: allowed %t: %s %q", tc.reason, got.Allowed, got.Message, got.Warnings)
			}
			if diff := cmp.Diff(tc.patched, got.Patch); diff != "" {
				t.Errorf("%s: -want, +got patch\n%s", tc.reason, diff)
			}
		})
	}
}

// A rule with two comparisons, and a comparison with what it can't be compared with, are errors before anything is asked.
func TestWeaknessesOfDeclarations(t *testing.T) {
	for name, tc := range map[string]struct{ reason, rule, want string }{
		"Weakness36Regex": {"a pattern that is none", `{field: spec.s, regex: "(", message: x}`, "regex"},
		"Weakness36Bound": {"a bound that is no number", `{field: spec.s, min: many, message: x}`, "min"},
		"Weakness39":      {"two comparisons", `{field: spec.s, equals: a, prefix: b, message: x}`, "prefix"},
	} {
		t.Run(name, func(t *testing.T) {
			text := "apiVersion: orkestra.orkspace.io/v1\nkind: Katalog\nmetadata: {name: test}\nsecurity: {webhooks: {admission: {}}}\n" +
				"spec: {crds: {site: {apiTypes: {group: example.com, version: v1, kind: Site}, validation: {rules: [" + tc.rule + "]}}}}\n"
			result, err := katalog.Parse(katalog.Options{Gateway: true}, "katalog.yaml", []byte(text))
			said := ""
			if err != nil {
				said = err.Error()
			} else if _, errs := entry.Compile(result.Documents[0].Katalog, func(string) map[string]*roots.Props { return nil }); len(errs) > 0 {
				said = errs.ToAggregate().Error()
			}
			if !strings.Contains(said, tc.want) {
				t.Errorf("%s: %q does not name %s", tc.reason, said, tc.want)
			}
		})
	}
}

// A patch holds on an object that lacks what is above the field, and for keys with dots and slashes in them.
func TestWeakness35(t *testing.T) {
	for name, tc := range map[string]struct{ rules, spec, want string }{
		"Parents": {`{field: metadata.labels.tier, override: gold}`, "{}", "{metadata: {name: a, namespace: shop, labels: {tier: gold}}, spec: {}}"},
		"Keys": {
			`{field: 'metadata.annotations["a.b/c.d"]', override: x}, {field: metadata.annotations.plain, override: y}, {field: 'spec["c~d/e"]', override: z}`, "{}",
			`{metadata: {name: a, namespace: shop, annotations: {a.b/c.d: x, plain: "y"}}, spec: {c~d/e: z}}`,
		},
		"Deep":  {`{field: spec.a.b.c, default: 1, valueType: int}`, "{}", "{metadata: {name: a, namespace: shop}, spec: {a: {b: {c: 1}}}}"},
		"Later": {`{field: spec.a, default: x}, {field: spec.b, override: "{{ .spec.a }}y"}`, "{b: z}", "{metadata: {name: a, namespace: shop}, spec: {a: x, b: xy}}"},
		"None":  {`{field: spec.a, default: x}`, "{a: b}", "{metadata: {name: a, namespace: shop}, spec: {a: b}}"},
	} {
		t.Run(name, func(t *testing.T) {
			all := entries(t, "", "mutation: {rules: ["+tc.rules+"]}")
			r := request(t, tc.spec, false)
			response := admission.NewMutator(admission.Options{Entries: func() admission.Entries { return all }}).Handle(t.Context(), r)
			text, err := json.Marshal(response.Patches)
			if err != nil {
				t.Fatal(err)
			}
			if name == "None" && len(response.Patches) > 0 {
				t.Errorf("nothing changes: %s", text)
			}
			patch, err := jsonpatch.DecodePatch(text)
			if err != nil {
				t.Fatal(err)
			}
			patched, err := patch.Apply(r.Object.Raw)
			if err != nil {
				t.Fatalf("the patch %s does not hold: %v", text, err)
			}
			var want, got map[string]any
			if err := json.Unmarshal(patched, &got); err != nil {
				t.Fatal(err)
			}
			if err := yaml.Unmarshal([]byte(tc.want), &want); err != nil {
				t.Fatal(err)
			}
			want["apiVersion"], want["kind"] = "example.com/v1", "Site"
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: -want, +got\n%s", text, diff)
			}
		})
	}
}
