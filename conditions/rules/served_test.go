package rules_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/orkestra-runtime/orkestra/api/dotpath"
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
		"FanOutNone": {
			reason: "it is told once, however many paths there are", resource: `spec: {}`,
			crd:  `serve: {enabled: true, fields: {size: {required: true, values: {a.x: "{{ .value }}", b.y: "{{ .value }}", c.z: "{{ .value }}"}}}}`,
			want: []string{"size: size is required"},
		},
		"Enum":       {reason: "one of the values", crd: `serve: {enabled: true, fields: {plan: {type: enum, enum: [free, gold]}}}`, resource: `spec: {plan: iron}`, want: []string{"spec.plan: plan must be one of: free, gold"}},
		"EnumAbsent": {reason: "an optional field may be absent", crd: `serve: {enabled: true, fields: {plan: {type: enum, enum: [free, gold]}}}`, resource: `spec: {}`},
		"Brackets": {
			reason: "a key with dots is one key", resource: `spec: {nodes: {a.b/c: iron}}`,
			crd:  `serve: {enabled: true, fields: {node: {path: 'nodes["a.b/c"]', required: true, enum: [gold]}, other: {path: 'nodes["x.y"].z', required: true}}}`,
			want: []string{"node: node must be one of: gold", "other: other is required"},
		},
		"BracketsShown": {
			reason: "also of the field that another one depends on", resource: `spec: {nodes: {a.b/c: iron}}`,
			crd:  `serve: {enabled: true, fields: {node: {path: 'nodes["a.b/c"]'}, size: {required: true, when: [{field: node, equals: gold}]}, wide: {required: true, when: [{field: node, equals: iron}]}}}`,
			want: []string{"spec.wide: wide is required"},
		},
		"EnumComma": {reason: "a value may hold a comma", crd: `serve: {enabled: true, fields: {plan: {type: enum, enum: ["a,b", "c.d"]}}}`, resource: `spec: {plan: "a,b"}`},
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
		"Brackets": {
			reason: "a key with dots is one key", crd: `serve: {enabled: true, fields: {node: {path: 'spec.nodes["a.b/c"]', override: up}}}`, resource: `spec: {}`,
			want: map[string]any{"spec.nodes.a.b/c": "up"},
		},
		"Typed": {
			reason: "what a template makes has the type of the field", crd: `serve: {enabled: true, fields: {size: {type: integer, override: "{{ .spec.a }}"}, b: {type: enum, enum: [x], override: x}}}`,
			resource: `spec: {a: "5"}`, want: map[string]any{"spec.size": int64(5), "spec.b": "x"},
		},
		"Several":   {reason: "one value has no several places", crd: `serve: {enabled: true, fields: {size: {values: {a.x: "1", b.x: "2"}, override: 5}}}`, resource: `spec: {}`},
		"NotServed": {reason: "nothing is offered", crd: `serve: {labels: {team: {default: web}}}`, resource: `spec: {}`},
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

// roots are those of schema, no others besides metadata and request, and of replicas whole numbers.
type roots struct{ known }

func (r roots) Check(path template.Path) *template.Misread {
	if !slices.Contains([]string{"spec", "metadata", "request"}, path[0]) {
		return &template.Misread{Problem: "there is no ." + path[0]}
	}
	return r.known.Check(path)
}

func (r roots) Shape(path template.Path) template.Shape {
	shape := r.known.Shape(path)
	shape.Whole = path.String() == "spec.replicas"
	return shape
}

