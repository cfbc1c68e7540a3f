package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/orkestra-runtime/orkestra/conditions/sentinel"
	"github.com/orkestra-runtime/orkestra/controllers/enrich"
	"github.com/orkestra-runtime/orkestra/controllers/informer"
	"github.com/orkestra-runtime/orkestra/controllers/sources"
	"github.com/orkestra-runtime/orkestra/runtime/autoscale"
	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/health"
	"github.com/orkestra-runtime/orkestra/runtime/kordinator"
	"github.com/orkestra-runtime/orkestra/runtime/metrics"
	"github.com/orkestra-runtime/orkestra/runtime/observe"
	"github.com/orkestra-runtime/orkestra/runtime/queue"
	"github.com/orkestra-runtime/orkestra/runtime/reconciler"
)

// entry is one declared CRD, running or not.
type entry struct {
	engine   *Engine
	set      *box.Set
	declared declared
	health   *health.CRD
	metrics  *metrics.CRD
	// auth has the credentials of providers by their names.
	auth map[string]map[string]string
	// constructed are the reconcilers that constructors made. Set before the entry is settled.
	constructed []constructed

	// former are the resources that the entry, or the one in whose place it is, had before it started anew. Nil: there is nothing to read.
	former atomic.Pointer[informer.Informer]
	// tried tells that the entry was settled once. awaits is since when it waits for those that it reads.
	tried  atomic.Bool
	awaits time.Time

	// settling is held while the entry is started or stopped, so that only one does so. It guards retired and awaits.
	settling sync.Mutex
	retired  bool

	mu      sync.RWMutex // guards running and missing
	running *running
	missing []schema.GroupVersionKind // kinds of children that are not installed
}

// running is an entry's controller with all it needs. On a replica that does not lead it is only what the entry keeps in memory.
type running struct {
	definition definition
	resources  *informer.Informer
	controller controller.TypedController[queue.Item]
	queue      *queue.Queue
	path       *observe.Path
	// watched is done once resources of others read these.
	watched sync.Once
	// waitingForChild are the resources that wait for a child that another one has.
	waitingForChild func(schema.GroupVersionKind, types.NamespacedName) []types.NamespacedName
	autoscaler      *autoscale.Autoscaler // nil where none is declared
	inventory       []schema.GroupVersionKind
	enrich          *enrich.Reader
	sources         *sources.Reader
	// held are the definitions of the children's kinds as far as they have one. Only settle uses it.
	held map[schema.GroupVersionKind]heldDefinition
	// unobserved are the selections whose kind is not installed. Only settle uses it.
	unobserved []informer.Selection
	// defined are the definitions that served what is observed, as far as that has one. Only settle uses it.
	defined map[informer.Selection]string
	// led is set once there is a controller. Until then controller, queue, path, inventory, sources, cancel and done are not.
	led atomic.Bool
	// released is set once what the entry depends on is there, and stays. Until then only deletions are dealt with.
	released atomic.Bool
	cancel   context.CancelFunc
	done     chan struct{}
}

// ended tells whether the controller stopped by itself.
func (r *running) ended() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// syncTimeout is how long an entry waits for its kinds to be listed before it lets others have their turn and tries again.
const syncTimeout = 30 * time.Second

