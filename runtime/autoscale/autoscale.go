package autoscale

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/orkestra-runtime/orkestra/conditions"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/cross"
)

// Target is the controller. It is told of every number at every change, also of those that stay.
type Target interface {
	// SetWorkers sets how many resources are reconciled at once. It interrupts none.
	SetWorkers(n int)
	// SetMaxDepth sets the limit for new items of the queue. 0: there is none.
	SetMaxDepth(n int)
	// SetResync sets how often every resource is looked at again, from now on.
	SetResync(every time.Duration)
}

// Recorder counts changes. Workers is how many there are from then on.
type Recorder interface {
	Overridden(workers int)
	Restored(workers int)
}

// Options of an Autoscaler. All but Cross must be set.
type Options struct {
	Scaling *box.Scaling
	// Baseline holds at the start, and whenever the override does not.
	Baseline box.Capacity
	Target   Target
	Recorder Recorder
	// Metrics are those of the CRD, as conditions see them. They are asked for at each evaluation.
	Metrics func() map[string]any
	// Cross are the metrics of other CRDs, as conditions see them below .cross. They are asked for at each evaluation, within ctx. Nil: none.
	Cross func(ctx context.Context) map[string]any
	// Now is the clock of conditions. The interval and the cooldown are measured with the monotonic clock.
	Now func() time.Time
}

// Autoscaler overrides the capacity of one controller while conditions hold, and restores it when they have been false for the cooldown.
// A nil Autoscaler never overrides.
type Autoscaler struct {
	opts Options
	// falseSince is when the conditions were found false first, zero while they hold. Run alone uses it.
	falseSince time.Time

	mu        sync.Mutex // guards the rest
	effective box.Capacity
	active    bool
}

// New returns an Autoscaler at the baseline, which is what its Target is expected to have.
func New(opts Options) *Autoscaler { return &Autoscaler{opts: opts, effective: opts.Baseline} }

// Run evaluates at every interval until ctx ends. The override ends with it.
func (a *Autoscaler) Run(ctx context.Context) {
	ticker := time.NewTicker(a.opts.Scaling.Interval)
	defer ticker.Stop()
	defer func() {
		if a.Active() {
			a.hold(a.opts.Baseline, false)
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			a.evaluate(ctx, time.Now())
		}
	}
}

// Active tells whether the override holds.
func (a *Autoscaler) Active() bool {
	if a == nil {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.active
}

// Effective is the capacity that holds.
func (a *Autoscaler) Effective() box.Capacity {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.effective
}

// evaluate looks once. Only one does so at a time.
func (a *Autoscaler) evaluate(ctx context.Context, now time.Time) {
	verdict, err := a.judge(ctx)
	log := logf.FromContext(ctx)
	if err != nil {
		log.Error(err, "conditions of the autoscaler can't be evaluated, and count as false")
	}
	switch {
	case verdict.Pass:
		a.falseSince = time.Time{}
		if !a.Active() {
			a.change(a.opts.Scaling.Override, true)
			log.Info("autoscaler overrides", numbers(a.opts.Scaling.Override)...)
		}
	case !a.Active():
	case a.falseSince.IsZero() && a.opts.Scaling.Cooldown > 0:
		a.falseSince = now // and not before: nobody has seen it
	case now.Sub(a.falseSince) >= a.opts.Scaling.Cooldown:
		a.change(a.opts.Baseline, false)
		log.Info("autoscaler restores", append(numbers(a.opts.Baseline), "reason", verdict.Reason)...)
	}
}

// judge evaluates the conditions. A panic in them is an error.
func (a *Autoscaler) judge(ctx context.Context) (verdict conditions.Verdict, err error) {
	defer func() {
		if recovered := recover(); recovered != nil {
			err = fmt.Errorf("autoscaler panic: %v\n%s", recovered, debug.Stack())
		}
	}()
	roots := map[string]any{box.MetricsRoot: a.opts.Metrics()}
	if a.opts.Cross != nil {
		roots[cross.Root] = a.opts.Cross(ctx)
	}
	facts := template.NewFacts(roots, a.opts.Now)
	return a.opts.Scaling.Conditions.Evaluate(facts), nil
}

// change gives the Target a capacity.
func (a *Autoscaler) change(to box.Capacity, active bool) {
	a.opts.Target.SetWorkers(to.Workers.Value)
	a.opts.Target.SetMaxDepth(to.MaxDepth.Value)
	a.opts.Target.SetResync(to.Resync.Value)
	a.hold(to, active)
}

// hold notes which capacity holds.
func (a *Autoscaler) hold(now box.Capacity, active bool) {
	a.mu.Lock()
	a.effective, a.active = now, active
	a.mu.Unlock()
	if active {
		a.opts.Recorder.Overridden(now.Workers.Value)
	} else {
		a.opts.Recorder.Restored(now.Workers.Value)
	}
}

// numbers of a capacity, as a log shows them.
func numbers(c box.Capacity) []any {
	return []any{"workers", c.Workers.Value, "maxDepth", c.MaxDepth.Value, "resync", c.Resync.Value.String()}
}
