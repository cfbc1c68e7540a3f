package reconciler

import (
	"context"

	"github.com/orkestra-runtime/orkestra/runtime/work"
)

// MuxReconciler hands a resource to the reconciler of its target, or to the CRD's own where the target has none.
type MuxReconciler struct {
	crd     work.Reconciler
	targets map[string]work.Reconciler
}

var _ work.Reconciler = (*MuxReconciler)(nil)

// NewMux returns a MuxReconciler with the CRD's own reconciler and those of its targets.
func NewMux(crd work.Reconciler, targets map[string]work.Reconciler) *MuxReconciler {
	return &MuxReconciler{crd: crd, targets: targets}
}

// Reconcile routes by the target of the work's box.
func (m *MuxReconciler) Reconcile(ctx context.Context, w work.Work) (work.Outcome, error) {
	if target, ok := m.targets[w.Box.Target]; ok {
		return target.Reconcile(ctx, w)
	}
	return m.crd.Reconcile(ctx, w)
}
