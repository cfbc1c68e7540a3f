package template_test

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

func TestOfDeployment(t *testing.T) {
	declared := deployment()
	declared.When = []orkv1.Condition{{Field: "{{ .broken"}}
	compiled, errs := template.CompileOf(nil, declared, field.NewPath("deployments").Index(0))
	if len(errs) > 0 {
		t.Fatalf("conditions are compiled by others: %v", errs)
	}
	want := orkv1.Deployment{
		Entry: orkv1.Entry{
			Conditions: declared.Conditions,
			Name:       "shop-web", Namespace: "prod",
			Labels: map[string]orkv1.Template{"app": "shop", "tier": "web"},
		},
		Workload: orkv1.Workload{
			Image: "nginx:1.27", Args: []orkv1.Template{"serve", "--port=80"}, Port: "80",
			Env: []orkv1.EnvVar{
				{Name: "LEVEL", Value: "info"},
				{Name: "PASSWORD", ValueFrom: &orkv1.EnvVarSource{SecretKeyRef: &orkv1.KeyRef{Name: "shop-db", Key: "password"}}},
			},
			Resources: &orkv1.Resources{Requests: map[string]orkv1.Template{"cpu": "100m", "memory": "64Mi"}},
			Probes:    &orkv1.Probes{Readiness: &orkv1.Probe{Path: "/ready", Port: "80"}},
		},
		Replicas: "3",
	}
	for range 2 {
		got, err := compiled.Render(website())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Render(): -want, +got:\n%s", diff)
		}
	}
	original := deployment()
	original.When = declared.When
	if diff := cmp.Diff(original, declared); diff != "" {
		t.Errorf("what was compiled is left as it is: -want, +got:\n%s", diff)
	}
}

type shapes struct {
	Plain    string                    `json:"plain"`
	Named    map[string]shape          `json:"named"`
	Data     orkv1.JSON                `json:"data"`
	Object   map[string]orkv1.JSON     `json:"object"`
	Pointer  *orkv1.Template           `json:"pointer"`
	Static   *shape                    `json:"static"`
	Numbered map[int]string            `json:"numbered"`
	Lists    map[string][]string       `json:"lists"`
	Empty    map[string]orkv1.Template `json:"empty"`
	hidden   orkv1.Template
}

type shape struct {
	Text orkv1.Template `json:"text"`
}

func TestOfShapes(t *testing.T) {
	value := shapes{
		Plain:   "{{ .not.a.template }}",
		Named:   map[string]shape{"a": {Text: "{{ .metadata.name }}"}, "b": {Text: "x"}},
		Data:    orkv1.JSON{Value: map[string]any{"n": "{{ .spec.replicas }}"}},
		Object:  map[string]orkv1.JSON{"spec": {Value: []any{"{{ .spec.enabled }}"}}, "data": {Value: "x"}},
		Pointer: new(orkv1.Template("{{ .spec.image }}")),
		Static:  &shape{Text: "x"},
		hidden:  "{{ .broken",
	}
	compiled, errs := template.CompileOf(nil, &value, field.NewPath("value"))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	got, err := compiled.Render(facts())
	if err != nil {
		t.Fatal(err)
	}
	want := value
	want.Named = map[string]shape{"a": {Text: "shop"}, "b": {Text: "x"}}
	want.Data = orkv1.JSON{Value: map[string]any{"n": int64(3)}}
	want.Object = map[string]orkv1.JSON{"spec": {Value: []any{true}}, "data": {Value: "x"}}
	want.Pointer = new(orkv1.Template("nginx"))
	if diff := cmp.Diff(&want, got, cmp.AllowUnexported(shapes{})); diff != "" {
		t.Errorf("Render(): -want, +got:\n%s", diff)
	}
	if got.Static != value.Static {
		t.Error("a part without a template is shared, not copied")
	}
	if got == &value {
		t.Error("a part with a template is copied, not shared")
	}
}

func TestOfStatic(t *testing.T) {
	compiled, errs := template.CompileOf(nil, shape{Text: "x"}, field.NewPath("value"))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	got, err := compiled.Render(template.Facts{})
	if diff := cmp.Diff(shape{Text: "x"}, got); diff != "" || err != nil {
		t.Errorf("a value without templates renders to itself: %v, -want, +got:\n%s", err, diff)
	}
}

func TestOfErrors(t *testing.T) {
	broken := orkv1.Deployment{
		Entry:    orkv1.Entry{Labels: map[string]orkv1.Template{"b": "{{ nosuch }}", "a": "{{ .x"}},
		Workload: orkv1.Workload{Env: []orkv1.EnvVar{{Name: "A"}, {Name: "B", Value: "{{ end }}"}}},
	}
	_, errs := template.CompileOf(nil, broken, field.NewPath("deployments").Index(2))
	var paths []string
	for _, err := range errs {
		paths = append(paths, err.Field)
	}
	want := []string{"deployments[2].labels[a]", "deployments[2].labels[b]", "deployments[2].env[1].value"}
	if diff := cmp.Diff(want, paths); diff != "" {
		t.Errorf("every text that does not compile is reported, by its name in the file: -want, +got:\n%s", diff)
	}
	compiled, errs := template.CompileOf(nil, orkv1.Deployment{Replicas: "{{ .spec.image | toInt }}"}, field.NewPath("deployments").Index(0))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	got, err := compiled.Render(facts())
	message := `deployments[0].replicas: {{ .spec.image | toInt }}: toInt: "nginx" is not a number`
	if err == nil || err.Error() != message {
		t.Errorf("an error names the leaf: got %v, want %s", err, message)
	}
	if !reflect.ValueOf(got).IsZero() {
		t.Errorf("a value that is only half rendered is not returned: got %v", got)
	}
}