// What is wrong with what is served is told where it stands, once, enabled or not.
func TestServedErrors(t *testing.T) {
	cases := map[string]struct {
		reason, crd string
		want        []string
	}{
		"Unknown": {reason: "a field that the schema does not have, whatever follows from it", crd: `serve: {enabled: true, fields: {unheard: {required: true, override: 1}}}`, want: []string{
			`crd.serve.fields[unheard]: Invalid value: "unheard": the API server takes nothing there: spec.unheard is not in the schema`,
		}},
		"Path": {reason: "at the path that says it", crd: `serve: {fields: {size: {path: spec.unheard}, both: {values: {a.b: x, unheard.c: x}}}}`, want: []string{
			`crd.serve.fields[both].values[a.b]: Invalid value: "a.b": the API server takes nothing there: spec.a.b is not in the schema`,
			`crd.serve.fields[both].values[unheard.c]: Invalid value: "unheard.c": the API server takes nothing there: spec.unheard.c is not in the schema`,
			`crd.serve.fields[size].path: Invalid value: "spec.unheard": the API server takes nothing there: spec.unheard is not in the schema`,
		}},
		"NoPath": {reason: "a path that is none", crd: `serve: {fields: {size: {path: "tags[0]"}}}`, want: []string{
			`crd.serve.fields[size].path: Invalid value: "tags[0]": the path "tags[0]" leads into a list, and paths lead through maps only: name the list, which is written and compared whole`,
		}},
		"Disabled":  {reason: "what nobody may set is not written", crd: `serve: {fields: {unheard: {disabled: gone}}}`},
		"GateOnly":  {reason: "nor what is for conditions alone", crd: `serve: {fields: {unheard: {gateOnly: true}}}`},
		"OtherType": {reason: "a type that the schema does not have", crd: `serve: {fields: {replicas: {type: boolean}}}`, want: []string{`crd.serve.fields[replicas].type: Invalid value: "boolean": spec.replicas is a number in the schema: leave the type out`}},
		"Enum": {reason: "values that the schema does not have", crd: `serve: {fields: {tier: {enum: [gold, iron]}, replicas: {enum: ["1", x, "1.5"]}}}`, want: []string{
			`crd.serve.fields[replicas].enum[1]: Invalid value: "x": spec.replicas: "x" is not a number`,
			`crd.serve.fields[replicas].enum[2]: Invalid value: "1.5": spec.replicas: "1.5" is not a whole number`,
			`crd.serve.fields[tier].enum[1]: Invalid value: "iron": spec.tier is one of gold, silver`,
		}},
		"EnumOfSent": {reason: "what is sent is not what is written", crd: `serve: {fields: {tier: {enum: [best], value: gold}}}`},
		"Override":   {reason: "a value that the schema does not take", crd: `serve: {fields: {replicas: {override: 1.5}}}`, want: []string{`crd.serve.fields[replicas].override: Invalid value: 1.5: "1.5" is not a whole number`}},
		"Selector": {reason: "paths of whole resources, and their values", crd: `serve: {target: {a: {fieldSelector: {spec.unheard: x, spec.tier: iron, "spec.list[0]": x, metadata.labels.a: x}}}}`, want: []string{
			`crd.serve.target[a].fieldSelector[spec.list[0]]: Invalid value: "spec.list[0]": the path "spec.list[0]" leads into a list, and paths lead through maps only: name the list, which is written and compared whole`,
			`crd.serve.target[a].fieldSelector[spec.tier]: Invalid value: "iron": spec.tier is one of gold, silver`,
			`crd.serve.target[a].fieldSelector[spec.unheard]: Invalid value: "spec.unheard": spec.unheard is not in the schema`,
		}},
		"Shown": {
			reason: "conditions of fields from which no rule follows",
			crd:    `serve: {fields: {name: {when: [{field: spec.name, operator: is}, {field: tier, regex: "("}]}, tier: {or: [{field: teir, equals: x}]}, any: {when: [{field: gate, exists: true}, {field: a.b}]}, gate: {gateOnly: true}}}`,
			want: []string{
				"crd.serve.fields[name].when[0].operator", "crd.serve.fields[name].when[1].regex",
				`crd.serve.fields[tier].or[0].field: Invalid value: "teir": serve has no field of that name: did you mean tier?`, "crd.serve.fields[any].when[1].field",
			},
		},
		"Nothing": {reason: "what fits", crd: `serve: {enabled: true, fields: {tier: {type: enum, enum: [gold], override: gold}, replicas: {type: integer, override: 1.0}}, labels: {t: {when: [{field: tier, equals: gold}]}}}`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			l, declared, at := template.NewLanguage(nil, roots{schema}), crd(t, tc.crd), field.NewPath("crd")
			errs := rules.CheckServed(l, declared, at)
			_, more := rules.ValidationOf(l, declared, at)
			errs = append(errs, more...)
			_, more = rules.MutationOf(l, declared, at)
			errs = append(errs, more...)
			got := map[string]bool{}
			for _, err := range errs {
				got[err.Error()] = true
			}
			for _, want := range tc.want {
				found := ""
				for text := range got {
					if strings.HasPrefix(text, want) {
						found = text
					}
				}
				if delete(got, found); found == "" {
					t.Errorf("\n%s\nis not told: %s", tc.reason, want)
				}
			}
			if len(got) > 0 {
				t.Errorf("\n%s\nis told as well: %v", tc.reason, slices.Sorted(maps.Keys(got)))
			}
			for _, warning := range l.Warnings() {
				t.Errorf("\n%s\nis warned of: %v", tc.reason, warning)
			}
		})
	}
}