// settle starts, keeps or stops the entry's controller. Changed tells that it now runs or no longer does.
func (e *entry) settle(ctx context.Context) (changed bool, err error) {
	e.settling.Lock()
	defer e.settling.Unlock()
	if e.retired {
		return false, nil
	}
	defer e.tried.Store(true)
	definition, err := e.engine.define(ctx, e)
	notReady, waits := errors.AsType[*notReadyError](err)
	current := e.current()
	if current != nil && current.ended() {
		e.stop(false)
		current = nil
	}
	switch {
	case waits && current != nil:
		logf.FromContext(ctx).Info("definition is gone, controller stops until it is back", "crd", e.set.Name, "reason", notReady.reason)
		e.stop(true)
		e.health.Waiting(notReady.reason)
		return true, nil
	case waits:
		e.former.Store(nil)
		e.wait(ctx, notReady.reason)
		return false, nil
	case err != nil:
		if current == nil {
			e.health.Waiting(err.Error())
		}
		return false, err
	case current != nil && !current.definition.same(definition):
		logf.FromContext(ctx).Info("definition changed, controller starts anew", "crd", e.set.Name)
		e.stop(false)
	case current != nil && (current.led.Load() || !e.engine.leads.Load()):
		e.dropVanished(ctx, current)
		e.noteHeld(current)
		return e.release(ctx, current), errors.Join(e.holdMissing(ctx, current), e.observeMissing(ctx, current))
	}

	if err := e.bringUp(ctx, definition); err != nil {
		e.health.Waiting(err.Error())
		return false, err
	}
	return e.operates() || e.release(ctx, e.current()), nil
}

// operates tells whether the entry's resources are operated.
func (e *entry) operates() bool {
	r := e.current()
	return r != nil && r.led.Load() && r.released.Load()
}

// release has the resources operated as soon as what the entry depends on is there. An entry that was released stays so, whatever
// becomes of its dependencies.
func (e *entry) release(ctx context.Context, r *running) (released bool) {
	if r.released.Load() || !r.led.Load() {
		return false
	}
	if reason := e.engine.unmetDependency(e); reason != "" {
		e.wait(ctx, reason)
		return false
	}
	e.health.Started()
	r.released.Store(true)
	r.offerAll()
	return true
}

// offerAll has every resource looked at as if the entry started now: what happened before led to nothing.
func (r *running) offerAll() {
	for _, resource := range r.resources.List() {
		r.path.Offer(observe.Occurrence{Resource: client.ObjectKeyFromObject(resource), Source: queue.SourceInitial, After: resource})
	}
}

// requeueAll has every resource looked at again.
func (r *running) requeueAll(gvk schema.GroupVersionKind) {
	for _, resource := range r.resources.List() {
		r.queue.Add(queue.Item{NamespacedName: client.ObjectKeyFromObject(resource), GVK: gvk})
	}
}

// definitionName is the name of the kind's CustomResourceDefinition. Without a declared plural it is the one that almost every
// kind has.
func (e *entry) definitionName() string {
	plural := e.set.Plural
	if plural == "" {
		guessed, _ := meta.UnsafeGuessKindToResource(e.set.GVK)
		plural = guessed.Resource
	}
	return plural + "." + e.set.GVK.Group
}

func (e *entry) wait(ctx context.Context, reason string) {
	if e.health.Snapshot().Waiting != reason {
		logf.FromContext(ctx).Info("controller waits", "crd", e.set.Name, "reason", reason)
	}
	e.health.Waiting(reason)
}

// warm brings up the informers.
func (e *entry) warm(ctx context.Context, definition definition) (err error) {
	syncing, cancelSync := context.WithTimeout(ctx, syncTimeout)
	defer cancelSync()
	defer func() {
		if err != nil {
			e.engine.children.Release(e.set.Name)
			e.engine.enrich.Release(e.set.Name)
			e.engine.observed.Release(e.set.Name)
		}
	}()

	e.tellMisreads(ctx, definition)
	e.health.Waiting("resources and children are being listed")
	missing, err := e.hold(syncing, e.set.Kinds())
	if err != nil {
		return err
	}
	unobserved, err := e.holdObserved(syncing)
	if err != nil {
		return err
	}
	// The informer ends with the entry, after the last cycle, not with the context that told the cycles to end.
	resources, err := informer.Start(context.WithoutCancel(ctx), e.engine.client, informer.Options{
		Resource: definition.GroupVersionResource, Namespace: e.set.Watch.Namespace, LabelSelector: e.set.Watch.LabelSelector,
		FieldSelector: e.set.Watch.FieldSelector, Resync: e.informerResync(),
		KeepManagedFields: e.set.Declares(sentinel.ManagedFieldsChanged),
	})
	if err != nil {
		return err
	}
	if err := resources.WaitForSync(syncing); err != nil {
		resources.Stop()
		return err
	}

	r := &running{
		definition: definition, resources: resources, unobserved: unobserved,
		enrich: e.engine.enrich.Hold(syncing, e.set.Name, e.set.Enriches()),
		held:   map[schema.GroupVersionKind]heldDefinition{}, defined: map[informer.Selection]string{},
	}
	e.noteHeld(r)
	e.mu.Lock()
	e.running, e.missing = r, missing
	e.mu.Unlock()
	e.former.Store(nil)
	e.tellCrossed()
	e.metrics.Track(func() (resources, depth int) { return r.resources.Len(), 0 })
	e.tellUnobserved(r)
	return nil
}

