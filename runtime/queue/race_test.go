package queue_test

import (
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"github.com/orkestra-runtime/orkestra/runtime/queue"
)

// TestManyProducersAndWorkers lets workers fail, requeue and be resized under load. Every event must be part of a hand-out and no
// object be with two workers.
func TestManyProducersAndWorkers(t *testing.T) {
	const (
		producers = 64
		workers   = 8
		events    = 60
		objects   = 20
	)
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, queue.Options{Workers: 3})
		var (
			busy    [objects]atomic.Bool
			mu      sync.Mutex
			handed  = map[string]bool{}
			failed  = map[queue.Item]bool{}
			produce sync.WaitGroup
			work    sync.WaitGroup
		)
		worker := func() {
			for {
				i, priority, shutdown := q.GetWithPriority()
				if shutdown {
					return
				}
				var object int
				_, _ = fmt.Sscan(i.Name, &object)
				if busy[object].Swap(true) {
					t.Errorf("%v was handed out while a worker has its object", i)
				}
				mu.Lock()
				maps.Copy(handed, q.Facts(i).Sentinels)
				again := !failed[i] && len(handed)%3 == 0
				failed[i] = true
				mu.Unlock()
				busy[object].Store(false)
				if again {
					q.AddWithOpts(priorityqueue.AddOpts{RateLimited: true, Priority: &priority}, i)
				} else {
					q.Forget(i)
				}
				q.Done(i)
			}
		}
		for p := range producers {
			produce.Go(func() {
				for n := range events {
					i := item(fmt.Sprint((p*events + n) % objects))
					if n%2 == 0 {
						i.EventID = q.NextEventID()
					}
					q.Offer(i, queue.Facts{
						Source:    queue.SourcePrimary << (n % 4),
						Sentinels: map[string]bool{mark(p*events + n): true},
					}, priorityqueue.AddOpts{})
					if n%20 == 0 {
						q.SetWorkers(n / 20 % workers)
						q.Len()
						q.Facts(i)
					}
				}
			})
		}
		for range workers {
			work.Go(worker)
		}
		produce.Wait()
		q.SetWorkers(0)
		pass(time.Hour)
		if ready, processing, delayed := q.Pending(); ready+processing+delayed != 0 || q.Objects() != 0 {
			t.Errorf("Pending() = %d, %d, %d with %d objects after an hour", ready, processing, delayed, q.Objects())
		}
		q.ShutDown()
		work.Wait()
		if len(handed) != producers*events {
			t.Errorf("%d of %d events were part of a hand-out", len(handed), producers*events)
		}
	})
}
