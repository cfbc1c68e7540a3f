package reconciler

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/dynamic/fake"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/controllers/enrich"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

// withPod has the harness read the Pod of the Deployment w, while the gate passes.
func withPod(t *testing.T, h *harness, gate string) {
	t.Helper()
	podKind := corev1.SchemeGroupVersion.WithKind("Pod")
	pod := &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"podIP": "10.1.0.4"}}}
	pod.SetGroupVersionKind(podKind)
	pod.SetNamespace("shop")
	pod.SetName("w-1")
	deployment := h.child(t, "Deployment")
	selector, _, _ := unstructured.NestedStringMap(deployment.Object, "spec", "selector", "matchLabels")
	selector[orkv1.LabelOwnerName] = "w"
	pod.SetLabels(selector)
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(podKind, meta.RESTScopeNamespace)
	client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(),
		map[schema.GroupVersionResource]string{corev1.SchemeGroupVersion.WithResource("pods"): "PodList"}, pod)
	program, errs := conditions.Compile(template.NewLanguage(nil, nil), orkv1.Conditions{When: []orkv1.Condition{{
		Field: orkv1.Template(gate), Equals: new(orkv1.Template("true")),
	}}}, field.NewPath("enrich"))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	h.set.Enrich = []box.Enrichment{{Target: "pods", Gate: program}, {Target: "owner"}}
	store := enrich.NewStore(client, nil, mapper)
	h.Enrich = store.Hold(t.Context(), "test", h.set.Enriches())
	t.Cleanup(func() { store.Release("test") })
}

// child is the child of a kind as memory has it.
func (h *harness) child(t *testing.T, kind string) *unstructured.Unstructured {
	t.Helper()
	for _, gvk := range h.set.Kinds() {
		if held, ok := h.Children.Kind(gvk); ok && gvk.Kind == kind {
			return held.Child("shop", "w")
		}
	}
	t.Fatalf("no child of kind %s", kind)
	return nil
}

// What is read goes into the status and into gates of children, and is gone with its own gate.
func TestEnrich(t *testing.T) {
	h := newHarness(t, `{
  onReconcile: {deployments: [{name: w, image: "web:1"}],
    configMaps: [{name: "pod-{{ podCount .children.deployment }}", when: [{field: "{{ podCount .children.deployment }}", greaterThan: "0"}]}]},
  status: {fields: [
    {path: pods, value: "{{ podNames .children.deployment }}"}, {path: each, value: "{{ podIPs .children.deployments.w }}"},
    {path: pod, value: "{{ .children.pod.status.podIP }}"}, {path: all, value: "{{ len .children.pods }}"},
    {path: owner, value: "{{ name .children.deployment._owner }}"}]}}`, map[string]any{"look": true})
	h.cycle(t)
	withPod(t, h, "{{ and .spec.look (resourceExists .children.deployment) }}")
	before := h.child(t, "Deployment").DeepCopy()
	statusOf := func() map[string]any {
		status, _ := h.resource.Object["status"].(map[string]any)
		return map[string]any{"pods": status["pods"], "each": status["each"], "pod": status["pod"], "all": status["all"], "owner": status["owner"]}
	}
	_, requests := h.cycle(t)
	if diff := cmp.Diff([]string{"create configmaps", "update websites"}, requests); diff != "" {
		t.Errorf("the cycle that finds the Pod: -want, +got:\n%s", diff)
	}
	want := map[string]any{"pods": []any{"w-1"}, "each": []any{"10.1.0.4"}, "pod": "10.1.0.4", "all": int64(1), "owner": "w"}
	if diff := cmp.Diff(want, statusOf()); diff != "" {
		t.Errorf("status: -want, +got:\n%s", diff)
	}
	if _, requests := h.cycle(t); len(requests) > 0 {
		t.Errorf("a cycle that finds all as it should be asks for %v", requests)
	}
	if diff := cmp.Diff(before, h.child(t, "Deployment")); diff != "" {
		t.Errorf("the child in memory was changed:\n%s", diff)
	}

	h.resource = h.resource.DeepCopy()
	h.resource.Object["spec"] = map[string]any{"look": false}
	_, requests = h.cycle(t)
	if diff := cmp.Diff([]string{"delete configmaps", "update websites"}, requests); diff != "" {
		t.Errorf("the cycle behind the gate: -want, +got:\n%s", diff)
	}
	want = map[string]any{"pods": []any{}, "each": []any{}, "pod": "", "all": int64(0), "owner": "w"}
	if diff := cmp.Diff(want, statusOf()); diff != "" {
		t.Errorf("status behind the gate: -want, +got:\n%s", diff)
	}
}
