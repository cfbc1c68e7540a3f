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
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/readiness"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/conditions/rules"
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/controllers/apply"
	"github.com/orkestra-runtime/orkestra/controllers/children"
	"github.com/orkestra-runtime/orkestra/controllers/enrich"
	"github.com/orkestra-runtime/orkestra/controllers/sources"
	"github.com/orkestra-runtime/orkestra/providers"
	"github.com/orkestra-runtime/orkestra/providers/checkout"
	"github.com/orkestra-runtime/orkestra/providers/external"
	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/cross"
	"github.com/orkestra-runtime/orkestra/runtime/hook"
	"github.com/orkestra-runtime/orkestra/runtime/work"
)

// Resource tells how the CRD's resources are reached and what its definition allows.
type Resource struct {
	schema.GroupVersionResource
	// HasStatus tells whether the definition has a status subresource.
	HasStatus bool
	// Keeps tells whether the definition keeps a field below status, or the server would drop it. Nil keeps all.
	Keeps func(path []string) bool
	// Schema is that of a field below status. Nil knows of none.
	Schema func(path []string) *roots.Props
	// Check tells what the definition has against a value of a field below status. Nil has nothing against any.
	Check func(path []string, value any) error
}

// Options of a Declarative reconciler.
type Options struct {
	Client   dynamic.Interface
	Resource Resource
	Children *children.Store
	Applier  *apply.Applier
	// Enrich reads what the entry enriches children with. Nil has nothing but what the children tell themselves.
	Enrich *enrich.Reader
	// Calls answers external calls. Nil: none are made.
	Calls external.Caller
	// Providers keep what boxes declare outside of the cluster. Nil: none is asked. ProviderAuth has their credentials by their names.
	Providers    *providers.Registry
	ProviderAuth map[string]map[string]string
	// Kube reads the cluster for providers. Nil: they read nothing.
	Kube providers.KubeReader
	// ProviderTimeout bounds one call of a provider. Defaults to DefaultProviderTimeout.
	ProviderTimeout time.Duration
	// Asked is told of every call of a provider, once for each kind of what it was asked for, and Panicked of every panic of one. Nil:
	// nobody is.
	Asked    func(Asked)
	Panicked func()
	// Checkouts fetches repositories, and Credentials reads what a Katalog names for that. Nil: nothing is fetched, or without a
	// credential.
	Checkouts   checkout.Fetcher
	Credentials func(context.Context, *orkv1.GitAuth) (checkout.Auth, error)
	// Images builds images. Nil: none are built.
	Images *Images
	// Cross reads other resources. Nil finds none.
	Cross cross.Reader
	// Sources reads what children are copies of. Nil has nothing.
	Sources  *sources.Reader
	Recorder events.EventRecorder
	// Write sends a write of a resource, so that the next read is not older than its answer, and its event no news.
	Write func(types.NamespacedName, func() (*unstructured.Unstructured, error)) (*unstructured.Unstructured, error)
	// Hooks are those that boxes name, by their names, and GoClient is the client that they are handed.
	Hooks    map[string]*hook.Hook
	GoClient client.Client
	// Inventory lists further kinds that children may be of: those that the Katalog declared before.
	Inventory []schema.GroupVersionKind
	// Others are the operated resources of the kind, this one and shared memory included. Nil: all values are unique.
	Others func() []*unstructured.Unstructured
	// Roots are what templates and conditions read besides the resource and its children. Defaults to nothing.
	Roots map[string]any
	// Feedback is what the runtime knows of the CRD at the moment, as further roots. It is asked once in a cycle, and only where
	// something reads it. Nil: nothing.
	Feedback func() map[string]any
	// Stamps are annotations that a patch of the resource's metadata takes along. Nil: none.
	Stamps func(*unstructured.Unstructured) map[string]string
	// Validated is told of every validation. Nil: nobody is.
	Validated func(rules.Result)
	// Ready judges a child that others depend on. Defaults to readiness.Of.
	Ready func(*unstructured.Unstructured) readiness.Verdict
	// Decided is told of every gate that a cycle evaluates. Nil: nobody is.
	Decided func(Decision)
	// Planned is told of every object that a cycle wants, and of its declaration. Nil: nobody is.
	Planned func(*box.Child, *unstructured.Unstructured)
	// RolledBack is told of every resource that begins to go back to an earlier spec. Nil: nobody is.
	RolledBack func()
	// Now is the clock. Defaults to time.Now.
	Now func() time.Time
	// Random fills what it is given, for the random functions of templates. Defaults to the system's cryptographic source.
	Random func([]byte)
}

// Declarative reconciles resources as their box declares.
type Declarative struct {
	Options
	// steps spaces the cycles of a resource of which one leads to the next, by its status or its children: at once at first, ever
	// later for one that never comes to rest.
	steps workqueue.TypedRateLimiter[types.NamespacedName]
	// histories are those of resources whose box has a rollback.
	histories histories
	// contests are those over children that somebody else changes back.
	contests contests
	// statusWrites are how often the status of resources was written lately.
	statusWrites statusWrites
	// rivals are the resources that have a value which others want to be unique, and claims the children that others have.
	rivals waiters[types.NamespacedName]
	claims waiters[childName]
	// calling are the calls of providers that have not ended.
	calling calls
	// tries spaces the cycles of a resource whose child is somebody else's.
	tries tries
}

