package reconciler

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orkestra-runtime/orkestra/runtime/work"
)

// usual is a box as people have it: two kinds, a loop, a gate, a status that looks at children.
const usual = `{
  onReconcile: {
    configMaps: [{forEach: {field: spec.regions, as: region}, name: "w-{{ .region }}", data: {region: "{{ .region }}", at: "{{ .index }}"}}],
    deployments: [{name: w, image: "web:{{ .spec.version }}", port: "80", env: [{name: A, value: "{{ .spec.version }}"}],
      when: [{field: spec.version, exists: true}]}]},
  status: {fields: [{path: phase, value: Running}, {path: image, value: "{{ .children.deployment.metadata.name }}"}]}}`

func TestReconcileConverges(t *testing.T) {
	h := newHarness(t, usual, map[string]any{"version": "1", "regions": []any{"eu", "us"}})
	outcome, requests := h.cycle(t)
	want := []string{"create configmaps", "create configmaps", "create deployments", "update websites"}
	if diff := cmp.Diff(want, requests); diff != "" {
		t.Errorf("the first cycle: -want, +got:\n%s", diff)
	}
	if got := len(outcome.Changes.Writes()); got != 3 {
		t.Errorf("the first cycle wrote %d children, want 3", got)
	}
	outcome, requests = h.cycle(t)
	if diff := cmp.Diff([]string{}, requests); diff != "" {
		t.Errorf("a cycle that finds all as it should be asks nothing of the server: -want, +got:\n%s", diff)
	}
	if got := len(outcome.Changes.Writes()); got != 0 {
		t.Errorf("the second cycle wrote %d children, want none", got)
	}
	if got := len(outcome.Changes); got != 3 {
		t.Errorf("the second cycle tells of %d children, want 3", got)
	}
}

func TestReconcileOfAResourceThatIsGone(t *testing.T) {
	h := newHarness(t, `{}`, nil)
	outcome, err := h.Reconcile(t.Context(), work.Work{Set: h.set, Box: h.set.Effective("")})
	if err != nil || outcome.RequeueAfter != 0 || len(outcome.Changes) > 0 {
		t.Errorf("Reconcile(...) = %v, %v, want nothing", outcome, err)
	}
}

func TestClosedGateHidesWhatIsBehindIt(t *testing.T) {
	h := newHarness(t, `{onReconcile: {when: [{field: spec.enabled, equals: "true"}],
    configMaps: [{name: "{{ .item }}", forEach: {field: spec.list}}]}}`, map[string]any{"list": "not a list"})
	if _, requests := h.cycle(t); len(requests) != 1 {
		t.Errorf("the cycle asks for %v, want the status alone", requests)
	}
}

func TestFlippingStatusSlowsDown(t *testing.T) {
	h := newHarness(t, `{status: {fields: [
    {path: at, value: tick, when: [{field: status.at, notEquals: tick}]},
    {path: at, value: tock, when: [{field: status.at, equals: tick}]}]}}`, nil)
	last, _ := h.cycle(t)
	for range 5 {
		next, _ := h.cycle(t)
		if next.RequeueAfter < 2*last.RequeueAfter {
			t.Errorf("the next cycle comes after %s, the one before after %s, want twice as much", next.RequeueAfter, last.RequeueAfter)
		}
		last = next
	}
}

func BenchmarkReconcileWithoutChange(b *testing.B) {
	h := newHarness(b, usual, map[string]any{"version": "1", "regions": []any{"eu", "us"}})
	h.cycle(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, requests := h.cycle(b); len(requests) > 0 {
			b.Fatal(requests)
		}
	}
}
