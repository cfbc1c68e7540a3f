package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/source"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/controllers/children"
	"github.com/orkestra-runtime/orkestra/controllers/informer"
	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/health"
	"github.com/orkestra-runtime/orkestra/runtime/kordinator"
	"github.com/orkestra-runtime/orkestra/runtime/metrics"
	"github.com/orkestra-runtime/orkestra/runtime/observe"
	"github.com/orkestra-runtime/orkestra/runtime/queue"
	"github.com/orkestra-runtime/orkestra/runtime/reconciler"
)

// entry is one declared CRD, running or not. Only one settle or stop of it runs at a time; the lock is for those who ask.
type entry struct {
	engine  *Engine
	set     *box.Set
	health  *health.CRD
	metrics *metrics.CRD

	mu      sync.RWMutex // guards running and missing
	running *running
	missing []schema.GroupVersionKind
}

// running is an entry's controller with all it needs.
type running struct {
	definition definition
	resources  *informer.Informer
	controller controller.TypedController[queue.Item]
	queue      *queue.Queue
	inventory  []schema.GroupVersionKind
	cancel     context.CancelFunc
	done       chan struct{}
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
		return true, nil
	case waits:
		e.wait(ctx, notReady.reason)
		return false, nil
	case err != nil:
		return false, err
	case current != nil && !current.definition.same(definition):
		e.stop(true) // deleted and made anew between two looks
	case current != nil:
		return false, e.holdMissing(ctx, current)
	}
	if reason := e.engine.unmetDependency(e); reason != "" {
		e.wait(ctx, reason)
		return false, nil
	}

	begin := time.Now()
	err = e.start(ctx, definition)
	e.metrics.Activated(time.Since(begin), err)
	return err == nil, err
}

func (e *entry) wait(ctx context.Context, reason string) {
	if e.health.Snapshot().Waiting != reason {
		logf.FromContext(ctx).Info("controller waits", "crd", e.set.Name, "reason", reason)
	}
	e.health.Waiting(reason)
}

// start brings up informers, then the controller.
func (e *entry) start(ctx context.Context, definition definition) (err error) {
	ctx = logf.IntoContext(ctx, logf.FromContext(ctx).WithValues("crd", e.set.Name))
	syncing, cancelSync := context.WithTimeout(ctx, syncTimeout)
	defer cancelSync()
	defer func() {
		if err != nil {
			e.engine.children.Release(e.set.Name)
		}
	}()

	inventory, err := e.engine.record.declare(syncing, e.set)
	if err != nil {
		return err
	}
	missing, err := e.hold(syncing, append(e.set.Kinds(), inventory...))
	if err != nil {
		return err
	}
	if inventory, err = e.dropEmpty(syncing, inventory); err != nil {
		return err
	}
	// The informer ends with the entry, after the last cycle, not with the context that told the cycles to end.
	resources, err := informer.Start(context.WithoutCancel(ctx), e.engine.client, informer.Options{
		Resource: definition.GroupVersionResource, Namespace: e.set.Watch.Namespace, LabelSelector: e.set.Watch.LabelSelector,
		FieldSelector: e.set.Watch.FieldSelector, Resync: e.set.Watch.Resync,
	})
	if err != nil {
		return err
	}
	if err := resources.WaitForSync(syncing); err != nil {
		resources.Stop()
		return err
	}

	r := &running{definition: definition, resources: resources, inventory: inventory, done: make(chan struct{})}
	if err := e.control(ctx, r); err != nil {
		resources.Stop()
		return err
	}
	e.mu.Lock()
	e.running, e.missing = r, missing
	e.mu.Unlock()
	e.metrics.Track(func() (resources, depth int) { return r.resources.Len(), r.queue.Len() })
	e.health.Started()
	return nil
}