var _ work.Reconciler = (*Declarative)(nil)

// NewDeclarative returns a Declarative reconciler.
func NewDeclarative(opts Options) *Declarative {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Ready == nil {
		opts.Ready = func(child *unstructured.Unstructured) readiness.Verdict { return readiness.Of(child.Object) }
	}
	if opts.Stamps == nil {
		opts.Stamps = func(*unstructured.Unstructured) map[string]string { return nil }
	}
	if opts.Validated == nil {
		opts.Validated = func(rules.Result) {}
	}
	if opts.ProviderTimeout == 0 {
		opts.ProviderTimeout = DefaultProviderTimeout
	}
	if opts.Asked == nil {
		opts.Asked = func(Asked) {}
	}
	if opts.Panicked == nil {
		opts.Panicked = func() {}
	}
	if opts.RolledBack == nil {
		opts.RolledBack = func() {}
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
	d.rivals.forget(w.Item.NamespacedName)
	d.claims.forget(w.Item.NamespacedName)
	if w.Object == nil || w.Object.GetDeletionTimestamp() != nil {
		d.Images.forget(w)
	}
	if w.Object == nil {
		d.tries.forget(w.Item.NamespacedName)
		d.steps.Forget(w.Item.NamespacedName)
		d.Sources.Keep(w.Item.NamespacedName)
		d.forgetCross(w.Item.NamespacedName)
		d.histories.forget(w.Item.NamespacedName)
		d.contests.forget(w.Item.NamespacedName)
		d.forgetCheckout(w)
		deleted, err := d.deleteLeftover(ctx, w)
		if err == nil {
			err = d.hook(w.Box).OnNotFound(ctx, w.Item.NamespacedName)
		}
		return work.Outcome{Changes: deleted}, err
	}
	s := d.newScope(w)
	defer func() {
		if recovered := recover(); recovered != nil {
			s.err = fmt.Errorf("reconciler panic: %v", recovered)
			d.tally(ctx, s)
			d.writeStatus(ctx, s)
			panic(recovered) // whoever contains it has the stack
		}
	}()
	d.run(ctx, s, d.phases(s))
	var failed error
	if d.tally(ctx, s) { // at once, not when the failure is due to be tried again
		failed, w.Object = s.err, s.Object
		before := s.changes
		s = d.newScope(w)
		s.changes = before
		d.run(ctx, s, d.phases(s))
	}
	d.writeStatus(ctx, s)
	outcome := s.outcome()
	switch _, stalled := reasonOf(s.err); {
	case s.err == nil && failed != nil: // to try it again is what the rollback has ended
		return outcome, reconcile.TerminalError(failed)
	case builds(s.err): // again when its time has come, and not before
		return outcome, reconcile.TerminalError(s.err)
	case stalled && !s.counted && !s.outdated():
		// Only a change of the resource, of a child or of the Katalog can help. The resync looks again all the same.
		return outcome, reconcile.TerminalError(s.err)
	}
	return outcome, s.err
}

// run goes through the phases of the cycle up to the first that ends it.
func (d *Declarative) run(ctx context.Context, s *scope, phases []phase) {
	s.lookUp = d.lookUpFor(ctx, s)
	for _, run := range phases {
		var done bool
		if done, s.err = run(ctx, s); done || s.err != nil {
			return
		}
	}
}

func (d *Declarative) phases(s *scope) []phase {
	switch {
	case s.Object.GetDeletionTimestamp() != nil:
		return []phase{d.cleanUp}
	case d.rolledBack(s):
		return d.rollbackPhases(s)
	default:
		phases := []phase{
			d.normalize, d.guard, d.keepFinalizers, d.callForHooks, d.obeyRules, d.readCross, d.fetchGit, d.callExternal, d.buildImages,
			d.observeChildren, d.plan, d.decideReplicas, d.keepMetadata,
		}
		if s.Box.Hooks != nil && s.Box.Hooks.First {
			return append(phases, d.reconcileHook, d.applyChildren, d.prune, d.provide, d.leaveSurfaces, d.recordSpec, d.recordCommit)
		}
		return append(phases, d.applyChildren, d.prune, d.provide, d.reconcileHook, d.leaveSurfaces, d.recordSpec, d.recordCommit)
	}
}

// outcome is what the cycle came to.
func (s *scope) outcome() work.Outcome {
	outcome := work.Outcome{
		Changes: s.changes, RequeueAfter: s.requeueAfter, Denied: s.denied != nil,
		NotReady: !s.judge().ready, RolledBack: s.rollback != nil, Closed: s.closed, Steps: s.steps,
		Requeue: s.result.Requeue, //nolint:staticcheck // forwarded as long as there is code that returns it
	}
	if s.waiting != nil {
		outcome.Waiting = s.waiting.message
	}
	return outcome
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