// control makes the controller, gives it its sources and starts it.
func (e *entry) control(ctx context.Context, r *running) error {
	// The controller makes its queue when it starts; everybody here needs it before.
	limiter := newLimiter(e.set.Delayed)
	r.queue = queue.New(e.set.Name, limiter, queue.Options{
		Workers: e.set.Workers, MaxDepth: e.set.Capacity.MaxDepth.Value, MetricsProvider: queue.ControllerRuntimeMetrics(),
	})
	r.path = &observe.Path{
		Set: e.set, Queue: r.queue, Resources: r.resources, Health: e.health, Metrics: e.metrics, Now: e.engine.opts.Now, State: e.feedback,
		Log: logf.FromContext(ctx), Flight: e.engine.flight.Of(e.set.Name),
	}
	calls := e.engine.calls.Recorded(e.metrics)
	if e.set.CallsBeforeQueue() {
		r.path.Stage = observe.NewStage(calls)
	}
	r.sources = e.engine.sources.Reader(func(name types.NamespacedName) {
		r.path.Offer(observe.Occurrence{Resource: name, Source: queue.SourceWatch})
	})
	declarative := reconciler.NewDeclarative(reconciler.Options{
		Client: e.engine.client, Resource: r.definition.Resource, Children: e.engine.children, Applier: e.engine.applier,
		Enrich: r.enrich, Calls: calls, Checkouts: e.checkouts(), Credentials: e.engine.gitCredential, Images: e.images(r),
		Sources: r.sources, Recorder: e.engine.recorder, Write: r.resources.Write, Inventory: r.inventory,
		Others: r.resources.List, RolledBack: e.metrics.Rollbacks.Inc, Now: e.engine.opts.Now,
		Feedback: e.feedback, Stamps: e.stamps, Validated: e.validated,
		Hooks: e.engine.opts.Hooks, GoClient: e.goClient(), Cross: e.crossReader(calls),
		Providers: e.engine.opts.Providers, ProviderAuth: e.auth, Kube: kubeReader{e.engine}, ProviderTimeout: e.engine.opts.ProviderTimeout,
		Asked: e.asked, Panicked: e.metrics.Panics.Inc,
	})
	k := kordinator.New(kordinator.Options{
		Set: e.set, Resources: r.resources, Reconciler: reconciler.NewMux(e.reconciler(declarative)), Events: r.queue.Facts,
		Health: e.health, Metrics: e.metrics, Drain: e.engine.drain.left, Now: e.engine.opts.Now,
		Held:  func() bool { return !r.released.Load() },
		State: e.feedback, Flight: e.engine.flight.Of(e.set.Name), Later: r.queue.AddAfter, Calls: calls,
		Noted: func(ctx context.Context, name types.NamespacedName) { e.stamp(ctx, r, name) },
	})
	log := logf.FromContext(ctx)
	var err error
	r.controller, err = controller.NewTypedUnmanaged(e.set.Name, controller.TypedOptions[queue.Item]{
		Reconciler: k,
		// The queue holds back those that are too many at the moment.
		MaxConcurrentReconciles: e.set.MostWorkers(),
		NewQueue: func(string, workqueue.TypedRateLimiter[queue.Item]) workqueue.TypedRateLimitingInterface[queue.Item] {
			return r.queue
		},
		RateLimiter: limiter,
		// Names are remembered for the life of the process; a controller that comes back has its old one.
		SkipNameValidation: new(true),
		LogConstructor: func(item *queue.Item) logr.Logger {
			if item == nil {
				return log
			}
			return log.WithValues("namespace", item.Namespace, "name", item.Name)
		},
	})
	if err != nil {
		return fmt.Errorf("make the controller: %w", err)
	}
	events := []source.TypedSource[queue.Item]{&observe.Primary{
		Path: r.path, Resources: r.resources, Waiting: declarative.WaitingForResource,
	}}
	r.waitingForChild = declarative.WaitingForChild
	waiting := e.waiting() // those are watched when they are held, whoever else holds them by now
	for _, kind := range append(e.set.Kinds(), r.inventory...) {
		if held, ok := e.engine.children.Kind(kind); ok && !slices.Contains(waiting, kind) {
			events = append(events, &observe.Children{Path: r.path, Kind: held, Waiting: r.waitingForChild})
		}
	}
	for _, one := range append(events, e.observations(r)...) {
		if err := r.controller.Watch(one); err != nil {
			return fmt.Errorf("watch: %w", err)
		}
	}

	// The entry ends it: at the end of the engine, what it depends on goes on until it has ended.
	ctx, r.cancel = context.WithCancel(context.WithoutCancel(ctx))
	r.done = make(chan struct{})
	beside := e.scale(ctx, r, calls)
	if stage := r.path.Stage; stage != nil {
		beside.Go(func() { stage.Run(ctx, r.path) })
	}
	go func() {
		failed := false
		defer func() {
			if failed { // and not before everybody can see that it ended
				e.engine.wakeUp(e.set.Name, 0)
			}
		}()
		defer close(r.done)
		defer beside.Wait()
		defer r.cancel()
		if err := r.controller.Start(ctx); err != nil && ctx.Err() == nil {
			log.Error(err, "controller ended")
			failed = true
		}
	}()
	return nil
}

