package serve

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/yaml"
)

// many is a CRD with surfaces that the caller may list, get, or not.
const many = `
enabled: true
namespace: shop
category: storage
description: keeps things
target:
  a: {primary: true}
  b: {tokens: {portal: {permissions: {schema: [list]}}}}
  c: {tokens: {portal: {permissions: {schema: [get]}}}}
  d: {tokens: {other: {permissions: {global: ['*']}}}}
  e: {enabled: false}
  f: {tokens: {portal: {permissions: {resources: ['*']}}}}
  g: {tokens: {portal: {namespaces: [elsewhere], permissions: {global: [get, list]}}}}
  h: {modes: {target: false}}
fields: {size: {required: true}, plan: {required: false}}
labels: {team: {required: true}}
`

func TestCatalog(t *testing.T) {
	a := apiOf(t, many, nil)
	cases := map[string]struct {
		reason, query string
		total         int
		targets       []string
		limit, offset int
		status        int
	}{
		"Permitted": {"what the token may list, in the order of the names; namespaces do not count", "", 4, []string{"a", "b", "g", "h"}, 50, 0, http.StatusOK},
		"Limit":     {"so many of them", "?limit=1", 4, []string{"a"}, 1, 0, http.StatusOK},
		"Offset":    {"from one on", "?limit=2&offset=1", 4, []string{"b", "g"}, 2, 1, http.StatusOK},
		"Last":      {"as far as there are any", "?limit=3&offset=3", 4, []string{"h"}, 3, 3, http.StatusOK},
		"Behind":    {"behind the last", "?offset=9", 4, []string{}, 50, 9, http.StatusOK},
		"Nothing":   {"how many there are", "?limit=0", 4, []string{}, 0, 0, http.StatusOK},
		"Huge":      {"numbers do not overflow", "?limit=1048576&offset=1048576", 4, []string{}, 1 << 20, 1 << 20, http.StatusOK},
		"Cluster":   {"the catalog is the same for all clusters", "?cluster=eu&limit=1", 4, []string{"a"}, 1, 0, http.StatusOK},
		"Negative":  {"what is no such number", "?limit=-1", 0, nil, 0, 0, http.StatusBadRequest},
		"Text":      {"what is no number", "?offset=two", 0, nil, 0, 0, http.StatusBadRequest},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got catalog
			if err := json.Unmarshal(asks(t, a, http.MethodGet, "/api/v1/schema"+tc.query, "", tc.status), &got); err != nil {
				t.Fatal(err)
			}
			if tc.status != http.StatusOK {
				return
			}
			targets := []string{}
			for _, one := range got.Items {
				targets = append(targets, one.Target)
				if diff := cmp.Diff(catalogued{Target: one.Target, Title: "Cache", Category: "storage", Description: "keeps things", Required: []string{"size", "team", "name"}}, one); diff != "" {
					t.Errorf("\n%s\none of the catalog: -want, +got:\n%s", tc.reason, diff)
				}
			}
			if diff := cmp.Diff(tc.targets, targets); diff != "" || got.Total != tc.total || got.Limit != tc.limit || got.Offset != tc.offset {
				t.Errorf("\n%s\n%d, limit %d, offset %d: -want, +got:\n%s", tc.reason, got.Total, got.Limit, got.Offset, diff)
			}
		})
	}
}

// TestSchemaDenied shows who is told of the fields of a target. One that is switched off, or takes no intents, is as one that is not there.
func TestSchemaDenied(t *testing.T) {
	a := apiOf(t, many, nil)
	for target, want := range map[string]int{
		"a": http.StatusOK, "b": http.StatusForbidden, "c": http.StatusOK, "d": http.StatusForbidden, "e": http.StatusNotFound, "f": http.StatusForbidden, "g": http.StatusOK,
		"h": http.StatusNotFound, "x": http.StatusNotFound,
	} {
		got := answers(t, a, http.MethodGet, "/api/v1/schema?target="+target, "", want)
		if message, _ := got["message"].(string); want == http.StatusNotFound && message != `there is no target "`+target+`" (yours: a, b, g, h)` {
			t.Errorf("%s is answered with %q, want what the token may list", target, message)
		}
	}
}

