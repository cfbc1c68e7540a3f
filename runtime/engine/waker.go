package engine

import (
	"context"
	"time"

	"k8s.io/client-go/util/workqueue"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
)

// waker calls a function for names that were added, each name once at a time, and again with back-off after an error.
type waker struct {
	queue workqueue.TypedRateLimitingInterface[string]
}

func newWaker() waker {
	return waker{queue: workqueue.NewTypedRateLimitingQueue(
		workqueue.NewTypedItemExponentialFailureRateLimiter[string](100*time.Millisecond, time.Minute),
	)}
}

func (w waker) add(name string) { w.queue.Add(name) }

func (w waker) addAfter(name string, delay time.Duration) { w.queue.AddAfter(name, delay) }

func (w waker) stop() { w.queue.ShutDown() }

// run works until stop is called.
func (w waker) run(ctx context.Context, do func(context.Context, string) error) {
	for {
		name, stopped := w.queue.Get()
		if stopped {
			return
		}
		if err := do(ctx, name); err != nil && ctx.Err() == nil {
			logf.FromContext(ctx).Error(err, "entry is not as it should be, another try follows", "crd", name)
			w.queue.AddRateLimited(name)
		} else {
			w.queue.Forget(name)
		}
		w.queue.Done(name)
	}
}
