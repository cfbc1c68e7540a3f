package engine

import (
	"context"
	"sync"
	"time"

	"github.com/orkestra-runtime/orkestra/providers/external"
	"github.com/orkestra-runtime/orkestra/runtime/autoscale"
	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/observe"
	"github.com/orkestra-runtime/orkestra/runtime/queue"
)

// scaled is the controller of an entry, as its autoscaler sees it.
type scaled struct {
	queue *queue.Queue
	// resync is nil where the autoscaler leaves it to the informer.
	resync *observe.Resync
}

var _ autoscale.Target = scaled{}

// SetWorkers holds workers back in the queue.
func (s scaled) SetWorkers(n int) { s.queue.SetWorkers(n) }

// SetMaxDepth is for the next event.
func (s scaled) SetMaxDepth(n int) { s.queue.SetMaxDepth(n) }

// SetResync begins a new interval.
func (s scaled) SetResync(every time.Duration) {
	if s.resync != nil {
		s.resync.Set(every)
	}
}

// scale runs the autoscaler of the entry, if it has one, and its resync, until ctx ends. Whoever calls waits for both.
func (e *entry) scale(ctx context.Context, r *running, calls external.Caller) *sync.WaitGroup {
	var beside sync.WaitGroup
	if e.set.Autoscale == nil {
		return &beside
	}
	target := scaled{queue: r.queue}
	if e.set.Autoscale.Resyncs() {
		target.resync = observe.NewResync(r.path, r.resources.List)
		target.resync.Set(e.set.Capacity.Resync.Value)
		beside.Go(func() { target.resync.Run(ctx) })
	}
	r.autoscaler = autoscale.New(autoscale.Options{
		Scaling: e.set.Autoscale, Baseline: e.set.Capacity, Target: target, Recorder: e.metrics,
		Metrics: func() map[string]any { return e.sample().Values() }, Cross: e.crossMetrics(calls),
		Now: e.engine.opts.Now,
	})
	e.metrics.Scaling(e.set.Workers)
	beside.Go(func() { r.autoscaler.Run(ctx) })
	return &beside
}

// informerResync is how often the informer itself hands out every resource again. 0: never, for somebody else does.
func (e *entry) informerResync() time.Duration {
	if e.set.Autoscale.Resyncs() {
		return 0
	}
	return e.set.Watch.Resync
}

// capacity is how much the entry takes on at this moment, and where the numbers come from.
func (e *entry) capacity() box.Capacity {
	if r := e.current(); r != nil && r.led.Load() && r.autoscaler != nil {
		return r.autoscaler.Effective()
	}
	return e.set.Capacity
}
