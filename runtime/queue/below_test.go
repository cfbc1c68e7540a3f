package queue_test

import (
	"fmt"
	"sync"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"github.com/orkestra-runtime/orkestra/runtime/queue"
)

func TestOfferBelow(t *testing.T) {
	cases := map[string]struct {
		reason string
		before func(q *queue.Queue)
		offer  queue.Item
		depth  int
		full   bool
		want   int
	}{
		"Room":    {"there is room below the depth", func(q *queue.Queue) { offer(q, item("a")) }, item("b"), 2, false, 2},
		"Full":    {"as many as the depth wait", func(q *queue.Queue) { offer(q, item("a")); offer(q, item("b")) }, item("c"), 2, true, 2},
		"NoBound": {"0 bounds nothing", func(q *queue.Queue) { offer(q, item("a")) }, item("b"), 0, false, 2},
		"Joins":   {"what joins a waiting item takes no room", func(q *queue.Queue) { offer(q, item("a")) }, item("a"), 1, false, 1},
		"AnotherEvent": {
			"an event that keeps its identity takes room", func(q *queue.Queue) { offer(q, item("a", 1)) }, item("a", 2), 1, true, 1,
		},
		"WithWorker": {
			"what a worker has does not wait", func(q *queue.Queue) { offer(q, item("a")); q.Get() }, item("b"), 1, false, 1,
		},
		"Retry": {
			"an event takes a retry over, which was admitted before",
			func(q *queue.Queue) {
				offer(q, item("b"))
				i, _ := q.Get()
				q.AddRateLimited(i)
				q.Done(i)
				offer(q, item("a"))
			}, item("b", 7), 1, false, 2,
		},
		"ShutDown": {"a queue that ends is not full: nothing is to be tried again", func(q *queue.Queue) { q.ShutDown() }, item("a"), 1, false, 0},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			q := newQueue(t, queue.Options{})
			tc.before(q)
			full := q.OfferBelow(tc.offer, queue.Facts{Source: queue.SourcePrimary}, tc.depth)
			if full != tc.full || q.Depth() != tc.want {
				t.Errorf("\n%s\nOfferBelow(...) = %t, depth %d; want %t, %d", tc.reason, full, q.Depth(), tc.full, tc.want)
			}
		})
	}
}

// Producers that all find room at once do not fill the queue over its bound together.
func TestOfferBelowIsAtomic(t *testing.T) {
	q := newQueue(t, queue.Options{})
	var all sync.WaitGroup
	for producer := range 8 {
		all.Go(func() {
			for n := range 100 {
				q.OfferBelow(item(fmt.Sprintf("%d-%d", producer, n)), queue.Facts{}, 50)
			}
		})
	}
	all.Wait()
	if got := q.Depth(); got != 50 {
		t.Errorf("depth %d, want 50", got)
	}
	if q.Holds(item("9-1")) || !q.Offer(item("9-1"), queue.Facts{}, priorityqueue.AddOpts{}) || !q.Holds(item("9-1")) {
		t.Error("Holds does not tell what waits")
	}
}
