package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/util/cache"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/tools/events"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers/apply"
	"github.com/orkestra-runtime/orkestra/controllers/children"
	"github.com/orkestra-runtime/orkestra/controllers/enrich"
	"github.com/orkestra-runtime/orkestra/controllers/informer"
	"github.com/orkestra-runtime/orkestra/controllers/sources"
	"github.com/orkestra-runtime/orkestra/providers/external"
	"github.com/orkestra-runtime/orkestra/providers/image"
	"github.com/orkestra-runtime/orkestra/runtime/cross"
	"github.com/orkestra-runtime/orkestra/runtime/flight"
	"github.com/orkestra-runtime/orkestra/runtime/metrics"
)

// Engine runs the controllers of all declared CRDs. It is a Runnable of the Manager that it was made with: on every replica it keeps
// resources and children in memory, and where the Manager leads it reconciles them.
type Engine struct {
	opts        Options
	manager     manager.Manager
	log         logr.Logger
	client      dynamic.Interface
	definitions *definitions
	mapper      meta.RESTMapper
	recorder    events.EventRecorder
	children    *children.Store
	enrich      *enrich.Store
	sources     *sources.Store
	observed    *informer.Pool
	applier     *apply.Applier
	calls       *external.Client
	known       *cache.LRUExpireCache // Secrets and ConfigMaps that were read a moment ago
	builds      *image.Builds
	crossed     *cross.Index
	remote      *cross.Remote
	record      *inventory
	series      *metrics.Recorder
	flight      *flight.Recorder
	presence    presence

	replacing sync.Mutex // held by Replace

	// leads is set once this replica is the leader, and stays: a process that loses its lease ends.
	leads atomic.Bool
	drain drain

	mu      sync.RWMutex // guards the rest
	entries map[string]*entry
	// roster is what the Katalogs declare, and removals are entries that they declare no more, by their keys in the inventory.
	roster   roster
	katalogs []*orkv1.Katalog
	removals map[string]*removal
	// wake is there while the engine runs: a queue has goroutines, and an engine that was only made has none.
	wake *waker
}

var (
	_ manager.Runnable               = (*Engine)(nil)
	_ manager.LeaderElectionRunnable = (*Engine)(nil)
)

// New compiles the Katalogs and adds the engine to the Manager, which starts controllers when it is the leader. What is wrong
// with a Katalog is a field.ErrorList as an aggregate error, all of it at once.
func New(mgr manager.Manager, opts Options) (*Engine, error) {
	if err := opts.setDefaults(); err != nil {
		return nil, err
	}
	config := unthrottled(mgr.GetConfig())
	client, err := informer.NewClient(config, mgr.GetHTTPClient())
	if err != nil {
		return nil, err
	}
	metadataClient, err := metadata.NewForConfigAndClient(config, mgr.GetHTTPClient())
	if err != nil {
		return nil, fmt.Errorf("make a client for definitions: %w", err)
	}
	series, err := metrics.New(ctrlmetrics.Registry)
	if err != nil {
		return nil, err
	}

	e := &Engine{
		opts:     opts,
		manager:  mgr,
		log:      mgr.GetLogger(),
		client:   client,
		mapper:   mgr.GetRESTMapper(),
		recorder: mgr.GetEventRecorder("orkestra"),
		children: children.NewStore(client, mgr.GetRESTMapper()),
		enrich:   enrich.NewStore(client, metadataClient, mgr.GetRESTMapper()),
		sources:  sources.NewStore(client, mgr.GetRESTMapper()),
		observed: informer.NewPool(informer.From(client), mgr.GetRESTMapper()),
		record:   newInventory(client, opts.Namespace),
		series:   series,
		flight:   flight.New(opts.Now),
		crossed:  cross.NewIndex(),
		remote:   cross.NewRemote(),
		known:    cache.NewLRUExpireCache(mostRead),
	}
	e.calls = external.NewClient(opts.External, external.ClientOptions{Secrets: external.SecretsFunc(e.secret), Namespace: opts.Namespace})
	e.builds = image.NewBuilds(opts.Builds)
	e.drain.limit = max(0, opts.Drain)
	e.applier = apply.New(client, e.children)
	if e.definitions, err = newDefinitions(metadataClient, e.definitionChanged); err != nil {
		return nil, err
	}
	if e.entries, err = e.compile(opts.Katalogs); err != nil {
		return nil, err
	}
	if err := e.construct(e.entries); err != nil {
		return nil, err
	}
	e.tellUnusedCode()
	e.roster, e.katalogs = rosterOf(opts.Katalogs), opts.Katalogs
	for _, runnable := range []manager.Runnable{&e.presence, e, manager.RunnableFunc(e.lead)} {
		if err := mgr.Add(runnable); err != nil {
			return nil, fmt.Errorf("add the engine to the manager: %w", err)
		}
	}
	return e, nil
}

