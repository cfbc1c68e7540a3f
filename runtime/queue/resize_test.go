package queue_test

import (
	"fmt"
	"runtime"
	"sync"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"github.com/orkestra-runtime/orkestra/runtime/queue"
)

// Workers are counted in one place. However often their limit changes under load, no more are busy than may be once those that were
// busy before have finished, the count never becomes negative, and no event is lost.
func TestDefect80BusyWorkersStayWithinTheLimit(t *testing.T) {
	const (
		producers = 64
		workers   = 64
		events    = 100
		most      = 50
		rounds    = 300
	)
	q := newQueue(t, queue.Options{Workers: 1})
	var (
		mu              sync.Mutex
		handed          = map[uint64]bool{}
		produce, worked sync.WaitGroup
	)
	for p := range producers {
		produce.Go(func() {
			for n := range events {
				i := item(fmt.Sprint((p*events + n) % 200))
				i.EventID = q.NextEventID()
				q.Offer(i, queue.Facts{Source: queue.SourcePrimary}, priorityqueue.AddOpts{})
				if n%8 == 0 {
					runtime.Gosched()
				}
			}
		})
	}
	for range workers {
		worked.Go(func() {
			for {
				i, shutdown := q.Get()
				if shutdown {
					return
				}
				mu.Lock()
				handed[i.EventID] = true
				mu.Unlock()
				runtime.Gosched()
				q.Done(i)
			}
		})
	}
	for n := range rounds {
		limit := 1 + n*7%most
		q.SetWorkers(limit)
		for _, busy, _ := q.Pending(); busy > limit; _, busy, _ = q.Pending() {
			runtime.Gosched()
		}
		for range 20 {
			if _, busy, _ := q.Pending(); busy > limit || busy < 0 {
				t.Fatalf("%d workers are busy, with a limit of %d", busy, limit)
			}
			runtime.Gosched()
		}
	}
	produce.Wait()
	q.ShutDownWithDrain()
	worked.Wait()
	if len(handed) != producers*events {
		t.Errorf("%d of %d events were handed out", len(handed), producers*events)
	}
	if ready, busy, _ := q.Pending(); ready != 0 || busy != 0 {
		t.Errorf("Pending() = %d, %d at the end, want nothing", ready, busy)
	}
}

func TestMaxDepth(t *testing.T) {
	q := newQueue(t, queue.Options{MaxDepth: 2})
	for _, name := range []string{"a", "b", "c"} {
		offer(q, item(name))
	}
	if got := q.MaxDepth(); got != 2 || q.Len() != 3 {
		t.Errorf("MaxDepth() = %d with %d items, want 2 with 3: the queue drops nothing by itself", got, q.Len())
	}
	for set, want := range map[int]int{7: 7, 0: 0, -1: 0} {
		if q.SetMaxDepth(set); q.MaxDepth() != want {
			t.Errorf("MaxDepth() = %d after SetMaxDepth(%d), want %d", q.MaxDepth(), set, want)
		}
	}
}
