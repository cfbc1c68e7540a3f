package work

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/orkestra-runtime/orkestra/controllers/apply"
	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/queue"
)

// Resources reads resources from memory.
type Resources interface {
	// Get returns nil for a resource that is not there. What it returns is shared and must not be changed.
	Get(name types.NamespacedName) *unstructured.Unstructured
}

// Work is one resource to reconcile.
type Work struct {
	Item queue.Item
	// Object is the resource as memory shows it, nil when it is gone. It is shared and must not be changed.
	Object *unstructured.Unstructured
	// Set is what the resource's CRD entry declares, and Box the part of it that holds for this resource.
	Set *box.Set
	Box *box.Box
	// Events is what is known of the events behind the item.
	Events queue.Facts
}

// Outcome is what a cycle came to. It holds also when there was an error.
type Outcome struct {
	// Changes of the children.
	Changes apply.ChangeSet
	// RequeueAfter asks for another cycle after a while. Zero: none.
	RequeueAfter time.Duration
	// Requeue asks for another cycle with back-off, as after an error. RequeueAfter wins over it.
	Requeue bool
	// Closed names gates of the cycle that were closed, and why, as many as a person reads.
	Closed []string
	// Steps are what the cycle did outside of the cluster, for people.
	Steps []string
	// Waiting is what the resource waits for, for people. Empty: nothing that it could tell of.
	Waiting string
	// Denied tells that rules of the Katalog forbid the resource as it is. That is no failure of the operator's.
	Denied bool
	// NotReady tells that the resource is not as it should be, also where that is no failure.
	NotReady bool
	// RolledBack tells that the resource is operated by an earlier spec.
	RolledBack bool
}

// Reconciler makes the world as a resource wants it. An error is tried again with back-off.
type Reconciler interface {
	Reconcile(ctx context.Context, w Work) (Outcome, error)
}

// Func is a function as a Reconciler.
type Func func(ctx context.Context, w Work) (Outcome, error)

var _ Reconciler = Func(nil)

// Reconcile calls the function.
func (f Func) Reconcile(ctx context.Context, w Work) (Outcome, error) { return f(ctx, w) }
