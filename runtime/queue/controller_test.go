package queue_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/orkestra-runtime/orkestra/runtime/queue"
)

// TestController runs a controller-runtime controller on the queue: an item that fails is reconciled again with its facts, and the
// controller stops with the queue.
func TestController(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q *queue.Queue
		var got []seen
		c, err := controller.NewTypedUnmanaged("queue-test", controller.TypedOptions[queue.Item]{
			LogConstructor: func(*queue.Item) logr.Logger { return logr.Discard() },
			NewQueue: func(
				name string, limiter workqueue.TypedRateLimiter[queue.Item],
			) workqueue.TypedRateLimitingInterface[queue.Item] {
				q = queue.New(name, limiter, queue.Options{})
				return q
			},
			RateLimiter: newLimiter(),
			Reconciler: reconcile.TypedFunc[queue.Item](func(_ context.Context, i queue.Item) (reconcile.Result, error) {
				got = append(got, seen{Item: short(i), Facts: q.Facts(i)})
				if len(got) == 1 {
					return reconcile.Result{}, errors.New("not yet")
				}
				return reconcile.Result{}, nil
			}),
		})
		if err != nil {
			t.Fatalf("new controller: %v", err)
		}
		facts := queue.Facts{Source: queue.SourcePrimary, Sentinels: map[string]bool{"generationChanged": true}}
		err = c.Watch(source.TypedFunc[queue.Item](func(context.Context, workqueue.TypedRateLimitingInterface[queue.Item]) error {
			q.Offer(item("a", q.NextEventID()), facts, priorityqueue.AddOpts{})
			return nil
		}))
		if err != nil {
			t.Fatalf("watch: %v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		stopped := make(chan error)
		go func() { stopped <- c.Start(ctx) }()
		pass(2 * time.Second)
		cancel()
		if err := <-stopped; err != nil {
			t.Errorf("controller: %v", err)
		}
		again := facts
		again.Source |= queue.SourceRequeue
		if diff := cmp.Diff([]seen{{Item: "a#1", Facts: facts}, {Item: "a#1", Facts: again}}, got); diff != "" {
			t.Errorf("\nreconciled items: -want, +got:\n%s", diff)
		}
		if ready, processing, delayed := q.Pending(); ready+processing+delayed != 0 || q.NumRequeues(item("a")) != 0 {
			t.Errorf("Pending() = %d, %d, %d after success", ready, processing, delayed)
		}
	})
}
