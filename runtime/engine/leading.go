package engine

import (
	"context"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
)

// lead is called when this replica becomes the leader. It has every entry start its controller, with what is in memory already, and
// returns when ctx ends.
func (e *Engine) lead(ctx context.Context) error {
	e.leads.Store(true)
	for _, one := range e.all() {
		e.wakeUp(one.set.Name, 0)
	}
	e.wakeUp(removedEntries, 0)
	<-ctx.Done()
	return nil
}

// Leads tells whether this replica is the one that reconciles.
func (e *Engine) Leads() bool { return e.leads.Load() }

// bringUp keeps in memory what the entry needs and, on the leader, starts its controller.
func (e *entry) bringUp(ctx context.Context, definition definition) error {
	ctx = logf.IntoContext(ctx, logf.FromContext(ctx).WithValues("crd", e.set.Name))
	leads, begin := e.engine.leads.Load(), time.Now()
	var err error
	if e.current() == nil {
		err = e.warm(ctx, definition)
	}
	switch {
	case err == nil && leads && e.awaitsCrossed():
		e.health.Waiting("what it reads of other CRDs is being listed")
		e.engine.wakeUp(e.set.Name, crossRetry)
		return nil
	case err == nil && leads:
		err = e.begin(ctx, e.current())
	case err == nil:
		e.health.Standby()
		return nil
	}
	e.metrics.Activated(time.Since(begin), err)
	return err
}

// begin starts the controller of an entry that is in memory.
func (e *entry) begin(ctx context.Context, r *running) error {
	syncing, cancel := context.WithTimeout(ctx, syncTimeout)
	defer cancel()
	inventory, err := e.engine.record.declare(syncing, e.set, r.definition.Resource.Resource)
	if err != nil {
		return err
	}
	missing, err := e.hold(syncing, inventory)
	if err != nil {
		return err
	}
	if r.inventory, err = e.dropEmpty(syncing, inventory); err != nil {
		return err
	}
	e.noteHeld(r)
	r.released.Store(e.engine.unmetDependency(e) == "")
	e.mu.Lock()
	for _, kind := range missing {
		if slices.Contains(r.inventory, kind) && !slices.Contains(e.missing, kind) {
			e.missing = append(e.missing, kind)
		}
	}
	e.mu.Unlock()
	if err := e.control(ctx, r); err != nil {
		return err
	}
	if r.released.Load() { // who finds it running finds since when
		e.health.Started()
	}
	r.led.Store(true)
	e.metrics.Track(func() (resources, depth int) { return r.resources.Len(), r.queue.Len() })
	return nil
}

// kinds are those of the children of an entry, former ones included where they are known. R is nil for one that is not in memory.
func (e *entry) kinds(r *running) []schema.GroupVersionKind {
	kinds := e.set.Kinds()
	if r != nil && r.led.Load() {
		kinds = append(kinds, r.inventory...)
	}
	return kinds
}
