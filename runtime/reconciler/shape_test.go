package reconciler

import (
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/orkestra-runtime/orkestra/conditions/roots"
)

// shaped is a resource whose definition says much of its status.
func shaped(t *testing.T) Resource {
	t.Helper()
	text, number := roots.Props{Type: "string"}, roots.Props{Type: "integer"}
	name := roots.Props{Type: "string", Pattern: "^[a-z]+$", MaxLength: new(int64(5))}
	percent := roots.Props{Type: "integer", Minimum: new(0.0), Maximum: new(100.0)}
	endpoint := roots.Props{Type: "object", Required: []string{"host", "port"}, Properties: map[string]roots.Props{"host": text, "port": number}}
	root := roots.Props{Type: "object", Properties: map[string]roots.Props{"status": {Type: "object", Properties: map[string]roots.Props{
		"phase": text, "name": name, "percent": percent, "endpoint": endpoint,
		"size":       {Type: "integer", Enum: []apiextensionsv1.JSON{{Raw: []byte("1")}, {Raw: []byte("2")}}},
		"endpoints":  {Type: "array", MaxItems: new(int64(1)), Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &endpoint}},
		"conditions": {Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &roots.Props{Type: "object", XPreserveUnknownFields: new(true)}}},
	}}}}
	crd := &apiextensionsv1.CustomResourceDefinition{Spec: apiextensionsv1.CustomResourceDefinitionSpec{
		Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
			Name: "v1", Served: true, Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &root},
			Subresources: &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}},
		}},
	}}
	resource, _, ok := ResourceOf(schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Site"}, crd)
	if !ok {
		t.Fatal("the version is served")
	}
	return resource
}

func TestShape(t *testing.T) {
	cases := map[string]struct {
		reason string
		path   []string
		value  any
		want   string
	}{
		"Fits":        {reason: "what keeps all rules is taken", path: []string{"name"}, value: "shop"},
		"Nothing":     {reason: "no field is never wrong", path: []string{"name"}},
		"Undeclared":  {reason: "nor is one that the schema does not have", path: []string{"other"}, value: "x"},
		"Pattern":     {reason: "a text by its pattern", path: []string{"name"}, value: "A", want: "should match '^[a-z]+$'"},
		"Long":        {reason: "and by its length", path: []string{"name"}, value: "abcdef", want: "should be at most 5 chars long"},
		"Large":       {reason: "a number by its bounds", path: []string{"percent"}, value: int64(101), want: "should be less than or equal to 100"},
		"Small":       {reason: "on both sides", path: []string{"percent"}, value: int64(-1), want: "should be greater than or equal to 0"},
		"OneOf":       {reason: "a number may be one of few", path: []string{"size"}, value: int64(2)},
		"NoneOf":      {reason: "and no other then", path: []string{"size"}, value: int64(3), want: "should be one of [1 2]"},
		"Inner":       {reason: "a map has its fields", path: []string{"endpoint"}, value: map[string]any{"host": "a"}, want: "port is required"},
		"InnerType":   {reason: "of their types", path: []string{"endpoint"}, value: map[string]any{"host": "a", "port": "b"}, want: `port must be of type integer: "string"`},
		"Element":     {reason: "so do those of a list", path: []string{"endpoints"}, value: []any{map[string]any{"host": "a"}}, want: "[0].port is required"},
		"InnerNumber": {reason: "numbers come in two types", path: []string{"percent"}, value: float64(3)},
	}
	check := shaped(t).Check
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := ""
			if err := check(tc.path, tc.value); err != nil {
				got = err.Error()
			}
			if got != tc.want {
				t.Errorf("%s\ncheck(%v, %v) = %q, want %q", tc.reason, tc.path, tc.value, got, tc.want)
			}
		})
	}
}

// A field that the server would refuse is left out alone: the others are written, and so is whether the resource is ready.
func TestStatusLeavesOutMisfits(t *testing.T) {
	h := newHarness(t, `{status: {fields: [
		{path: phase, value: Up}, {path: name, value: "{{ .spec.name }}"}, {path: percent, value: "{{ .spec.percent }}"},
		{path: endpoint.host, value: a}, {path: endpoint.port, value: "{{ .spec.port }}"}]}}`,
		map[string]any{"name": "Shop", "percent": "250", "port": "eighty"})
	shape := shaped(t)
	h.Resource.Keeps, h.Resource.Schema, h.Resource.Check = shape.Keeps, shape.Schema, shape.Check
	h.cycle(t)
	status, _ := h.resource.Object["status"].(map[string]any)
	for _, name := range []string{"name", "percent", "endpoint"} {
		if value, is := status[name]; is {
			t.Errorf("status.%s is %v, want it left out", name, value)
		}
	}
	if status["phase"] != "Up" || status["conditions"] == nil {
		t.Errorf("the rest is written, got %v", status)
	}
}
