package queue_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"github.com/orkestra-runtime/orkestra/runtime/queue"
)

func TestDelay(t *testing.T) {
	cases := map[string]struct {
		reason string
		act    func(q *queue.Queue)
		// want is what is handed out after so many seconds.
		want map[int][]string
	}{
		"After": {
			reason: "an item comes when its time has come, not before",
			act:    func(q *queue.Queue) { q.AddAfter(item("a"), 3*time.Second) },
			want:   map[int][]string{3: {"a"}},
		},
		"NotPositive": {
			reason: "no delay and a negative one are none",
			act: func(q *queue.Queue) {
				q.AddAfter(item("a"), 0)
				q.AddAfter(item("b"), -time.Second)
			},
			want: map[int][]string{0: {"a", "b"}},
		},
		"Order": {
			reason: "delayed items come by their time, those of one instant by their arrival",
			act: func(q *queue.Queue) {
				q.AddAfter(item("c"), 2*time.Second)
				q.AddAfter(item("a"), time.Second)
				q.AddAfter(item("d"), 2*time.Second)
				q.AddAfter(item("b"), time.Second)
			},
			want: map[int][]string{1: {"a", "b"}, 2: {"c", "d"}},
		},
		"EarlierWins": {
			reason: "of two delays of one object the shorter counts, whichever came first",
			act: func(q *queue.Queue) {
				q.AddAfter(item("a"), 5*time.Second)
				q.AddAfter(item("a"), 2*time.Second)
				q.AddAfter(item("b"), 2*time.Second)
				q.AddAfter(item("b"), 5*time.Second)
			},
			want: map[int][]string{2: {"a", "b"}},
		},
		"ImmediateWins": {
			reason: "an immediate add ends the delay, and a delay never holds back what is ready",
			act: func(q *queue.Queue) {
				q.AddAfter(item("a"), 5*time.Second)
				offer(q, item("a"))
				offer(q, item("b"))
				q.AddAfter(item("b"), 5*time.Second)
			},
			want: map[int][]string{0: {"a", "b"}},
		},
		"DelayedEvents": {
			reason: "an object has one ready time, and its events keep their order",
			act: func(q *queue.Queue) {
				q.AddAfter(item("a", 1), 5*time.Second)
				q.AddAfter(item("a", 2), 2*time.Second)
			},
			want: map[int][]string{2: {"a#1", "a#2"}},
		},
		"ShorterOfBoth": {
			reason: "with RateLimited and After the shorter delay counts",
			act: func(q *queue.Queue) {
				q.AddWithOpts(priorityqueue.AddOpts{RateLimited: true, After: 5 * time.Second}, item("a"))
				q.AddWithOpts(priorityqueue.AddOpts{RateLimited: true, After: 5 * time.Second}, item("a"))
				q.AddWithOpts(priorityqueue.AddOpts{RateLimited: true}, item("b"))
				q.AddWithOpts(priorityqueue.AddOpts{RateLimited: true, After: time.Millisecond}, item("c"))
				q.Offer(item("d"), queue.Facts{}, priorityqueue.AddOpts{After: 3 * time.Second})
			},
			want: map[int][]string{1: {"c", "a", "b"}, 3: {"d"}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := newQueue(t, queue.Options{})
				tc.act(q)
				got := map[int][]string{}
				for second := range 10 {
					if out := workOff(q); len(out) > 0 {
						got[second] = out
					}
					pass(time.Second)
				}
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("\n%s\nGet() by second: -want, +got:\n%s", tc.reason, diff)
				}
				if n := q.Objects(); n != 0 {
					t.Errorf("the empty queue remembers %d objects", n)
				}
			})
		})
	}
}

func TestDelayWakesWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, queue.Options{})
		start := time.Now()
		q.AddAfter(item("late"), time.Hour)
		q.AddAfter(item("a"), time.Minute)
		i, _ := q.Get()
		if waited := time.Since(start); i != item("a") || waited != time.Minute {
			t.Errorf("Get() = %v after %v, want a after a minute", i, waited)
		}
	})
}

func TestPending(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, queue.Options{})
		check := func(state string, wantReady, wantProcessing, wantDelayed int, wantIdle bool) {
			t.Helper()
			ready, processing, delayed := q.Pending()
			want := []any{wantReady, wantProcessing, wantDelayed, wantIdle}
			if diff := cmp.Diff(want, []any{ready, processing, delayed, q.Idle()}); diff != "" {
				t.Errorf("\n%s\nPending(), Idle(): -want, +got:\n%s", state, diff)
			}
		}
		check("new", 0, 0, 0, true)
		q.AddAfter(item("a", 1), time.Second)
		q.AddAfter(item("a", 2), time.Minute)
		check("delayed items are not idle work", 0, 0, 2, true)
		pass(time.Second)
		check("both events are ready", 2, 0, 0, false)
		i, _ := q.Get()
		check("one is with a worker", 1, 1, 0, false)
		q.AddAfter(i, time.Minute)
		check("a requeue behind a waiting event is taken over", 1, 1, 0, false)
		q.Done(i)
		i, _ = q.Get()
		check("the last one is with a worker", 0, 1, 0, false)
		q.AddAfter(i, time.Minute)
		check("it asked for a requeue", 0, 1, 1, false)
		q.Done(i)
		check("and is done", 0, 0, 1, true)
		pass(time.Minute)
		check("its time has come", 1, 0, 0, false)
	})
}