// TestSchemaFlat shows that nothing in what a target asks for tells where a value goes: fields that are declared alike are told alike.
func TestSchemaFlat(t *testing.T) {
	const declared = `{label: One, placeholder: p, hint: h, category: c, order: 0, required: true, type: enum, enum: [x, z], default: x, sensitive: true, when: [{field: other, equals: "1"}]}`
	const serve = `
enabled: true
namespace: shop
name: '{{ .a }}'
fields: {a: ` + declared + `, pathed: {path: very.deep.place, label: P}, made: {value: '{{ upper .value }}', label: P}, fanned: {values: {very.wide: '{{ .value }}'}, label: P}, gated: {gateOnly: true, label: P}}
labels: {b: ` + declared + `, example.com/tier: {label: P}}
annotations: {c: ` + declared + `, example.com/note: {label: P}}
`
	text := asks(t, apiOf(t, serve, nil), http.MethodGet, "/api/v1/schema?target=cache", "", http.StatusOK)
	var got struct {
		Fields   map[string]map[string]any `json:"fields"`
		Required []string                  `json:"required"`
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Fields) != 9 {
		t.Errorf("%d fields, want all 9: %s", len(got.Fields), text)
	}
	for _, alike := range [][]string{{"a", "b", "c"}, {"pathed", "made", "fanned", "gated", "example.com/tier", "example.com/note"}} {
		for _, other := range alike[1:] {
			if diff := cmp.Diff(got.Fields[alike[0]], got.Fields[other]); diff != "" {
				t.Errorf("%s and %s are told apart:\n%s", alike[0], other, diff)
			}
		}
	}
	want := map[string]any{
		"label": "One", "placeholder": "p", "hint": "h", "category": "c", "required": true, "type": "enum", "enum": []any{"x", "z"}, "default": "x", "sensitive": true,
	}
	one := got.Fields["b"]
	if _, ok := one["conditions"]; !ok {
		t.Error("when a field is shown is not told")
	}
	delete(one, "conditions")
	if diff := cmp.Diff(want, one); diff != "" {
		t.Errorf("a field: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a"}, got.Required); diff != "" {
		t.Errorf("required: -want, +got:\n%s", diff)
	}
	for _, word := range []string{"very", "deep", "wide", "upper", "gateOnly", "spec", "annotation", `"path"`, `"value"`} {
		if strings.Contains(string(text), word) {
			t.Errorf("what a target asks for has the word %s: %s", word, text)
		}
	}
}

