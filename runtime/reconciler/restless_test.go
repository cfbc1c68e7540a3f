package reconciler

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

func TestRestlessStatus(t *testing.T) {
	now := time.Date(2026, 1, 1, 8, 0, 0, 0, time.UTC)
	cycles := 0
	h := newHarness(t, `{status: {fields: [{path: seen, value: "{{ .metrics.totalReconciles }}"}]}}`, map[string]any{})
	h.Now = func() time.Time { return now }
	h.Feedback = func() map[string]any {
		return map[string]any{"metrics": map[string]any{"totalReconciles": int64(cycles)}}
	}
	writes := func() int {
		cycles++
		_, requests := h.cycle(t)
		return len(requests)
	}
	for range restlessAfter {
		now = now.Add(100 * time.Millisecond)
		if writes() != 1 {
			t.Fatal("a status that changes is written")
		}
	}
	if state, _, _ := h.summary(); state != metav1.ConditionTrue {
		t.Fatalf("Ready is %s before there are too many", state)
	}
	cycles++
	outcome, requests := h.cycle(t)
	state, reason, message := h.summary()
	if len(requests) != 1 || state != metav1.ConditionFalse || reason != orkv1.ReasonStatusRestless || !strings.HasPrefix(message, "status.seen changes with each cycle") {
		t.Fatalf("the last write tells: %v, Ready is %s, %s: %s", requests, state, reason, message)
	}
	if outcome.RequeueAfter != contestFirst {
		t.Errorf("it is looked at again after %s, want %s", outcome.RequeueAfter, contestFirst)
	}
	seen := func() int64 {
		n, _, _ := unstructured.NestedInt64(h.resource.Object, "status", "seen")
		return n
	}
	before := seen()
	for range 50 {
		if writes() != 0 {
			t.Fatal("it is written although it must not")
		}
	}
	now = now.Add(contestFirst)
	if writes() != 1 || seen() == before {
		t.Error("it is written again when its time has come")
	}
	now = now.Add(contestFirst)
	if writes() != 0 {
		t.Error("the next time is twice as far")
	}

	now = now.Add(contestFirst)
	cycles-- // and it is at rest
	h.cycle(t)
	now = now.Add(contestLongest)
	h.cycle(t)
	if state, _, message := h.summary(); state != metav1.ConditionTrue {
		t.Errorf("a status that rests is well again, but Ready is %s: %s", state, message)
	}
	cycles++
	if writes() != 1 {
		t.Error("and is written again")
	}
}

// A child that is written once more is contested until the next cycle has found it as it was written.
func TestContestedStaysUntilItIsOver(t *testing.T) {
	h, pass := contestHarness(t)
	contested := func() bool { return h.ready(t)[1] == orkv1.ReasonChildContested }
	for range contestedAfter + 1 {
		meddle(t, h)
		h.cycle(t)
	}
	if !contested() {
		t.Error("the write that is one too many does not tell of it")
	}
	meddle(t, h)
	pass(contestFirst)
	if _, requests := h.cycle(t); applied(requests) != 1 || !contested() {
		t.Errorf("it is said to be ready because it was written once more: %v, %v", requests, h.ready(t))
	}
	pass(2 * contestFirst)
	if h.cycle(t); contested() {
		t.Error("nobody changed it, and it is still contested")
	}
}