// NeedLeaderElection is false: a replica that does not lead keeps everything in memory, so that it can take over at once. Its
// controllers start when the Manager leads.
func (e *Engine) NeedLeaderElection() bool { return false }

// Start runs until ctx ends, and returns when every controller, informer and cycle has ended.
func (e *Engine) Start(ctx context.Context) error {
	ctx = logf.IntoContext(ctx, e.log) // a Manager's Logger is not in the context that it starts with
	wake := newWaker()
	var watching sync.WaitGroup
	watching.Go(func() { e.definitions.run(ctx) })
	defer watching.Wait()

	e.mu.Lock()
	e.wake = &wake
	e.mu.Unlock()
	for _, one := range e.all() {
		wake.add(one.set.Name)
	}
	if e.leads.Load() {
		wake.add(removedEntries)
	}
	// An entry whose kinds are slow to list must not keep the others from starting.
	var settlers sync.WaitGroup
	for range settlersAtMost {
		settlers.Go(func() { wake.run(ctx, e.settle) })
	}
	<-ctx.Done()
	e.mu.Lock()
	e.wake = nil
	e.mu.Unlock()
	wake.stop()
	settlers.Wait()
	e.end(ctx)
	e.calls.Close()
	if err := e.opts.Providers.Close(); err != nil {
		e.log.Error(err, "what providers keep is not closed")
	}
	e.builds.Close()
	e.endSeries()
	return nil
}

// endSeries ends the series of all entries. A process may outlive its engine, as that of a test suite does, and start another.
func (e *Engine) endSeries() {
	e.replacing.Lock()
	defer e.replacing.Unlock()
	e.removeSeries(e.all())
}

// removeSeries ends the series of entries and of their controllers, which have ended.
func (e *Engine) removeSeries(gone []*entry) {
	names := make([]string, 0, len(gone))
	for _, one := range gone {
		one.metrics.Remove()
		names = append(names, one.set.Name)
	}
	e.series.RemoveControllers(ctrlmetrics.Registry, names...)
}

// settlersAtMost bounds how many entries start or stop at once.
const settlersAtMost = 32

// settle brings an entry to where it should be: running, or not. It is called again whenever something that it looks at changed,
// and with back-off after an error.
func (e *Engine) settle(ctx context.Context, name string) error {
	entry := e.entry(name)
	switch {
	case entry == nil && !e.leads.Load(): // what is gone is the leader's to deal with
		return nil
	case name == removedEntries:
		return e.findRemoved(ctx)
	case entry == nil:
		return e.remove(ctx, name)
	}
	changed, err := entry.settle(ctx)
	if changed {
		e.wakeDependents(name)
	}
	return err
}

// wakeUp has an entry settled, if the engine runs.
func (e *Engine) wakeUp(name string, after time.Duration) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.wake != nil {
		e.wake.addAfter(name, after)
	}
}

// entry returns the entry of a name, or nil.
func (e *Engine) entry(name string) *entry {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.entries[name]
}

// all returns the entries in the order of their names.
func (e *Engine) all() []*entry {
	e.mu.RLock()
	defer e.mu.RUnlock()
	all := make([]*entry, 0, len(e.entries))
	for _, name := range slices.Sorted(maps.Keys(e.entries)) {
		all = append(all, e.entries[name])
	}
	return all
}
