package queue_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"github.com/orkestra-runtime/orkestra/runtime/queue"
)

// seen is one hand-out: which item, with which priority, and what was known.
type seen struct {
	Item     string
	Priority int
	Facts    queue.Facts
}

func take(q *queue.Queue) (queue.Item, seen) {
	i, priority, _ := q.GetWithPriority()
	return i, seen{Item: short(i), Priority: priority, Facts: q.Facts(i)}
}

// fail does what a controller does after an error, requeueAfter what it does with a requeue time.
func fail(q *queue.Queue, i queue.Item, priority int) {
	q.AddWithOpts(priorityqueue.AddOpts{RateLimited: true, Priority: &priority}, i)
	q.Done(i)
}

func requeueAfter(q *queue.Queue, i queue.Item, priority int, after time.Duration) {
	q.Forget(i)
	q.AddWithOpts(priorityqueue.AddOpts{After: after, Priority: &priority}, i)
	q.Done(i)
}

func TestAgain(t *testing.T) {
	changed := queue.Facts{Source: queue.SourcePrimary, Sentinels: map[string]bool{"generationChanged": true}}
	unchanged := queue.Facts{Source: queue.SourcePrimary, Sentinels: map[string]bool{"generationChanged": false}, Event: "newer"}
	cases := map[string]struct {
		reason string
		// act runs after changed was offered for first and handed out with PriorityUser.
		first queue.Item
		act   func(q *queue.Queue, i queue.Item)
		after time.Duration
		want  []seen
	}{
		"Failure": {
			reason: "a failed item comes back after the back-off, with its facts and behind fresh events",
			first:  item("a"),
			act:    func(q *queue.Queue, i queue.Item) { fail(q, i, queue.PriorityUser) },
			after:  time.Second,
			want: []seen{{"a", queue.PriorityRequeue, queue.Facts{
				Source: queue.SourcePrimary | queue.SourceRequeue, Sentinels: changed.Sentinels,
			}}},
		},
		"RequeueAfterForget": {
			reason: "Forget before the requeue does not lose the facts",
			first:  item("a"),
			act:    func(q *queue.Queue, i queue.Item) { requeueAfter(q, i, queue.PriorityUser, time.Minute) },
			after:  time.Minute,
			want: []seen{{"a", queue.PriorityRequeue, queue.Facts{
				Source: queue.SourcePrimary | queue.SourceRequeue, Sentinels: changed.Sentinels,
			}}},
		},
		"ChosenPriority": {
			reason: "a reconciler that asks for another priority gets it",
			first:  item("a"),
			act:    func(q *queue.Queue, i queue.Item) { requeueAfter(q, i, 7, time.Minute) },
			after:  time.Minute,
			want: []seen{{"a", 7, queue.Facts{
				Source: queue.SourcePrimary | queue.SourceRequeue, Sentinels: changed.Sentinels,
			}}},
		},
		"EventDuringWork": {
			reason: "the event that waits behind the failed work takes it over and does not wait for the back-off",
			first:  item("a"),
			act: func(q *queue.Queue, i queue.Item) {
				q.Offer(i, unchanged, priorityqueue.AddOpts{})
				fail(q, i, queue.PriorityUser)
			},
			want: []seen{{"a", queue.PriorityUser, queue.Facts{
				Source: queue.SourcePrimary | queue.SourceRequeue, Sentinels: changed.Sentinels, Event: "newer",
			}}},
		},
		"EventDuringSuccessfulWork": {
			reason: "work that succeeded leaves none of its facts to the event after it",
			first:  item("a"),
			act: func(q *queue.Queue, i queue.Item) {
				q.Offer(i, unchanged, priorityqueue.AddOpts{})
				q.Forget(i)
				q.Done(i)
			},
			want: []seen{{"a", queue.PriorityUser, unchanged}},
		},
		"EventDuringBackOff": {
			reason: "an event ends the back-off and gets the facts of both",
			first:  item("a"),
			act: func(q *queue.Queue, i queue.Item) {
				fail(q, i, queue.PriorityUser)
				q.Offer(i, unchanged, priorityqueue.AddOpts{})
			},
			want: []seen{{"a", queue.PriorityUser, queue.Facts{
				Source: queue.SourcePrimary | queue.SourceRequeue, Sentinels: changed.Sentinels, Event: "newer",
			}}},
		},
		"AwareEventsDuringWork": {
			reason: "a failed event is taken over by the next one; those after it stay as they are",
			first:  item("a", 1),
			act: func(q *queue.Queue, i queue.Item) {
				q.Offer(item("a", 2), unchanged, priorityqueue.AddOpts{})
				q.Offer(item("a", 3), unchanged, priorityqueue.AddOpts{})
				fail(q, i, queue.PriorityUser)
			},
			want: []seen{
				{"a#2", queue.PriorityUser, queue.Facts{
					Source: queue.SourcePrimary | queue.SourceRequeue, Sentinels: changed.Sentinels, Event: "newer",
				}},
				{"a#3", queue.PriorityUser, unchanged},
			},
		},
		"AwareEventDuringBackOff": {
			reason: "a failed event does not hold up the next one, nor is it forgotten",
			first:  item("a", 1),
			act: func(q *queue.Queue, i queue.Item) {
				fail(q, i, queue.PriorityUser)
				q.Offer(item("a", 2), unchanged, priorityqueue.AddOpts{})
			},
			want: []seen{{"a#2", queue.PriorityUser, queue.Facts{
				Source: queue.SourcePrimary | queue.SourceRequeue, Sentinels: changed.Sentinels, Event: "newer",
			}}},
		},
		"PlainAddDuringWork": {
			reason: "a plain add is an event about which nothing is known, not a retry",
			first:  item("a"),
			act: func(q *queue.Queue, i queue.Item) {
				q.Add(i)
				q.Done(i)
			},
			want: []seen{{"a", queue.PriorityWatch, queue.Facts{Uncomputed: true}}},
		},
		"Success": {
			reason: "work that succeeded is gone",
			first:  item("a"),
			act: func(q *queue.Queue, i queue.Item) {
				q.Forget(i)
				q.Done(i)
			},
			after: time.Hour,
		},
		"TerminalError": {
			reason: "a controller neither forgets nor requeues an item that failed for good: nothing of it stays",
			first:  item("a", 1),
			act:    func(q *queue.Queue, i queue.Item) { q.Done(i) },
			after:  time.Hour,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := newQueue(t, queue.Options{})
				q.Offer(tc.first, changed, priorityqueue.AddOpts{})
				i, _ := take(q)
				tc.act(q, i)
				if tc.after > 0 {
					pass(tc.after - time.Millisecond)
					if q.Available() {
						t.Errorf("\n%s\nhanded out before %v were over", tc.reason, tc.after)
					}
					pass(time.Millisecond)
				}
				var got []seen
				for q.Available() {
					next, s := take(q)
					got = append(got, s)
					q.Done(next)
				}
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("\n%s\nhand-outs: -want, +got:\n%s", tc.reason, diff)
				}
				if n := q.Objects(); n != 0 {
					t.Errorf("\n%s\nthe queue still remembers %d objects", tc.reason, n)
				}
			})
		})
	}
}