// TestServedNames shows what names may read.
func TestServedNames(t *testing.T) {
	const refused = ", and an intent without it is refused"
	cases := map[string]struct {
		reason, crd string
		want        []string
	}{
		"Declared": {reason: "each of the three maps gives fields", crd: `serve: {namespace: "{{ .a }}-{{ .b }}", name: "{{ .c }}", fields: {a: {gateOnly: true}}, labels: {b: {}}, annotations: {c: {}}}`},
		"Always":   {reason: "what there is without a declaration", crd: `serve: {namespace: "{{ .metadata.labels.team }}{{ .namespace }}", name: "{{ .name }}-{{ .spec.tier }}-{{ .target }}-{{ hash .request }}{{ .request.name }}"}`},
		"Static":   {reason: "a text reads nothing", crd: `serve: {namespace: shops}`},
		"Unknown": {
			reason: "nobody gives it", crd: `serve: {namespace: "{{ .nosuch }}", name: "a-{{ .nosuch.deep }}", fields: {tier: {}}}`,
			want: []string{
				`crd.serve.name: Invalid value: "a-{{ .nosuch.deep }}": no declared field gives .nosuch` + refused,
				`crd.serve.namespace: Invalid value: "{{ .nosuch }}": no declared field gives .nosuch` + refused,
			},
		},
		"Misspelt": {
			reason: "also of the whole intent", crd: `serve: {namespace: "{{ .request.teir }}", fields: {tier: {}}}`,
			want: []string{`crd.serve.namespace: Invalid value: "{{ .request.teir }}": no declared field gives .teir` + refused + ": did you mean .tier?"},
		},
		"Whole":  {reason: "a whole resource has the fields of its spec", crd: `serve: {modes: {target: false}, namespace: "{{ .tier }}"}`},
		"Broken": {reason: "what does not compile is told elsewhere", crd: `serve: {namespace: "{{ .nosuch"}`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			l := template.NewLanguage(nil, roots{schema})
			if errs := rules.CheckServed(l, crd(t, tc.crd), field.NewPath("crd")); len(errs) > 0 {
				t.Error(errs)
			}
			var got []string
			for _, warning := range l.Warnings() {
				got = append(got, warning.Error())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nCheckServed(...) warns: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// FuzzServed shows that a field of an intent is written and read at one place, however its path is spelled, and that what is written
// satisfies the rules that follow from it.
func FuzzServed(f *testing.F) {
	for _, seed := range [][3]string{
		{"size", "storage.size", "5Gi"},
		{"node", `spec.nodes["a.b/c"].d`, "x"},
		{"a.b", "", "x, y"},
		{"spec", "", " "},
		{"m", `['"']`, "{{ x"},
		{"size", "metadata.name", ""},
		{"size", "tags[0]", "1"},
		{"a/b", "", "\x00"},
		{"\f", "", "1"},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, key, path, value string) {
		if strings.Contains(value, "{{") || !utf8.ValidString(value) || value == "" || strings.TrimSpace(value) != value {
			return // a template, no JSON, nothing, or what a template that reads it would trim
		}
		serve := &orkv1.Serve{Enabled: true, Fields: map[string]orkv1.ServeField{
			key: {Path: path, Required: true, Enum: []string{value}, Override: &orkv1.JSON{Value: value}},
		}}
		served, l, at := &orkv1.CRD{Serve: serve}, template.NewLanguage(nil, nil), field.NewPath("crd")
		where, err := dotpath.OfField(key, path)
		if errs := rules.CheckServed(l, served, at); (len(errs) > 0) != (err != nil) {
			t.Fatalf("the path is %q, %v, and the check says %v", where, err, errs)
		}
		m, errs := rules.MutationOf(l, served, at)
		if (len(errs) > 0) != (err != nil) {
			t.Fatalf("the path is %q, %v, and the mutation says %v", where, err, errs)
		}
		v, errs := rules.ValidationOf(l, served, at)
		if (len(errs) > 0) != (err != nil) {
			t.Fatalf("the path is %q, %v, and the validation says %v", where, err, errs)
		}
		if err != nil {
			return
		}
		before := map[string]any{"spec": map[string]any{}}
		after, _, problems := m.Apply(factsOf(before), before, rules.Reconcile)
		if got, _ := template.Path(append([]string{"spec"}, where...)).Lookup(template.NewFacts(after, nil)); len(problems) > 0 || got != value {
			t.Fatalf("%q is at %q: %v", got, where, problems)
		}
		if denied := v.Check(factsOf(after), rules.Reconcile); len(denied.Denied)+len(denied.Problems) > 0 {
			t.Fatalf("what is written at %q is denied: %+v", where, denied)
		}
		if denied := v.Check(factsOf(before), rules.Reconcile); len(denied.Denied) != 1 {
			t.Fatalf("what is not written at %q is not denied: %+v", where, denied)
		}
	})
}
