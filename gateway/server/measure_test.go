package server

import (
	"context"
	"fmt"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	webhookadmission "sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/orkestra-runtime/orkestra/gateway/entry"
	"github.com/orkestra-runtime/orkestra/gateway/metrics"
	"github.com/orkestra-runtime/orkestra/gateway/statistics"
)

// TestMeasuredIsBounded shows that reviews of what no Katalog declares, whatever they name, are one series.
func TestMeasuredIsBounded(t *testing.T) {
	registry := prometheus.NewRegistry()
	recorder, err := metrics.New(registry)
	if err != nil {
		t.Fatal(err)
	}
	s := &state{shared: shared{metrics: recorder, statistics: &statistics.Statistics{}}, entries: []*entry.Entry{{Name: "site", Resource: schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "sites"}, Validates: true}}}
	handler := s.measure("/validate", webhookadmission.HandlerFunc(func(context.Context, webhookadmission.Request) webhookadmission.Response {
		return webhookadmission.Allowed("")
	}))
	for i := range 200 {
		name := fmt.Sprint("x", i)
		for _, resource := range []metav1.GroupVersionResource{{Group: name, Version: "v1", Resource: name}, {Group: "example.com", Version: name, Resource: "sites"}} {
			handler.Handle(t.Context(), webhookadmission.Request{AdmissionRequest: admissionv1.AdmissionRequest{Resource: resource, Name: name, Namespace: name, Operation: admissionv1.Operation(name)}})
		}
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	counted := map[string]float64{}
	for _, family := range families {
		if family.GetName() != "controller_admission_reviews_total" {
			continue
		}
		for _, one := range family.GetMetric() {
			labels := map[string]string{}
			for _, label := range one.GetLabel() {
				labels[label.GetName()] = label.GetValue()
			}
			counted[labels["crd"]+" "+labels["result"]] = one.GetCounter().GetValue()
		}
	}
	if len(counted) != 4 || counted[" allowed"] != 200 || counted["site allowed"] != 200 {
		t.Errorf("reviews are counted as %v, want 200 of the entry and 200 of nothing", counted)
	}
}
