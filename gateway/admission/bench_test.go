package admission_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	webhook "sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/gateway/admission"
	"github.com/orkestra-runtime/orkestra/gateway/entry"
)

// reviewed is a Website of the benchmark that measures an API server, as that one sends it.
const reviewed = `{"apiVersion":"web.example.com/v1","kind":"Website","metadata":{"name":"site-1","namespace":"bench","uid":"3b1d7a52-1f0e-4a53-9d3c-6a0a7a3f1c11","generation":1,` +
	`"creationTimestamp":"2026-01-01T00:00:00Z","managedFields":[{"manager":"bench","operation":"Update","apiVersion":"web.example.com/v1","time":"2026-01-01T00:00:00Z",` +
	`"fieldsType":"FieldsV1","fieldsV1":{"f:spec":{".":{},"f:image":{},"f:port":{},"f:replicas":{}}}}]},"spec":{"image":"registry.example.com/shop/site:1.2","port":8080,"replicas":2}}`

// BenchmarkReview is one review by ten rules, from the bytes of the request to those of the answer, against a handler that does nothing.
func BenchmarkReview(b *testing.B) {
	text, err := os.ReadFile("../../hack/bench/katalog/gated.yaml")
	if err != nil {
		b.Fatal(err)
	}
	result, err := katalog.Parse(katalog.Options{Gateway: true}, "gated.yaml", text)
	if err != nil {
		b.Fatal(err)
	}
	compiled, errs := entry.Compile(result.Documents[0].Katalog, func(string) map[string]*roots.Props { return nil })
	if len(errs) > 0 {
		b.Fatal(errs.ToAggregate())
	}
	all := admission.Entries{compiled[0].Resource: compiled[0].Admission}
	opts := admission.Options{Entries: func() admission.Entries { return all }}
	review := admissionv1.AdmissionReview{
		TypeMeta: metav1.TypeMeta{APIVersion: "admission.k8s.io/v1", Kind: "AdmissionReview"},
		Request: &admissionv1.AdmissionRequest{
			UID: "1", Kind: metav1.GroupVersionKind{Group: "web.example.com", Version: "v1", Kind: "Website"},
			Resource: metav1.GroupVersionResource{Group: "web.example.com", Version: "v1", Resource: "websites"},
			Name:     "site-1", Namespace: "bench", Operation: admissionv1.Create, Object: kruntime.RawExtension{Raw: []byte(reviewed)}, DryRun: new(false),
		},
	}
	body, err := json.Marshal(review)
	if err != nil {
		b.Fatal(err)
	}
	for _, one := range []struct {
		name    string
		handler webhook.Handler
	}{
		{"mutate", admission.NewMutator(opts)},
		{"validate", admission.NewValidator(opts)},
		{"baseline", webhook.HandlerFunc(func(_ context.Context, _ webhook.Request) webhook.Response { return webhook.Allowed("") })},
	} {
		b.Run(one.name, func(b *testing.B) {
			b.ReportAllocs()
			served := &webhook.Webhook{Handler: one.handler}
			for b.Loop() {
				r := httptest.NewRequestWithContext(b.Context(), http.MethodPost, "/", bytes.NewReader(body))
				r.Header.Set("Content-Type", "application/json")
				w := httptest.NewRecorder()
				served.ServeHTTP(w, r)
				if w.Code != http.StatusOK || !bytes.Contains(w.Body.Bytes(), []byte(`"allowed":true`)) {
					b.Fatalf("%d: %s", w.Code, w.Body)
				}
			}
		})
	}
}
