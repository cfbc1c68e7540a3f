package main

import (
	"encoding/json"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	webhookadmission "sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	gateway "github.com/orkestra-runtime/orkestra/gateway/admission"
	"github.com/orkestra-runtime/orkestra/gateway/entry"
	websitev1 "github.com/orkestra-runtime/orkestra/hack/bench/handwritten/api/v1"
	handwritten "github.com/orkestra-runtime/orkestra/hack/bench/handwritten/webhook"
)

// TestGated shows that the gateway of the benchmark checks as many rules as it is said to, at admission, and that the hand-written webhooks come to the same.
func TestGated(t *testing.T) {
	loaded, err := katalog.Parse(katalog.Options{Gateway: true}, "gated.yaml", gatedFile)
	if err != nil {
		t.Fatal(err)
	}
	crd := loaded.Documents[0].Katalog.Spec.CRDs["website"]
	if got := len(crd.Validation.Rules) + len(crd.Mutation.Rules); got != gatedRules {
		t.Errorf("%d rules, want %d", got, gatedRules)
	}
	if len(crd.Mutation.Rules) == 0 || len(crd.Validation.Rules) == 0 {
		t.Error("one of the two webhooks is not measured")
	}
	compiled, errs := entry.Compile(loaded.Documents[0].Katalog, func(string) map[string]*roots.Props { return nil })
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	entries := gateway.Entries{compiled[0].Resource: compiled[0].Admission}
	opts := gateway.Options{Entries: func() gateway.Entries { return entries }}
	mutator, validator := gateway.NewMutator(opts), gateway.NewValidator(opts)

	const image = "registry.example.com/web:1.2"
	for name, site := range map[string]*websitev1.Website{
		"as the benchmark makes it": {Spec: websitev1.WebsiteSpec{Image: image, Replicas: 2, Port: 8080}},
		"large":                     {Spec: websitev1.WebsiteSpec{Image: image, Replicas: 4, Port: 8080}},
		"nothing given":             {Spec: websitev1.WebsiteSpec{Image: image}},
		"too many replicas":         {Spec: websitev1.WebsiteSpec{Image: image, Replicas: 11}},
		"a port of the system":      {Spec: websitev1.WebsiteSpec{Image: image, Port: 80}},
		"another registry":          {Spec: websitev1.WebsiteSpec{Image: "example.org/web:1.2"}},
		"no tag":                    {Spec: websitev1.WebsiteSpec{Image: "registry.example.com/web"}},
		"a tag that moves":          {Spec: websitev1.WebsiteSpec{Image: "registry.example.com/web:latest"}},
		"no host":                   {ObjectMeta: metav1.ObjectMeta{Name: "a.b"}, Spec: websitev1.WebsiteSpec{Image: image}},
	} {
		t.Run(name, func(t *testing.T) {
			site.APIVersion, site.Kind = websitev1.GroupVersion.String(), "Website"
			if site.Name == "" {
				site.Name = "site-1"
			}
			raw, err := json.Marshal(site)
			if err != nil {
				t.Fatal(err)
			}
			request := webhookadmission.Request{AdmissionRequest: admissionv1.AdmissionRequest{
				Kind:      metav1.GroupVersionKind{Group: websites.Group, Version: websites.Version, Kind: "Website"},
				Resource:  metav1.GroupVersionResource{Group: websites.Group, Version: websites.Version, Resource: websites.Resource},
				Operation: admissionv1.Create, Name: site.Name, Object: kruntime.RawExtension{Raw: raw},
			}}
			object, response := mutator.Mutate(t.Context(), &request)
			if !response.Allowed {
				t.Fatalf("mutation: %v", response.Result)
			}
			handwritten.Default(site)
			ours := &websitev1.Website{}
			if err := kruntime.DefaultUnstructuredConverter.FromUnstructured(object.Object, ours); err != nil {
				t.Fatal(err)
			}
			if ours.Spec != site.Spec || ours.Labels["web.example.com/tier"] != site.Labels["web.example.com/tier"] {
				t.Errorf("ours %+v %v, hand-written %+v %v", ours.Spec, ours.Labels, site.Spec, site.Labels)
			}
			if request.Object.Raw, err = json.Marshal(site); err != nil {
				t.Fatal(err)
			}
			if ours, theirs := validator.Handle(t.Context(), request).Allowed, handwritten.Check(site) == nil; ours != theirs {
				t.Errorf("ours admits: %v, hand-written: %v", ours, theirs)
			}
		})
	}
}