// TestSchemaRequired shows that all is told without which an intent is refused.
func TestSchemaRequired(t *testing.T) {
	const fields = "fields: {env: {}, size: {required: true}}\nlabels: {team: {}, example.com/zone: {}}\n"
	cases := map[string]struct {
		reason, serve string
		want          []string
	}{
		"Name":    {"without a template of the name the caller gives one", "namespace: shop", []string{"size", "name"}},
		"Made":    {"what the name and the namespace are made of", "name: '{{ .env }}-{{ .team }}'\nnamespace: '{{ .team }}'", []string{"env", "size", "team"}},
		"Request": {"however it is read", "name: '{{ .request.env }}'\nnamespace: shop", []string{"env", "size"}},
		"Hidden":  {"none that a condition hides", "namespace: shop\nannotations: {note: {required: true, when: [{field: env, equals: prod}]}}", []string{"size", "name"}},
		"Order":   {"in the order of a form", "namespace: shop\nannotations: {last: {required: true}, a: {required: true, order: 2}, b: {required: true, order: 1}}", []string{"b", "a", "last", "size", "name"}},
		"Own":     {"a field that is called name", "namespace: shop\nannotations: {name: {}}", []string{"size"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			a := apiOf(t, "enabled: true\n"+fields+tc.serve, nil)
			var told struct {
				Required []string         `json:"required"`
				Fields   map[string]asked `json:"fields"`
				Items    []catalogued     `json:"items"`
			}
			for _, query := range []string{"", "?target=cache"} {
				if err := json.Unmarshal(asks(t, a, http.MethodGet, "/api/v1/schema"+query, "", http.StatusOK), &told); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(tc.want, told.Required); diff != "" {
				t.Errorf("\n%s\nof the target: -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.want, told.Items[0].Required); diff != "" {
				t.Errorf("\n%s\nin the catalog: -want, +got:\n%s", tc.reason, diff)
			}
			for key, one := range told.Fields {
				if hidden := one.When != nil; one.Required != (slices.Contains(tc.want, key) || hidden) {
					t.Errorf("\n%s\nthe field %s is required: %t", tc.reason, key, one.Required)
				}
			}
		})
	}
}

// TestSchemaOfCluster shows that a cluster may be named for the fields of a target, if that leads there.
func TestSchemaOfCluster(t *testing.T) {
	a := apiOf(t, open+"clusters: [eu]", nil)
	for query, want := range map[string]int{"": http.StatusOK, "&cluster=eu": http.StatusOK, "&cluster=us": http.StatusNotFound} {
		answers(t, a, http.MethodGet, "/api/v1/schema?target=cache"+query, "", want)
	}
}

// definition is that of the CRD, as a cluster has it.
const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: caches.example.com}
spec:
  group: example.com
  versions:
  - {name: v0, schema: {openAPIV3Schema: {properties: {spec: {properties: {old: {type: string}}}}}}}
  - {name: v1, schema: {openAPIV3Schema: {properties: {spec: {required: [size], properties: {size: {type: string}, replicas: {type: integer, minimum: 1}}}}}}}
`

func TestRawSchema(t *testing.T) {
	known := runtime.NewScheme()
	if err := apiextensionsv1.AddToScheme(known); err != nil {
		t.Fatal(err)
	}
	object := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict([]byte(definition), object); err != nil {
		t.Fatal(err)
	}
	reads := 0
	cluster := fake.NewClientBuilder().WithScheme(known).WithObjects(object).WithInterceptorFuncs(interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			reads++
			return c.Get(ctx, key, o, opts...)
		},
	}).Build()
	const bare = "enabled: true\nnamespace: shop\n"
	spec := map[string]any{"required": []any{"size"}, "properties": map[string]any{"size": map[string]any{"type": "string"}, "replicas": map[string]any{"type": "integer", "minimum": 1.0}}}
	cases := map[string]struct {
		reason, serve, query string
		status               int
		labels, annotations  map[string]any
	}{
		"NoFields": {"the definition is told without any field of intents", bare, "?kind=Cache", http.StatusOK, map[string]any{}, map[string]any{}},
		"Fields": {
			"labels and annotations are told as they are asked for", bare + "fields: {big: {path: size}}\nlabels: {team: {required: true}}\nannotations: {note: {label: Note}}", "?kind=Cache&apiVersion=example.com/v1", http.StatusOK,
			map[string]any{"team": map[string]any{"label": "team", "type": "string", "required": true}},
			map[string]any{"note": map[string]any{"label": "Note", "type": "string"}},
		},
		"Version": {"another version is not served", bare, "?kind=Cache&apiVersion=example.com/v0", http.StatusNotFound, nil, nil},
		"Kind":    {"nor is another kind", bare, "?kind=Pod", http.StatusNotFound, nil, nil},
		"NoKind":  {"none is asked for", bare, "", http.StatusBadRequest, nil, nil},
		"Mode":    {"whole resources are not taken", bare + "modes: {cr: false}", "?kind=Cache", http.StatusNotFound, nil, nil},
		"Denied":  {"the token may not get schemas", bare + "tokens: {portal: {permissions: {schema: [list], resources: ['*']}}}", "?kind=Cache", http.StatusForbidden, nil, nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			reads = 0
			got := answers(t, apiOf(t, tc.serve, cluster), http.MethodGet, "/api/v1/raw-schema"+tc.query, "", tc.status)
			if tc.status != http.StatusOK {
				if reads != 0 {
					t.Errorf("\n%s\nthe cluster was asked all the same", tc.reason)
				}
				return
			}
			want := map[string]any{"kind": "Cache", "apiVersion": "example.com/v1", "spec": spec, "labels": tc.labels, "annotations": tc.annotations}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("\n%s\nrawSchema: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestRawSchemaIgnored shows that what a form does not show is left out, at any depth, also of what is required.
func TestRawSchemaIgnored(t *testing.T) {
	known := runtime.NewScheme()
	if err := apiextensionsv1.AddToScheme(known); err != nil {
		t.Fatal(err)
	}
	object := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict([]byte(`metadata: {name: caches.example.com}
spec:
  group: example.com
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        properties:
          spec:
            required: [size, replicas]
            properties:
              size: {type: string}
              replicas: {type: integer}
              storage: {type: object, required: [class], properties: {class: {type: string}, size: {type: string}}}
`), object); err != nil {
		t.Fatal(err)
	}
	cluster := fake.NewClientBuilder().WithScheme(known).WithObjects(object).Build()
	got := answers(t, apiOf(t, "enabled: true\nnamespace: shop\nignore: [replicas, spec.storage.class, absent.x]\n", cluster), http.MethodGet, "/api/v1/raw-schema?kind=Cache", "", http.StatusOK)
	want := map[string]any{"required": []any{"size"}, "properties": map[string]any{
		"size": map[string]any{"type": "string"}, "storage": map[string]any{"type": "object", "properties": map[string]any{"size": map[string]any{"type": "string"}}},
	}}
	if diff := cmp.Diff(want, got["spec"]); diff != "" {
		t.Errorf("spec: -want, +got:\n%s", diff)
	}
}
