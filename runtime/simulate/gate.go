package simulate

import (
	"context"
	"reflect"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/orkestra-runtime/orkestra/conditions/sentinel"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/internal/call"
	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/gate"
)

// cause is the change that leads to the cycles of a resource, as its gates see it.
type cause struct {
	// asked tells that the change is known and the enqueue gate was asked, and dropped that the gate refused it.
	asked, dropped bool
	// enqueued is what the gate said, if there is one.
	enqueued   []Gate
	sentinels  map[string]bool
	uncomputed bool
}

// enqueued asks the enqueue gate about the change, once.
func (a *actor) enqueued(ctx context.Context, object *unstructured.Unstructured) bool {
	if a.cause.asked {
		return !a.cause.dropped
	}
	b := a.effective(object)
	a.cause = cause{asked: true, uncomputed: a.old == nil}
	if a.old == nil {
		a.cause.sentinels = sentinel.Compute(b.Sentinels, nil, object)
	} else {
		a.cause.sentinels = sentinel.Compute(b.Sentinels, before(a.old, object), object)
	}
	a.cause.dropped = !a.passes(ctx, "enqueueGate", b.EnqueueGate, b, object)
	a.cause.enqueued = slices.Clone(a.gates)
	return !a.cause.dropped
}

// reconciled asks the reconcile gate about the resource as it is. Each cycle after the first belongs to the same change.
func (a *actor) reconciled(ctx context.Context, object *unstructured.Unstructured) bool {
	b := a.effective(object)
	return a.passes(ctx, "reconcileGate", b.ReconcileGate, b, object)
}

func (a *actor) passes(ctx context.Context, name string, g *gate.Gate, b *box.Box, object *unstructured.Unstructured) bool {
	if g == nil {
		return true
	}
	scene := box.Scene{
		Sentinels: a.cause.sentinels, Uncomputed: a.cause.uncomputed, Declared: b.Sentinels, Now: func() time.Time { return a.opts.Now },
	}
	maker := call.Maker{By: stubbed{a}, Passes: func(one *call.Call, facts template.Facts) bool {
		verdict := one.Gate.Evaluate(facts)
		if one.Gate != nil {
			a.gates = append(a.gates, Gate{Gate: one.Place, Pass: verdict.Pass, Reason: verdict.Reason})
		}
		return verdict.Pass
	}}
	decision := scene.Ask(ctx, maker, g, object)
	a.gates = append(a.gates, Gate{Gate: name, Pass: decision.Admit, Reason: decision.Reason})
	return decision.Admit
}

// before is a resource as it was before its last change, with what a file may leave out as the server would have it.
func before(old, object *unstructured.Unstructured) *unstructured.Unstructured {
	old = old.DeepCopy()
	old.SetGeneration(max(1, old.GetGeneration()))
	if old.GetUID() == "" {
		old.SetUID(object.GetUID())
	}
	if stamp := old.GetCreationTimestamp(); stamp.IsZero() {
		old.SetCreationTimestamp(object.GetCreationTimestamp())
	}
	same := old.DeepCopy()
	same.SetResourceVersion(object.GetResourceVersion())
	if old.GetResourceVersion() == "" && reflect.DeepEqual(same.Object, object.Object) {
		return same
	}
	return old
}
