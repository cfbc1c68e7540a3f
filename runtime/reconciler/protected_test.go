package reconciler

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// A label on a child in the resource's own namespace, which garbage collection would take, has the finalizer hold the resource back before
// anything else is deleted.
func TestProtectedChild(t *testing.T) {
	h := newHarness(t, `{onReconcile: {configMaps: [{name: c}, {name: d}]}, onDelete: {configMaps: [{name: d}]}}`, map[string]any{})
	h.set = compile(t, `{onReconcile: {configMaps: [{name: c}, {name: d}]}}`)
	h.applies(t, nil)
	h.cycle(t)
	if _, requests := h.cycle(t); len(requests) > 0 || len(h.resource.GetFinalizers()) > 0 {
		t.Fatalf("without a protected child: requests %v, finalizers %v; want none", requests, h.resource.GetFinalizers())
	}
	protect := func(value string) {
		h.change(t, configMapKind, "c", true, func(o *unstructured.Unstructured) {
			labels := o.GetLabels()
			labels[orkv1.LabelDeletionProtection] = value
			o.SetLabels(labels)
		})
	}
	protect("true")
	if h.cycle(t); !slices.Contains(h.resource.GetFinalizers(), orkv1.Finalizer) {
		t.Fatalf("finalizers are %v with a protected child", h.resource.GetFinalizers())
	}
	if _, requests := h.cycle(t); len(requests) > 0 {
		t.Errorf("the next cycle asks for %v, want nothing", requests)
	}

	h.resource = h.resource.DeepCopy()
	h.resource.SetDeletionTimestamp(new(metav1.NewTime(time.Now())))
	h.set = compile(t, `{onReconcile: {configMaps: [{name: c}, {name: d}]}, onDelete: {configMaps: [{name: d}]}}`)
	if _, requests := h.cycle(t); !slices.Equal(requests, []string{"update websites"}) {
		t.Errorf("a deletion asks for %v, want that nothing but the status is written", requests)
	}
	want := []string{
		"False", orkv1.ReasonChildProtected,
		"the resource is to be deleted, and the label orkestra.konductor.io/deletion-protection of ConfigMap c forbids it; nothing is deleted until the label is removed",
	}
	if diff := cmp.Diff(want, h.ready(t)); diff != "" {
		t.Errorf("Ready: -want, +got:\n%s", diff)
	}

	protect("false")
	// The watch tells of what onDelete has deleted, in its own time.
	for end := time.Now().Add(10 * time.Second); len(h.resource.GetFinalizers()) > 0; h.cycle(t) {
		if time.Now().After(end) {
			t.Fatalf("finalizers are %v when no child is protected any more", h.resource.GetFinalizers())
		}
		<-time.After(time.Millisecond)
	}
}
