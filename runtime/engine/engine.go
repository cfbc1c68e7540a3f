package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/tools/events"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/orkestra-runtime/orkestra/controllers/apply"
	"github.com/orkestra-runtime/orkestra/controllers/children"
	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/health"
	"github.com/orkestra-runtime/orkestra/runtime/metrics"
)

// Engine runs the controllers of all declared CRDs. It is a Runnable of the Manager that it was made with.
type Engine struct {
	opts        Options
	log         logr.Logger
	client      dynamic.Interface
	definitions *definitions
	mapper      meta.RESTMapper
	recorder    events.EventRecorder
	children    *children.Store
	applier     *apply.Applier
	record      *inventory
	// entries never changes after New; what is in an entry does.
	entries map[string]*entry
	// wake is made by Start, before anything uses it: a queue has goroutines, and an engine that never leads has none.
	wake waker
}

var (
	_ manager.Runnable               = (*Engine)(nil)
	_ manager.LeaderElectionRunnable = (*Engine)(nil)
)

// New compiles the Katalogs and adds their controllers to the Manager, which starts them when it is the leader. What is wrong
// with a Katalog is a field.ErrorList as an aggregate error, all of it at once.
func New(mgr manager.Manager, opts Options) (*Engine, error) {
	if err := opts.setDefaults(); err != nil {
		return nil, err
	}
	config := unthrottled(mgr.GetConfig())
	client, err := dynamic.NewForConfigAndClient(config, mgr.GetHTTPClient())
	if err != nil {
		return nil, fmt.Errorf("make a client: %w", err)
	}
	metadataClient, err := metadata.NewForConfigAndClient(config, mgr.GetHTTPClient())
	if err != nil {
		return nil, fmt.Errorf("make a client for definitions: %w", err)
	}
	recorder, err := metrics.New(ctrlmetrics.Registry)
	if err != nil {
		return nil, err
	}

	e := &Engine{
		opts:     opts,
		log:      mgr.GetLogger(),
		client:   client,
		mapper:   mgr.GetRESTMapper(),
		recorder: mgr.GetEventRecorder("orkestra"),
		children: children.NewStore(client, mgr.GetRESTMapper()),
		entries:  map[string]*entry{},
	}
	if e.definitions, err = newDefinitions(metadataClient, e.definitionChanged); err != nil {
		return nil, err
	}
	e.applier = apply.New(client, e.children)
	e.record = newInventory(client, opts.Namespace)
	for _, katalog := range opts.Katalogs {
		sets, errs := box.CompileKatalog(katalog, opts.Registry)
		if len(errs) > 0 {
			return nil, fmt.Errorf("katalog %s: %w", katalog.Name, errs.ToAggregate())
		}
		for _, set := range sets {
			if other, taken := e.entries[set.Name]; taken {
				return nil, fmt.Errorf("CRD %s is declared by katalog %s and by katalog %s", set.Name, other.set.Katalog, set.Katalog)
			}
			e.entries[set.Name] = &entry{
				engine:  e,
				set:     set,
				health:  health.New(set.FailureThreshold, health.Options{OnHealthy: func() { e.wakeDependents(set.Name) }}),
				metrics: recorder.CRD(set.Name),
			}
		}
	}
	if err := mgr.Add(e); err != nil {
		return nil, fmt.Errorf("add the engine to the manager: %w", err)
	}
	return e, nil
}

// NeedLeaderElection is true: two engines would do everything twice.
func (e *Engine) NeedLeaderElection() bool { return true }

// Start runs until ctx ends, and returns when every controller, informer and cycle has ended.
func (e *Engine) Start(ctx context.Context) error {
	ctx = logf.IntoContext(ctx, e.log) // a Manager's Logger is not in the context that it starts with
	e.wake = newWaker()
	var watching sync.WaitGroup
	watching.Go(func() { e.definitions.run(ctx) })
	defer watching.Wait()

	for _, name := range slices.Sorted(maps.Keys(e.entries)) {
		e.wake.add(name)
	}
	// An entry whose kinds are slow to list must not keep the others from starting.
	var settlers sync.WaitGroup
	for range min(settlersAtMost, len(e.entries)) {
		settlers.Go(func() { e.wake.run(ctx, e.settle) })
	}
	<-ctx.Done()
	e.wake.stop()
	settlers.Wait()

	var stopping sync.WaitGroup
	for _, one := range e.entries {
		stopping.Go(func() { one.stop(false) })
	}
	stopping.Wait()
	return nil
}

// settlersAtMost bounds how many entries start or stop at once.
const settlersAtMost = 64

// settle brings an entry to where it should be: running, or not. It is called again whenever something that it looks at changed,
// and with back-off after an error.
func (e *Engine) settle(ctx context.Context, name string) error {
	entry := e.entries[name]
	if entry == nil {
		return nil
	}
	changed, err := entry.settle(ctx)
	if changed {
		e.wakeDependents(name)
	}
	return err
}