// retire ends the entry for good.
func (e *entry) retire() {
	e.settling.Lock()
	defer e.settling.Unlock()
	e.retired = true
	e.stop(false)
	e.metrics.ForgetObserved()
}

// stop ends the controller, waits for its cycles, and then takes its informers down.
func (e *entry) stop(missing bool) {
	e.mu.Lock()
	r := e.running
	if r != nil && !missing {
		e.former.Store(r.resources) // until it has started anew
	}
	e.running, e.missing = nil, nil
	e.mu.Unlock()
	if r == nil {
		return
	}
	if r.led.Load() {
		r.cancel()
		<-r.done
		r.sources.Close()
		e.engine.crossed.ForgetAll(e.set.Name)
	}
	r.resources.Stop()
	e.engine.children.Release(e.set.Name)
	e.engine.enrich.Release(e.set.Name)
	e.engine.observed.Release(e.set.Name)
	e.health.Observing(nil)
	e.health.Stopped(missing)
	e.metrics.Track(nil)
	if missing {
		e.tellCrossed()
	}
}

func (e *entry) current() *running {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.running
}

// newLimiter spaces retries of one resource: 5 ms at first, twice as long each time, at most 1000 s; or always the same time. There is no
// limit over all resources: one that fails does not slow the others down.
func newLimiter(delayed bool) workqueue.TypedRateLimiter[queue.Item] {
	if delayed {
		return workqueue.NewTypedItemExponentialFailureRateLimiter[queue.Item](box.DelayedRetry, box.DelayedRetry)
	}
	return workqueue.NewTypedItemExponentialFailureRateLimiter[queue.Item](5*time.Millisecond, 1000*time.Second)
}
