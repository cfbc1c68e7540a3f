package reconciler

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/controllers/apply"
	"github.com/orkestra-runtime/orkestra/controllers/children"
	"github.com/orkestra-runtime/orkestra/controllers/enrich"
	"github.com/orkestra-runtime/orkestra/runtime/work"
)

// Resource tells how the CRD's resources are reached and what its definition allows.
type Resource struct {
	schema.GroupVersionResource
	// HasStatus tells whether the definition has a status subresource.
	HasStatus bool
	// Keeps tells whether the definition keeps a field below status, or the server would drop it. Nil keeps all.
	Keeps func(path []string) bool
}

// Options of a Declarative reconciler.
type Options struct {
	Client   dynamic.Interface
	Resource Resource
	Children *children.Store
	Applier  *apply.Applier
	// Enrich reads what the entry enriches children with. Nil has nothing but what the children tell themselves.
	Enrich   *enrich.Reader
	Recorder events.EventRecorder
	// Write sends a write of a resource, so that the next read is not older than its answer, and its event no news.
	Write func(types.NamespacedName, func() (*unstructured.Unstructured, error)) (*unstructured.Unstructured, error)
	// Inventory lists further kinds that children may be of: those that the Katalog declared before.
	Inventory []schema.GroupVersionKind
	// Others are the operated resources of the kind, this one and shared memory included. Nil: all values are unique.
	Others func() []*unstructured.Unstructured
	// Roots are what templates and conditions read besides the resource and its children. Defaults to nothing.
	Roots map[string]any
	// Decided is told of every gate that a cycle evaluates. Nil: nobody is.
	Decided func(Decision)
	// Now is the clock. Defaults to time.Now.
	Now func() time.Time
}

// Declarative reconciles resources as their box declares.
type Declarative struct {
	Options
	// steps spaces the cycles of a resource whose status, once written, leads to the next one: at once at first, ever later for
	// one that never comes to rest.
	steps workqueue.TypedRateLimiter[types.NamespacedName]
}

var _ work.Reconciler = (*Declarative)(nil)

// NewDeclarative returns a Declarative reconciler.
func NewDeclarative(opts Options) *Declarative {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	return &Declarative{
		Options: opts,
		steps:   workqueue.NewTypedItemExponentialFailureRateLimiter[types.NamespacedName](time.Millisecond, time.Minute),
	}
}

// phase is one step of a cycle. Done ends the cycle without an error.
type phase func(ctx context.Context, s *scope) (done bool, err error)

// Reconcile runs one cycle.
func (d *Declarative) Reconcile(ctx context.Context, w work.Work) (work.Outcome, error) {
	if w.Object == nil {
		d.steps.Forget(w.Item.NamespacedName)
		deleted, err := d.deleteLeftover(ctx, w)
		return work.Outcome{Changes: deleted}, err
	}
	s := d.newScope(w)
	phases := []phase{d.normalize, d.guard, d.obeyRules, d.observeChildren, d.plan, d.keepMetadata, d.applyChildren, d.prune}
	if w.Object.GetDeletionTimestamp() != nil {
		phases = []phase{d.cleanUp}
	}
	defer func() {
		if recovered := recover(); recovered != nil {
			s.err = fmt.Errorf("reconciler panic: %v", recovered)
			d.writeStatus(ctx, s)
			panic(recovered) // whoever contains it has the stack
		}
	}()
	for _, run := range phases {
		var done bool
		if done, s.err = run(ctx, s); done || s.err != nil {
			break
		}
	}
	d.writeStatus(ctx, s)
	outcome := work.Outcome{Changes: s.changes, RequeueAfter: s.requeueAfter, Denied: s.denied != nil}
	if s.waiting != nil {
		outcome.Waiting = s.waiting.message
	}
	if _, stalled := reasonOf(s.err); stalled {
		// Only a change of the resource, of a child or of the Katalog can help. The resync looks again all the same.
		return outcome, reconcile.TerminalError(s.err)
	}
	return outcome, s.err
}

// owner is the resource as its children know it.
func owner(w work.Work) controllers.Owner {
	return controllers.Owner{
		GVK:       w.Set.GVK,
		Namespace: w.Object.GetNamespace(),
		Name:      w.Object.GetName(),
		UID:       w.Object.GetUID(),
		Target:    w.Box.Target,
	}
}
