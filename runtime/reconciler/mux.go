package reconciler

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"github.com/orkestra-runtime/orkestra/runtime/work"
)

// MuxReconciler hands a resource to the reconciler of its target, or to the CRD's own where the target has none. A resource that is gone
// is handed to the one that handled it last.
type MuxReconciler struct {
	crd     work.Reconciler
	targets map[string]work.Reconciler

	mu sync.Mutex // guards last
	// last is the target of each resource whose target has a box of its own, until the resource is gone.
	last map[types.NamespacedName]string
}

var _ work.Reconciler = (*MuxReconciler)(nil)

// NewMux returns a MuxReconciler with the CRD's own reconciler and those of its targets.
func NewMux(crd work.Reconciler, targets map[string]work.Reconciler) *MuxReconciler {
	return &MuxReconciler{crd: crd, targets: targets, last: map[types.NamespacedName]string{}}
}

// Reconcile routes by the target of the work's box. Work without an object comes with the box of the target that the resource had.
func (m *MuxReconciler) Reconcile(ctx context.Context, w work.Work) (work.Outcome, error) {
	if w.Object != nil {
		m.remember(w.Item.NamespacedName, w.Box.Target)
		return m.of(w.Box.Target).Reconcile(ctx, w)
	}
	target, known := m.recall(w.Item.NamespacedName)
	if known {
		w.Box = w.Set.Effective(target)
	}
	outcome, err := m.of(target).Reconcile(ctx, w)
	if err == nil {
		m.remember(w.Item.NamespacedName, "")
	}
	return outcome, err
}

// of is the reconciler of a target.
func (m *MuxReconciler) of(target string) work.Reconciler {
	if reconciler, ok := m.targets[target]; ok {
		return reconciler
	}
	return m.crd
}

// remember notes the target of a resource. The CRD's own box needs no note.
func (m *MuxReconciler) remember(resource types.NamespacedName, target string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if target == "" {
		delete(m.last, resource)
		return
	}
	m.last[resource] = target
}

func (m *MuxReconciler) recall(resource types.NamespacedName) (target string, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	target, known = m.last[resource]
	return target, known
}
