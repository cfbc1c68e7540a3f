package crdschema

import (
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func crd(root apiextensionsv1.JSONSchemaProps) *apiextensionsv1.CustomResourceDefinition {
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "widgets.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{Versions: []apiextensionsv1.CustomResourceDefinitionVersion{
			{Name: "v1", Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &root}},
		}},
	}
}

func object(properties map[string]apiextensionsv1.JSONSchemaProps) apiextensionsv1.JSONSchemaProps {
	return apiextensionsv1.JSONSchemaProps{Type: "object", Properties: properties}
}

func TestNewRefuses(t *testing.T) {
	cases := map[string]struct {
		reason  string
		root    apiextensionsv1.JSONSchemaProps
		version string
		want    string
	}{
		"Version": {reason: "a version that is not there has no schema", root: object(nil), version: "v2", want: "CRD widgets.example.com has no schema of version v2"},
		"NoType":  {reason: "a server does not take what is not structural", root: apiextensionsv1.JSONSchemaProps{}, version: "v1", want: "is not one that a server takes"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if _, err := New(crd(tc.root), tc.version); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: got %v, want an error with %q", tc.reason, err, tc.want)
			}
		})
	}
}

func TestAdmit(t *testing.T) {
	one := apiextensionsv1.JSON{Raw: []byte("1")}
	size := apiextensionsv1.JSONSchemaProps{
		Type: "integer", Default: &one,
		XValidations: apiextensionsv1.ValidationRules{{Rule: "self >= oldSelf", Message: "never smaller"}},
	}
	d, err := New(crd(object(map[string]apiextensionsv1.JSONSchemaProps{"spec": object(map[string]apiextensionsv1.JSONSchemaProps{"size": size})})), "v1")
	if err != nil {
		t.Fatal(err)
	}
	widget := func(spec map[string]any) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "a"}, "spec": spec,
		}}
	}
	given := widget(map[string]any{"color": "red"})
	dropped, errs := d.Admit(given, nil)
	if len(dropped) != 1 || dropped[0] != "spec.color" || len(errs) > 0 {
		t.Errorf("Admit(...) = %v, %v, want the unknown field and no error", dropped, errs)
	}
	if size, _, _ := unstructured.NestedInt64(given.Object, "spec", "size"); size != 1 {
		t.Errorf("the default is set, got %v", given)
	}
	if _, errs := d.Admit(widget(map[string]any{"size": "large"}), nil); len(errs) == 0 {
		t.Error("a text is no number")
	}
	_, errs = d.Admit(widget(map[string]any{"size": int64(1)}), widget(map[string]any{"size": int64(2)}))
	if len(errs) != 1 || !strings.Contains(errs[0].Error(), "never smaller") {
		t.Errorf("a rule on the change is kept, got %v", errs)
	}
}
