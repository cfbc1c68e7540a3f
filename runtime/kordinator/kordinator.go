package kordinator

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"golang.org/x/time/rate"
	"k8s.io/apimachinery/pkg/types"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/providers/external"
	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/flight"
	"github.com/orkestra-runtime/orkestra/runtime/health"
	"github.com/orkestra-runtime/orkestra/runtime/metrics"
	"github.com/orkestra-runtime/orkestra/runtime/queue"
	"github.com/orkestra-runtime/orkestra/runtime/work"
)

// Options of a Kordinator. All but Noted, Held, Calls, State, Now and Drain must be set.
type Options struct {
	Set       *box.Set
	Resources work.Resources
	// Reconciler does the work. A resource that is gone is handed to it as well, with a nil object.
	Reconciler work.Reconciler
	// Events tells what is known of the events behind an item.
	Events  func(queue.Item) queue.Facts
	Health  *health.CRD
	Metrics *metrics.CRD
	// Noted is called after each cycle, when Health knows what it came to. Nil: nobody is told.
	Noted func(context.Context, types.NamespacedName)
	// Held tells that what the entry depends on is not there yet: nothing is done for a resource then, unless it is on its way
	// out. Nil: never.
	Held func() bool
	// State gives the roots health and metrics, where the reconcile gate reads one of them. Nil: both are empty.
	State func() map[string]any
	// Calls answers the external calls of the reconcile gate. Nil: none are made.
	Calls external.Caller
	// Now is the clock of the reconcile gate. Nil is time.Now.
	Now func() time.Time
	// Flight remembers what became of each resource's cycles.
	Flight flight.Log
	// Later queues an item that nothing else leads to another cycle for, after a delay. Nil: nobody does.
	Later func(queue.Item, time.Duration)
	// Drain tells, when the controller is told to stop, how long a cycle may go on. Nil or zero: it is cancelled at once.
	Drain func() time.Duration
}

// Kordinator reconciles the items of one CRD's queue.
type Kordinator struct {
	Options
	tries tries
	// stacks bounds how often the stack of a panic is told: to write one takes longer than a whole cycle, and whoever panics does so again.
	stacks rate.Sometimes
}

var _ reconcile.TypedReconciler[queue.Item] = (*Kordinator)(nil)

// New returns a Kordinator.
func New(opts Options) *Kordinator {
	return &Kordinator{Options: opts, stacks: rate.Sometimes{Interval: time.Second}}
}

// Reconcile runs one item's cycle. A panic in it is an error of this item alone.
func (k *Kordinator) Reconcile(ctx context.Context, item queue.Item) (reconcile.Result, error) {
	ctx, cancel := outlive(ctx, k.Drain)
	defer cancel()

	w := work.Work{Item: item, Object: k.Resources.Get(item.NamespacedName), Set: k.Set, Events: k.Events(item)}
	if w.Object == nil {
		w.Box = k.Set.Effective("")
		_, err := k.contain(ctx, w)
		k.Health.Forget(item.NamespacedName)
		k.tries.over(item.NamespacedName)
		k.ended(w, work.Outcome{}, plain(err))
		return reconcile.Result{}, err
	}
	if w.Object.GetDeletionTimestamp() == nil && k.Held != nil && k.Held() {
		return reconcile.Result{}, nil // every resource is queued when the entry is released
	}
	w.Box = k.Set.Effective(roots.Target(w.Object))
	k.Metrics.Active.Inc() // also while the gate makes calls
	defer k.Metrics.Active.Dec()
	if !k.admits(ctx, w) {
		return reconcile.Result{}, nil // until the next event
	}

	start := time.Now()
	outcome, err := k.contain(ctx, w)
	k.Metrics.Reconciled(time.Since(start), err)
	again := k.again(ctx, item.NamespacedName, err)
	if again > 0 {
		k.Health.Passed(item.NamespacedName)
	} else {
		k.Health.Note(item.NamespacedName, health.Cycle{Err: plain(err), Ready: err == nil && !outcome.NotReady, RolledBack: outcome.RolledBack})
	}
	if k.Noted != nil {
		k.Noted(ctx, item.NamespacedName)
	}
	for _, change := range outcome.Changes.Writes() {
		k.Metrics.Wrote(string(change.Action))
		k.Flight.Record(item.NamespacedName, flight.Record{Kind: flight.Wrote, Message: change.String(), Fields: change.Fields, By: change.By})
		logf.FromContext(ctx).Info(change.Detail())
	}
	k.ended(w, outcome, plain(err))
	if again > 0 {
		return reconcile.Result{RequeueAfter: again}, nil
	}
	if err != nil {
		if outcome.RequeueAfter > 0 && k.Later != nil && errors.Is(err, reconcile.TerminalError(nil)) {
			k.Later(item, outcome.RequeueAfter)
		}
		return reconcile.Result{}, err
	}
	//nolint:staticcheck // Go code that returns Requeue is to get what it asks for
	return reconcile.Result{RequeueAfter: outcome.RequeueAfter, Requeue: outcome.Requeue}, nil
}

// again tells when a failed cycle is tried again as the queue's retryBackoff says, before it counts as failed. 0: it counts, or it
// succeeded.
func (k *Kordinator) again(ctx context.Context, name types.NamespacedName, err error) time.Duration {
	if err == nil || errors.Is(err, reconcile.TerminalError(nil)) {
		k.tries.over(name)
		return 0
	}
	after := k.tries.next(name, k.Set.Retry)
	if after > 0 {
		logf.FromContext(ctx).Info("cycle failed and is tried again", "after", after.String(), "reason", err.Error())
	}
	return after
}

// plain is an error without the mark that it is not to be tried again, for people.
func plain(err error) error {
	if errors.Is(err, reconcile.TerminalError(nil)) {
		if inner := errors.Unwrap(err); inner != nil {
			return inner
		}
	}
	return err
}

// contain turns a panic of user code into an error.
func (k *Kordinator) contain(ctx context.Context, w work.Work) (outcome work.Outcome, err error) {
	defer func() {
		if recovered := recover(); recovered != nil {
			k.Metrics.Panics.Inc()
			err = fmt.Errorf("reconciler panic: %v", recovered)
			log := logf.FromContext(ctx)
			k.stacks.Do(func() { log = log.WithValues("stack", string(debug.Stack())) })
			log.Error(err, "contained a panic")
		}
	}()
	return k.Reconciler.Reconcile(ctx, w)
}

// outlive returns a context that goes on for a while after its parent ended, so that a cycle that has begun can finish.
func outlive(parent context.Context, drain func() time.Duration) (context.Context, context.CancelFunc) {
	if drain == nil {
		return context.WithCancel(parent)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(parent))
	stop := context.AfterFunc(parent, func() {
		timer := time.NewTimer(drain())
		defer timer.Stop()
		select {
		case <-timer.C:
			cancel()
		case <-ctx.Done():
		}
	})
	return ctx, func() { stop(); cancel() }
}