// control makes the controller, gives it its sources and starts it.
func (e *entry) control(ctx context.Context, r *running) error {
	declarative := reconciler.NewDeclarative(reconciler.Options{
		Client: e.engine.client, Resource: r.definition.Resource, Children: e.engine.children, Applier: e.engine.applier,
		Recorder: e.engine.recorder, Remember: r.resources.Remember, Inventory: r.inventory, Now: e.engine.opts.Now,
	})
	// The controller makes its queue when it starts; everybody here needs it before.
	r.queue = queue.New(e.set.Name, newLimiter(), queue.Options{MetricsProvider: queue.ControllerRuntimeMetrics()})
	k := kordinator.New(kordinator.Options{
		Set: e.set, Resources: r.resources, Reconciler: reconciler.NewMux(declarative, nil), Events: r.queue.Facts,
		Health: e.health, Metrics: e.metrics, Drain: max(0, e.engine.opts.Drain),
	})
	log := logf.FromContext(ctx)
	var err error
	r.controller, err = controller.NewTypedUnmanaged(e.set.Name, controller.TypedOptions[queue.Item]{
		Reconciler:              k,
		MaxConcurrentReconciles: e.set.Workers,
		NewQueue: func(string, workqueue.TypedRateLimiter[queue.Item]) workqueue.TypedRateLimitingInterface[queue.Item] {
			return r.queue
		},
		RateLimiter: newLimiter(),
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
	sources := []source.TypedSource[queue.Item]{&observe.Primary{GVK: e.set.GVK, Resources: r.resources}}
	for _, kind := range append(e.set.Kinds(), r.inventory...) {
		if held, ok := e.engine.children.Kind(kind); ok {
			sources = append(sources, &observe.Children{Owner: e.set.GVK, Kind: held})
		}
	}
	for _, one := range sources {
		if err := r.controller.Watch(one); err != nil {
			return fmt.Errorf("watch: %w", err)
		}
	}

	ctx, r.cancel = context.WithCancel(ctx)
	go func() {
		defer close(r.done)
		if err := r.controller.Start(ctx); err != nil && ctx.Err() == nil {
			log.Error(err, "controller ended")
			e.engine.wake.add(e.set.Name)
		}
	}()
	return nil
}

// hold asks for the kinds of the children. Those that are not installed are returned.
func (e *entry) hold(ctx context.Context, kinds []schema.GroupVersionKind) (missing []schema.GroupVersionKind, err error) {
	for _, kind := range kinds {
		err := e.engine.children.Hold(ctx, e.set.Name, kind)
		if gone, ok := errors.AsType[*children.MissingKindError](err); ok {
			logf.FromContext(ctx).Info("kind of a child is not installed, its resources wait for it", "kind", gone.GVK.String())
			missing = append(missing, kind)
			continue
		}
		if err != nil {
			return nil, err
		}
	}
	return missing, nil
}

// dropEmpty forgets those former kinds of which no resource of the entry has a child any more.
func (e *entry) dropEmpty(ctx context.Context, former []schema.GroupVersionKind) (left []schema.GroupVersionKind, err error) {
	var gone []schema.GroupVersionKind
	for _, gvk := range former {
		kind, ok := e.engine.children.Kind(gvk)
		if ok && slices.ContainsFunc(kind.List(), e.owns) {
			left = append(left, gvk)
		} else {
			gone = append(gone, gvk)
		}
	}
	if len(gone) == 0 {
		return left, nil
	}
	e.engine.children.Release(e.set.Name, gone...)
	return left, e.engine.record.forget(ctx, e.set, gone)
}

func (e *entry) owns(child *unstructured.Unstructured) bool {
	kind, _, err := controllers.ParseOwner(child.GetAnnotations()[orkv1.AnnotationOwner])
	return err == nil && kind == e.set.GVK.GroupKind()
}

// holdMissing asks again for kinds that were not installed, and has every resource look at those that are by now.
func (e *entry) holdMissing(ctx context.Context, r *running) error {
	ctx, cancel := context.WithTimeout(ctx, syncTimeout)
	defer cancel()
	for _, kind := range e.waiting() {
		missing, err := e.hold(ctx, []schema.GroupVersionKind{kind})
		if err != nil {
			return err
		}
		if len(missing) > 0 {
			continue
		}
		held, ok := e.engine.children.Kind(kind)
		if !ok {
			continue
		}
		if err := r.controller.Watch(&observe.Children{Owner: e.set.GVK, Kind: held}); err != nil {
			return fmt.Errorf("watch children of kind %s: %w", kind.Kind, err)
		}
		e.found(kind)
		for _, resource := range r.resources.List() {
			r.queue.Add(queue.Item{NamespacedName: nameOf(resource), GVK: e.set.GVK})
		}
	}
	return nil
}

// stop ends the controller, waits for its cycles, and then takes its informers down.
func (e *entry) stop(missing bool) {
	e.mu.Lock()
	r := e.running
	e.running, e.missing = nil, nil
	e.mu.Unlock()
	if r == nil {
		return
	}
	r.cancel()
	<-r.done
	r.resources.Stop()
	e.engine.children.Release(e.set.Name)
	e.health.Stopped(missing)
	e.metrics.Track(nil)
}

func (e *entry) current() *running {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.running
}

func (e *entry) waiting() []schema.GroupVersionKind {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return append([]schema.GroupVersionKind(nil), e.missing...)
}

func (e *entry) found(kind schema.GroupVersionKind) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i, one := range e.missing {
		if one == kind {
			e.missing = append(e.missing[:i:i], e.missing[i+1:]...)
			return
		}
	}
}

// waitsForGroup tells whether a kind of child is missing that a definition of the group may bring.
func (e *entry) waitsForGroup(group string) bool {
	for _, kind := range e.waiting() {
		if kind.Group == group {
			return true
		}
	}
	return false
}

// newLimiter spaces retries of one resource: 5 ms at first, twice as long each time, at most 1000 s. There is no limit over all
// resources: one that fails does not slow the others down.
func newLimiter() workqueue.TypedRateLimiter[queue.Item] {
	return workqueue.NewTypedItemExponentialFailureRateLimiter[queue.Item](5*time.Millisecond, 1000*time.Second)
}

func nameOf(object *unstructured.Unstructured) types.NamespacedName {
	return types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetName()}
}
