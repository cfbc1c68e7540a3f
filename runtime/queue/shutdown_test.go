package queue_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"github.com/orkestra-runtime/orkestra/runtime/queue"
)

func TestShutDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, queue.Options{})
		offer(q, item("busy", 1))
		busy, _ := q.Get()
		offer(q, item("busy", 2))
		offer(q, item("ready"))
		q.AddAfter(item("delayed"), time.Second)
		q.ShutDown()
		q.ShutDown()

		if _, shutdown := q.Get(); !shutdown || !q.ShuttingDown() {
			t.Error("Get returned an item after ShutDown")
		}
		if got := q.Facts(busy).Source; got != queue.SourcePrimary {
			t.Errorf("the worker's item has lost its facts: source %v", got)
		}
		if q.Offer(item("new"), queue.Facts{}, priorityqueue.AddOpts{}) {
			t.Error("Offer took an item after ShutDown")
		}
		q.Add(item("new"))
		q.AddAfter(item("new"), time.Second)
		q.AddRateLimited(busy)
		if n := q.NumRequeues(busy); n != 0 {
			t.Errorf("the limiter was asked %d times after ShutDown", n)
		}
		if ready, processing, delayed := q.Pending(); ready != 0 || processing != 1 || delayed != 0 {
			t.Errorf("Pending() = %d, %d, %d, want only the worker's item", ready, processing, delayed)
		}
		q.Done(busy)
		pass(time.Minute)
		if q.Objects() != 0 || !q.Idle() {
			t.Errorf("%d objects are left after the last Done", q.Objects())
		}
	})
}

func TestShutDownWithDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, queue.Options{Workers: 2})
		offer(q, item("a", 1))
		busy, _ := q.Get()
		offer(q, item("a", 2))
		offer(q, item("b"))
		offer(q, item("c"))
		q.AddAfter(item("delayed"), time.Second)

		drained := make(chan struct{})
		go func() { q.ShutDownWithDrain(); close(drained) }()
		synctest.Wait()
		offer(q, item("late"))
		q.AddRateLimited(busy)

		got := make(chan string, 10)
		for range 3 {
			go func() {
				for {
					i, shutdown := q.Get()
					if shutdown {
						return
					}
					got <- short(i)
					<-time.After(time.Minute)
					q.Done(i)
				}
			}()
		}
		synctest.Wait()
		q.Done(busy)
		pass(time.Minute)
		select {
		case <-drained:
			t.Error("drained while a worker has an item")
		default:
		}
		<-drained
		close(got)
		names := map[string]bool{}
		for name := range got {
			names[name] = true
		}
		if diff := cmp.Diff(map[string]bool{"a#2": true, "b": true, "c": true}, names); diff != "" {
			t.Errorf("\nwhat was ready is delivered, also behind a worker; what is delayed or late is not\n-want, +got:\n%s", diff)
		}
		if _, shutdown := q.Get(); !shutdown || q.Objects() != 0 {
			t.Errorf("a drained queue holds %d objects", q.Objects())
		}
	})
}

func TestDrainOfIdleQueue(t *testing.T) {
	q := newQueue(t, queue.Options{})
	q.AddAfter(item("a"), time.Hour)
	q.ShutDownWithDrain()
	q.ShutDownWithDrain()
	if _, _, delayed := q.Pending(); delayed != 0 {
		t.Error("a delayed item outlived the drain")
	}
}

func TestShutDownEndsDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, queue.Options{})
		offer(q, item("a"))
		drained := make(chan struct{})
		go func() { q.ShutDownWithDrain(); close(drained) }()
		synctest.Wait()
		q.ShutDown()
		<-drained
		if q.Len() != 0 {
			t.Error("ShutDown left items of the drain")
		}
	})
}

func TestDrainReleasesWaitingWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, queue.Options{})
		offer(q, item("a"))
		busy, _ := q.Get()
		offer(q, item("a"))
		got := start(q, 3)
		go q.ShutDownWithDrain()
		synctest.Wait()
		if len(got) != 0 {
			t.Error("workers left although an item waits behind the busy one")
		}
		q.Done(busy)
		synctest.Wait()
		counts := map[string]int{}
		for range len(got) {
			counts[<-got]++
		}
		if diff := cmp.Diff(map[string]int{"a": 1, "shutdown": 2}, counts); diff != "" {
			t.Errorf("\none worker gets the last item and the others leave\n-want, +got:\n%s", diff)
		}
		q.Done(item("a"))
	})
}
