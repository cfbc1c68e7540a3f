package kordinator

import (
	"context"

	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/orkestra-runtime/orkestra/internal/call"
	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/flight"
	"github.com/orkestra-runtime/orkestra/runtime/metrics"
	"github.com/orkestra-runtime/orkestra/runtime/work"
)

// admits asks the reconcile gate. Work that it holds back is dropped, which is no failure: the next event brings it anew. It is never
// asked about a resource that is on its way out.
func (k *Kordinator) admits(ctx context.Context, w work.Work) bool {
	if w.Box.ReconcileGate == nil || w.Object.GetDeletionTimestamp() != nil {
		return true
	}
	events, _ := w.Events.Event.(map[string]any)
	scene := box.Scene{
		Sentinels: w.Events.Sentinels, Uncomputed: w.Events.Uncomputed, Declared: w.Box.Sentinels, Events: events, State: k.State, Now: k.Now,
	}
	decision := scene.Ask(ctx, call.Maker{By: k.Calls}, w.Box.ReconcileGate, w.Object)
	k.Metrics.Decided(metrics.ReconcileGate, decision.Admit)
	switch {
	case !decision.Admit:
		k.Health.Gated(w.Item.NamespacedName, decision.Reason)
		k.Flight.Record(w.Item.NamespacedName, flight.Record{Kind: flight.Gated, Message: "reconcile gate closed: " + decision.Reason, EventID: w.Item.EventID})
		logf.FromContext(ctx).V(1).Info("gate closed, no reconcile", "gate", metrics.ReconcileGate, "reason", decision.Reason)
	case decision.Reason != "":
		logf.FromContext(ctx).Info("gate open, for a call of it failed", "gate", metrics.ReconcileGate, "reason", decision.Reason)
	}
	return decision.Admit
}
