package rules_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/rules"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// crd reads an entry in YAML.
func crd(t *testing.T, text string) *orkv1.CRD {
	t.Helper()
	data, err := yaml.YAMLToJSON([]byte(text))
	c := &orkv1.CRD{}
	if err == nil {
		err = json.Unmarshal(data, c)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return c
}

// resourceOf reads one in YAML.
func resourceOf(t *testing.T, text string) map[string]any {
	t.Helper()
	var o orkv1.JSON
	data, err := yaml.YAMLToJSON([]byte(text))
	if err == nil {
		err = json.Unmarshal(data, &o)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	object, _ := o.Value.(map[string]any)
	return object
}

func TestServedValidation(t *testing.T) {
	cases := map[string]struct {
		reason        string
		crd, resource string
		want          []string
	}{
		"NotServed": {reason: "nothing is offered", crd: `serve: {fields: {size: {required: true}}}`, resource: `spec: {}`},
		"Required":  {reason: "the label tells people what is missing", crd: `serve: {enabled: true, fields: {size: {label: Size, required: true, path: storage.size}}}`, resource: `spec: {}`, want: []string{"size: Size is required"}},
		"There":     {reason: "at its path", crd: `serve: {enabled: true, fields: {size: {required: true, path: spec.storage.size}}}`, resource: `spec: {storage: {size: 5Gi}}`},
		"Labels": {
			reason: "of a label and an annotation the key is told", crd: `serve: {enabled: true, labels: {a.b/team: {required: true}}, annotations: {note: {required: true}}}`,
			resource: `metadata: {labels: {a.b/team: ""}}`, want: []string{"a.b/team: a.b/team is required", "note: note is required"},
		},
		"Order": {
			reason: "the lowest order is the first that people read, and rules of the Katalog come behind", resource: `spec: {}`,
			crd: `{serve: {enabled: true, fields: {a: {required: true}, b: {required: true, order: 2}, c: {required: true, order: 1}}},
				validation: {rules: [{field: spec.z, message: z is wanted}]}}`,
			want: []string{"spec.c: c is required", "spec.b: b is required", "spec.a: a is required", "spec.z: z is wanted"},
		},
		"Weakness62": {
			reason: "what a form hides is not asked of anybody", resource: `spec: {tier: free}`,
			crd: `serve: {enabled: true, fields: {tier: {}, size: {required: true, when: [{field: tier, equals: gold}]}}}`,
		},
		"Shown": {
			reason: "and is asked of everybody where it is shown", resource: `spec: {plan: {tier: gold}}`,
			crd:  `serve: {enabled: true, fields: {tier: {path: plan.tier}, size: {required: true, when: [{field: tier, equals: gold}]}}}`,
			want: []string{"spec.size: size is required"},
		},
		"HiddenByGate": {
			reason: "a resource does not tell what was only for the form", resource: `spec: {}`,
			crd: `serve: {enabled: true, fields: {expert: {gateOnly: true, required: true}, size: {required: true, when: [{field: expert, equals: "true"}]}}}`,
		},
		"FanOut": {
			reason: "each path that is written", resource: `spec: {a: {x: 1}}`,
			crd:  `serve: {enabled: true, fields: {size: {required: true, values: {a.x: "{{ .value }}", b.y: "{{ .value }}"}}}}`,
			want: []string{"size: size is required"},
		},
		"Enum":       {reason: "one of the values", crd: `serve: {enabled: true, fields: {plan: {type: enum, enum: [free, gold]}}}`, resource: `spec: {plan: iron}`, want: []string{"spec.plan: plan must be one of: free, gold"}},
		"EnumAbsent": {reason: "an optional field may be absent", crd: `serve: {enabled: true, fields: {plan: {type: enum, enum: [free, gold]}}}`, resource: `spec: {}`},
		"EnumComma":  {reason: "a value may hold a comma", crd: `serve: {enabled: true, fields: {plan: {type: enum, enum: ["a,b", "c.d"]}}}`, resource: `spec: {plan: "a,b"}`},
		"EnumCommaNot": {
			reason: "and a part of it is none", crd: `serve: {enabled: true, fields: {plan: {type: enum, enum: ["a,b", "c.d"]}}}`, resource: `spec: {plan: cxd}`,
			want: []string{"spec.plan: plan must be one of: a,b, c.d"},
		},
		"Duplicate": {
			reason: "who writes the rule says what it tells", resource: `spec: {plan: iron}`,
			crd: `{serve: {enabled: true, fields: {plan: {type: enum, enum: [free, gold], required: true}, size: {required: true}}},
				validation: {rules: [{field: .spec.size, message: how large}, {field: spec.size, exists: true, message: how large}, {field: spec.plan, in: "free, gold", message: which}]}}`,
			want: []string{"spec.size: how large", "spec.size: how large", "spec.plan: which"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			v, errs := rules.ValidationOf(template.NewLanguage(nil, nil), crd(t, tc.crd), field.NewPath("crd"))
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			var got []string
			for _, one := range v.Check(factsOf(resourceOf(t, tc.resource)), rules.Reconcile).Denied {
				got = append(got, one.Name()+": "+one.Message)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nCheck(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestServedMutation(t *testing.T) {
	cases := map[string]struct {
		reason        string
		crd, resource string
		want          map[string]any
	}{
		"Default":  {reason: "a label that is not there", crd: `serve: {enabled: true, labels: {team: {default: web}}}`, resource: `spec: {}`, want: map[string]any{"metadata.labels.team": "web"}},
		"Kept":     {reason: "one that is there stays", crd: `serve: {enabled: true, labels: {team: {default: web}}}`, resource: `metadata: {labels: {team: ops}}`},
		"OfField":  {reason: "the default of a field is the schema's", crd: `serve: {enabled: true, fields: {size: {default: 5}}}`, resource: `spec: {}`},
		"Override": {reason: "whatever somebody wrote", crd: `serve: {enabled: true, fields: {size: {override: 5, path: storage.size}}}`, resource: `spec: {storage: {size: 9}}`, want: map[string]any{"spec.storage.size": int64(5)}},
		"Annotation": {
			reason: "dots and slashes are part of a key", crd: `serve: {enabled: true, annotations: {a.b/c: {override: x}}}`, resource: `spec: {}`,
			want: map[string]any{"metadata.annotations.a.b/c": "x"},
		},
		"Later": {
			reason: "after the rules of the Katalog", resource: `spec: {}`,
			crd:  `{serve: {enabled: true, fields: {size: {override: "{{ .spec.other }}"}}}, mutation: {rules: [{field: spec.other, override: x}]}}`,
			want: map[string]any{"spec.other": "x", "spec.size": "x"},
		},
		"Duplicate": {
			reason: "which may say it themselves", resource: `spec: {}`,
			crd:  `{serve: {enabled: true, labels: {team: {default: web}}}, mutation: {rules: [{field: metadata.labels.team, default: ops}]}}`,
			want: map[string]any{"metadata.labels.team": "ops"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m, errs := rules.MutationOf(template.NewLanguage(nil, nil), crd(t, tc.crd), field.NewPath("crd"))
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			object := resourceOf(t, tc.resource)
			_, changes, problems := m.Apply(factsOf(object), object, rules.Reconcile)
			var got map[string]any
			for _, one := range changes {
				if got == nil {
					got = map[string]any{}
				}
				got[one.Path.String()] = one.After
			}
			if diff := cmp.Diff(tc.want, got); diff != "" || len(problems) > 0 {
				t.Errorf("\n%s\nApply(...): %v; -want, +got:\n%s", tc.reason, problems, diff)
			}
		})
	}
}

// What is wrong with a field is told where it stands.
func TestServedErrors(t *testing.T) {
	_, errs := rules.ValidationOf(template.NewLanguage(nil, schema), crd(t, `serve: {enabled: true, fields: {unheard: {required: true}}}`), field.NewPath("crd"))
	if len(errs) != 1 || errs[0].Field != "crd.serve.fields[unheard].field" {
		t.Errorf("a field that the schema does not have: %v", fmt.Sprint(errs))
	}
}
