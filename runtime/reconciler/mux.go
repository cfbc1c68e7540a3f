package reconciler

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"github.com/orkestra-runtime/orkestra/runtime/work"
)

// MuxReconciler hands a resource to the reconciler of its box: the declarative one, with hooks or without, or a constructor. A resource
// that is gone comes without a target, and is handed over with the box that it had last.
type MuxReconciler struct {
	byBox work.Reconciler

	mu sync.Mutex // guards last
	// last is the target of each resource whose target has a box of its own, until the resource is gone.
	last map[types.NamespacedName]string
}

var _ work.Reconciler = (*MuxReconciler)(nil)

// NewMux returns a MuxReconciler in front of one that goes by the box of the work.
func NewMux(byBox work.Reconciler) *MuxReconciler {
	return &MuxReconciler{byBox: byBox, last: map[types.NamespacedName]string{}}
}

// Reconcile hands the work on with the box of the resource.
func (m *MuxReconciler) Reconcile(ctx context.Context, w work.Work) (work.Outcome, error) {
	if w.Object != nil {
		m.remember(w.Item.NamespacedName, w.Box.Target)
		return m.byBox.Reconcile(ctx, w)
	}
	if target, known := m.recall(w.Item.NamespacedName); known {
		w.Box = w.Set.Effective(target)
	}
	outcome, err := m.byBox.Reconcile(ctx, w)
	if err == nil {
		m.remember(w.Item.NamespacedName, "")
	}
	return outcome, err
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
