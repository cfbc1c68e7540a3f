package reconciler

import (
	"errors"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/orkestra-runtime/orkestra/runtime/queue"
	"github.com/orkestra-runtime/orkestra/runtime/work"
)

// A gate sees the children as they were before the cycle, and nobody tells of what the cycle itself has made: the next one follows.
func TestWhatACycleMakesIsSeenByTheNext(t *testing.T) {
	h := newHarness(t, `{onReconcile: {configMaps: [
    {name: first}, {name: second, when: [{field: "{{ .children.configmaps.first.ready }}", equals: "true"}]}]}}`, nil)
	outcome, _ := h.cycle(t)
	if len(outcome.Changes) != 1 || outcome.RequeueAfter == 0 {
		t.Errorf("the first cycle made %v and the next comes after %s, want first, and the next at once", outcome.Changes, outcome.RequeueAfter)
	}
	outcome, _ = h.cycle(t)
	if len(outcome.Changes) != 2 || outcome.RequeueAfter == 0 {
		t.Errorf("the second cycle knows %v and the next comes after %s, want both, and the next at once", outcome.Changes, outcome.RequeueAfter)
	}
	if outcome, _ = h.cycle(t); outcome.RequeueAfter != 0 {
		t.Errorf("after a cycle that changed nothing another one comes after %s, want none", outcome.RequeueAfter)
	}
}

// Where nothing reads children, a cycle that makes some needs no other one.
func TestWhatNobodyReadsNeedsNoOtherCycle(t *testing.T) {
	h := newHarness(t, `{onReconcile: {configMaps: [{name: first}]}, status: {fields: [{path: name, value: "{{ .children.configmap.metadata.name }}"}]}}`, nil)
	if outcome, _ := h.cycle(t); outcome.RequeueAfter != 0 {
		t.Errorf("another cycle comes after %s, want none", outcome.RequeueAfter)
	}
}

// A failure that a person has to mend may be over with what the cycle itself has made.
func TestAFailureAfterAChangeIsLookedAtOnceMore(t *testing.T) {
	h := newHarness(t, `{onReconcile: {configMaps: [{name: first}], deployments: [{image: "{{ .children.configmap.data.image }}"}]}}`, nil)
	for place, terminal := range []bool{false, true} {
		_, err := h.Reconcile(t.Context(), work.Work{
			Item:   queue.Item{NamespacedName: types.NamespacedName{Namespace: "shop", Name: "w"}, GVK: h.set.GVK},
			Object: h.resource, Set: h.set, Box: h.set.Effective(""),
		})
		if err == nil || errors.Is(err, reconcile.TerminalError(nil)) != terminal {
			t.Errorf("cycle %d ends with %v, want an error that is terminal: %t", place, err, terminal)
		}
	}
}