func TestBackOffCountsByObject(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, queue.Options{})
		offer(q, item("a", 1))
		for n, want := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 8 * time.Second} {
			start := time.Now()
			i, _ := take(q)
			fail(q, i, queue.PriorityUser)
			if got := q.NumRequeues(item("a", 99)); got != n+1 {
				t.Errorf("NumRequeues() = %d after %d failures of the object", got, n+1)
			}
			next, _ := q.Get()
			if got := time.Since(start); got != want {
				t.Errorf("back-off %d took %v, want %v", n, got, want)
			}
			q.Done(next)
			offer(q, item("a", uint64(n+2)))
		}
		q.Forget(item("a", 99))
		if got := q.NumRequeues(item("a", 1)); got != 0 {
			t.Errorf("NumRequeues() = %d after Forget of any of the object's items", got)
		}
	})
}

// TestFailingEventsDoNotWedge lets every attempt fail: each event still gets its turn, in order, and the last one backs off.
func TestFailingEventsDoNotWedge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, queue.Options{})
		for n := range uint64(4) {
			offer(q, item("a", n+1))
		}
		var got []string
		for q.Available() {
			i, s := take(q)
			got = append(got, s.Item)
			fail(q, i, s.Priority)
		}
		if diff := cmp.Diff([]string{"a#1", "a#2", "a#3", "a#4"}, got); diff != "" {
			t.Errorf("-want, +got:\n%s", diff)
		}
		if ready, processing, delayed := q.Pending(); ready != 0 || processing != 0 || delayed != 1 {
			t.Errorf("Pending() = %d, %d, %d, want only the last event, backing off", ready, processing, delayed)
		}
	})
}
