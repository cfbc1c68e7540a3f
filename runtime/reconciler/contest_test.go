package reconciler

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// contestHarness has a ConfigMap that somebody else may change, one that nobody does, and a clock.
func contestHarness(t *testing.T) (h *harness, pass func(time.Duration)) {
	t.Helper()
	now := time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)
	h = newHarness(t, `{onReconcile: {configMaps: [{name: c, data: {a: "{{ .spec.a }}"}}, {name: other, data: {a: "{{ .spec.a }}"}}]}}`, map[string]any{"a": "1"})
	h.Now = func() time.Time { return now }
	h.applies(t, nil)
	h.cycle(t)
	return h, func(d time.Duration) { now = now.Add(d) }
}

// meddle has somebody else change the child.
func meddle(t *testing.T, h *harness) {
	t.Helper()
	h.change(t, configMapKind, "c", true, func(o *unstructured.Unstructured) {
		o.Object["data"] = map[string]any{"a": "theirs"}
		o.SetManagedFields(nil)
	})
}

// applied counts the writes of a child by one cycle.
func applied(requests []string) (writes int) {
	for _, request := range requests {
		if strings.HasPrefix(request, "patch configmaps") {
			writes++
		}
	}
	return writes
}

// A child over which two write is written ever more rarely, the resource says so, and all ends when the other one leaves it.
func TestContestedChild(t *testing.T) {
	h, pass := contestHarness(t)
	for i := range contestedAfter + 1 {
		meddle(t, h)
		if _, requests := h.cycle(t); applied(requests) != 1 {
			t.Fatalf("cycle %d asks for %v, want one write", i, requests)
		}
		pass(time.Second)
	}
	meddle(t, h)
	outcome, requests := h.cycle(t)
	if applied(requests) != 0 || outcome.RequeueAfter != contestFirst-time.Second {
		t.Errorf("the cycle after %d writes asks for %v and comes back after %s, want no write and %s",
			contestedAfter+1, requests, outcome.RequeueAfter, contestFirst-time.Second)
	}
	want := []string{
		"False", orkv1.ReasonChildContested,
		"ConfigMap c: data.a is changed by somebody else each time it is written, more than 10 times in a minute; it is written again only after a while: have one of both leave it",
	}
	if diff := cmp.Diff(want, h.ready(t)); diff != "" {
		t.Errorf("Ready: -want, +got:\n%s", diff)
	}

	pass(contestFirst)
	if _, requests = h.cycle(t); applied(requests) != 1 {
		t.Errorf("when its time has come: %v, want one write", requests)
	}
	meddle(t, h)
	pass(contestFirst)
	if outcome, requests = h.cycle(t); applied(requests) != 0 || outcome.RequeueAfter != contestFirst {
		t.Errorf("after it was changed again: %v and back after %s, want twice the time", requests, outcome.RequeueAfter)
	}

	pass(contestFirst)
	h.cycle(t)
	pass(2 * 2 * contestFirst)
	if _, requests = h.cycle(t); applied(requests) != 0 {
		t.Errorf("a child that is as declared: %v, want no write", requests)
	}
	if got := h.ready(t); got[0] != "True" {
		t.Errorf("Ready is %v after the other one has left the child", got)
	}
	meddle(t, h)
	if _, requests = h.cycle(t); applied(requests) != 1 {
		t.Errorf("a change after peace: %v, want one write", requests)
	}
}

func TestContestEndsWithTheDeclaration(t *testing.T) {
	h, pass := contestHarness(t)
	for range contestedAfter + 1 {
		meddle(t, h)
		h.cycle(t)
	}
	pass(time.Second)
	h.spec("a", "2")
	if _, requests := h.cycle(t); applied(requests) != 2 {
		t.Errorf("after the resource changed: %v, want that both children are written at once", requests)
	}
	h.cycle(t)
	if got := h.ready(t); got[0] != "True" {
		t.Errorf("Ready is %v", got)
	}
}

// Drift that comes now and then is no contest, and nothing is kept of it.
func TestRareDriftIsNoContest(t *testing.T) {
	h, pass := contestHarness(t)
	for i := range 3 * contestedAfter {
		meddle(t, h)
		if _, requests := h.cycle(t); applied(requests) != 1 {
			t.Fatalf("cycle %d asks for %v, want one write", i, requests)
		}
		pass(contestWindow / contestedAfter)
	}
	pass(contestWindow)
	h.cycle(t)
	for _, mine := range h.contests.byResource {
		if len(mine) > 0 {
			t.Errorf("%d contests are remembered, want none", len(mine))
		}
	}
}
