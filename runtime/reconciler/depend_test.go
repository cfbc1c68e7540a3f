package reconciler

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/status"
)

// observe has memory show the Deployment w with a status.
func (h *harness) observe(t *testing.T, fields map[string]any) {
	t.Helper()
	deployment := h.child(t, "Deployment").DeepCopy()
	deployment.Object["status"] = fields
	for _, gvk := range h.set.Kinds() {
		if kind, ok := h.Children.Kind(gvk); ok && gvk.Kind == "Deployment" {
			if _, err := kind.Write(types.NamespacedName{Namespace: "shop", Name: "w"}, func() (*unstructured.Unstructured, error) {
				return deployment, nil
			}); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func (h *harness) says(conditionType string) []string {
	condition := status.Find(status.Conditions(h.resource.Object), conditionType)
	if condition == nil {
		return nil
	}
	return []string{string(condition.Status), condition.Reason, condition.Message}
}

// ordered has a ConfigMap that waits for the Deployment, one that does not, and a chain.
const ordered = `{
  onReconcile: {
    configMaps: [
      {name: w, id: settings, dependsOn: [app], data: {size: "{{ .spec.size }}"}},
      {name: last, dependsOn: [settings]},
      {name: free}],
    deployments: [{name: w, id: app, image: "web:1", replicas: 3}]},
  status: {fields: [{path: phase, value: "{{ ternary (childReady .children.deployment) \"Running\" \"Starting\" }}"},
    {path: step, value: done, when: [{field: status.step, notExists: true}]}]}}`

func available(n int64) map[string]any {
	return map[string]any{"observedGeneration": int64(1), "replicas": int64(3), "updatedReplicas": int64(3), "availableReplicas": n}
}

func TestDependsOn(t *testing.T) {
	h := newHarness(t, ordered, map[string]any{"size": int64(1)})
	h.cycle(t)
	cycle := func(reason string, want ...string) {
		t.Helper()
		if _, requests := h.cycle(t); !cmp.Equal(append([]string{}, want...), requests) {
			t.Errorf("\n%s\nthe cycle asks for %v, want %v", reason, requests, want)
		}
	}
	says := func(want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, h.says(orkv1.ConditionReady)); diff != "" {
			t.Errorf("Ready: -want, +got:\n%s", diff)
		}
	}
	phase := func(want string) {
		t.Helper()
		if got, _, _ := unstructured.NestedString(h.resource.Object, "status", "phase"); got != want {
			t.Errorf("status.phase is %q, want %q", got, want)
		}
	}

	says("False", orkv1.ReasonChildNotReady, "configMaps[0] w waits for deployments[0] w: 0 of 3 replicas updated")
	if got := h.says(orkv1.ConditionReconciling); got == nil {
		t.Error("what waits is not Reconciling")
	}
	phase("Starting")
	if step, ok, _ := unstructured.NestedString(h.resource.Object, "status", "step"); ok {
		t.Errorf("the state machine has gone on to %q although the cycle left something undone", step)
	}
	cycle("while it waits, nothing is asked of the server")

	h.observe(t, available(1))
	cycle("only the message is new", "update websites")
	says("False", orkv1.ReasonChildNotReady, "configMaps[0] w waits for deployments[0] w: 1 of 3 replicas available")

	h.observe(t, available(3))
	cycle("what waited follows, and what waited for that in the same cycle", "create configmaps", "create configmaps", "update websites")
	says("True", orkv1.ReasonReconcileSucceeded, "")
	phase("Running")
	cycle("the state is the next cycle's")

	h.observe(t, available(2))
	cycle("what exists is kept, whatever becomes of what it depends on", "update websites")
	says("True", orkv1.ReasonReconcileSucceeded, "")
	phase("Starting")
}

// Each child of the block says how many lie below it; children of other blocks say nothing.
func TestDepth(t *testing.T) {
	h := newHarness(t, `{onCreate: {configMaps: [{name: plain}]},
  onReconcile: {configMaps: [{name: a, id: a}, {name: b, id: b, dependsOn: [a]}, {name: w, dependsOn: [b]}]}}`, nil)
	outcome, _ := h.cycle(t)
	got := map[string]string{}
	for _, change := range outcome.Changes {
		got[change.Object.GetName()] = change.Object.GetAnnotations()[orkv1.AnnotationDepth]
	}
	if diff := cmp.Diff(map[string]string{"plain": "", "a": "0", "b": "1", "w": "2"}, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// A dependency behind a gate that is false is not waited for, and one of several elements is enough to wait.
func TestDependsOnWhatIsNotPlanned(t *testing.T) {
	cases := map[string]struct {
		reason, deployment string
		want               []string
	}{
		"Gate": {
			reason: "there will be no such child", deployment: `{name: w, id: app, image: i, when: [{field: spec.size, equals: "2"}]}`,
			want: []string{"patch websites", "create configmaps", "update websites"},
		},
		"NoElement": {
			reason: "nor of an empty list", deployment: `{name: w, id: app, image: i, forEach: {field: spec.none}}`,
			want: []string{"patch websites", "create configmaps", "update websites"},
		},
		"Elements": {
			reason: "all of them are waited for", deployment: `{name: "w-{{ .item }}", id: app, image: i, replicas: "{{ .item }}", forEach: {field: spec.list}}`,
			want: []string{"patch websites", "create deployments", "create deployments", "update websites"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t, `{onReconcile: {configMaps: [{name: w, dependsOn: [app]}], deployments: [`+tc.deployment+`]}}`,
				map[string]any{"size": int64(1), "list": []any{int64(0), int64(1)}})
			if _, got := h.cycle(t); !cmp.Equal(tc.want, got) {
				t.Errorf("\n%s\nthe cycle asks for %v, want %v", tc.reason, got, tc.want)
			}
		})
	}
}

// A child says to templates whether it is ready, and the one in memory is left as it is.
func TestReadyOfChildren(t *testing.T) {
	h := newHarness(t, `{onReconcile: {deployments: [{name: w, image: i, replicas: 3}]},
  status: {fields: [{path: one, value: "{{ .children.deployment.ready }}"}, {path: named, value: "{{ .children.deployments.w.ready }}"},
    {path: none, value: "{{ .children.configmap.ready }}"}]}}`, nil)
	h.cycle(t)
	h.observe(t, available(3))
	before := h.child(t, "Deployment").DeepCopy()
	h.cycle(t)
	got, _ := h.resource.Object["status"].(map[string]any)
	if got["one"] != true || got["named"] != true {
		t.Errorf("the status says %v, want that the child is ready", got)
	}
	if diff := cmp.Diff(before, h.child(t, "Deployment")); diff != "" {
		t.Errorf("the child in memory was changed:\n%s", diff)
	}
}

// Which child of a kind comes first is as they are declared, not as they are made.
func TestFirstChildOfAnOrderedBlock(t *testing.T) {
	h := newHarness(t, `{onReconcile: {configMaps: [{name: a, dependsOn: [b]}, {name: b, id: b}]},
  status: {fields: [{path: first, value: "{{ .children.configmap.metadata.name }}"}]}}`, nil)
	outcome, _ := h.cycle(t)
	if made := outcome.Changes[0].Object.GetName(); made != "b" {
		t.Errorf("%s is made first, want b", made)
	}
	if first, _, _ := unstructured.NestedString(h.resource.Object, "status", "first"); first != "a" {
		t.Errorf("the first child is %q, want a", first)
	}
}
