package queue_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"github.com/orkestra-runtime/orkestra/runtime/queue"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// newQueue returns a queue with a back-off of 1, 2, 4 and at most 8 seconds that is shut down with the test.
func newQueue(tb testing.TB, opts queue.Options) *queue.Queue {
	tb.Helper()
	q := queue.New("test", newLimiter(), opts)
	tb.Cleanup(q.ShutDown)
	return q
}

func newLimiter() workqueue.TypedRateLimiter[queue.Item] {
	return workqueue.NewTypedItemExponentialFailureRateLimiter[queue.Item](time.Second, 8*time.Second)
}

// offer adds an event of the primary.
func offer(q *queue.Queue, i queue.Item) {
	q.Offer(i, queue.Facts{Source: queue.SourcePrimary}, priorityqueue.AddOpts{})
}

// handOut returns the names of what Get returns without waiting, without a call of Done.
func handOut(q *queue.Queue) []string {
	got := []string{}
	for q.Available() {
		i, _ := q.Get()
		got = append(got, short(i))
	}
	return got
}

// workOff is handOut with Done after each item.
func workOff(q *queue.Queue) []string {
	got := []string{}
	for q.Available() {
		i, _ := q.Get()
		got = append(got, short(i))
		q.Done(i)
	}
	return got
}

func short(i queue.Item) string {
	i.Namespace, i.GVK.Kind, i.GVK.Group = "", "", ""
	return i.String()[1:]
}

// pass lets time go by in a synctest bubble.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func TestOrder(t *testing.T) {
	cases := map[string]struct {
		reason string
		act    func(q *queue.Queue)
		// want is what workers get that call Done at once.
		want []string
	}{
		"FIFO": {
			reason: "equals go in order of arrival",
			act: func(q *queue.Queue) {
				offer(q, item("a"))
				offer(q, item("b"))
				offer(q, item("c"))
			},
			want: []string{"a", "b", "c"},
		},
		"Coalesce": {
			reason: "events of one object without EventID are one item, at the place of the first",
			act: func(q *queue.Queue) {
				offer(q, item("a"))
				offer(q, item("b"))
				offer(q, item("a"))
			},
			want: []string{"a", "b"},
		},
		"EventAware": {
			reason: "events with EventID are all handed out, in order, and take turns with other objects",
			act: func(q *queue.Queue) {
				offer(q, item("a", 1))
				offer(q, item("a", 2))
				offer(q, item("b"))
				offer(q, item("a", 3))
			},
			want: []string{"a#1", "b", "a#2", "a#3"},
		},
		"EventTwice": {
			reason: "one event offered twice is one item",
			act: func(q *queue.Queue) {
				offer(q, item("a", 1))
				offer(q, item("a", 2))
				offer(q, item("a", 1))
			},
			want: []string{"a#1", "a#2"},
		},
		"OtherKind": {
			reason: "objects of two kinds with one name have nothing to do with each other",
			act: func(q *queue.Queue) {
				other := item("a")
				other.GVK.Version = "v2"
				offer(q, item("a"))
				offer(q, other)
			},
			want: []string{"a", "a"},
		},
		"Priority": {
			reason: "users come before children, watches and the initial list",
			act: func(q *queue.Queue) {
				for name, source := range map[string]queue.Source{
					"user": queue.SourcePrimary, "child": queue.SourceChild, "watch": queue.SourceWatch, "list": queue.SourceInitial,
				} {
					q.Offer(item(name), queue.Facts{Source: source}, priorityqueue.AddOpts{})
				}
			},
			want: []string{"user", "child", "watch", "list"},
		},
		"PriorityRises": {
			reason: "coalescing takes the higher priority, and the end of it",
			act: func(q *queue.Queue) {
				q.Offer(item("a"), queue.Facts{Source: queue.SourceResync}, priorityqueue.AddOpts{})
				offer(q, item("b"))
				offer(q, item("a"))
				q.AddWithOpts(priorityqueue.AddOpts{Priority: new(queue.PriorityChild)}, item("c"))
			},
			want: []string{"b", "a", "c"},
		},
		"PriorityStays": {
			reason: "a less urgent event does not lower the priority",
			act: func(q *queue.Queue) {
				offer(q, item("a"))
				q.Offer(item("a"), queue.Facts{Source: queue.SourceResync}, priorityqueue.AddOpts{})
				q.Offer(item("b"), queue.Facts{Source: queue.SourceChild}, priorityqueue.AddOpts{})
			},
			want: []string{"a", "b"},
		},
		"PriorityInherited": {
			reason: "an urgent event lends its priority to those before it, not to those after it",
			act: func(q *queue.Queue) {
				q.Offer(item("a", 1), queue.Facts{Source: queue.SourceResync}, priorityqueue.AddOpts{})
				offer(q, item("a", 2))
				q.Offer(item("a", 3), queue.Facts{Source: queue.SourceResync}, priorityqueue.AddOpts{})
				q.Offer(item("b"), queue.Facts{Source: queue.SourceChild}, priorityqueue.AddOpts{})
			},
			want: []string{"a#1", "a#2", "b", "a#3"},
		},
		"ExplicitPriority": {
			reason: "a given priority replaces that of the source",
			act: func(q *queue.Queue) {
				offer(q, item("a"))
				q.Offer(item("b"), queue.Facts{Source: queue.SourceResync}, priorityqueue.AddOpts{Priority: new(1000)})
			},
			want: []string{"b", "a"},
		},
		"Add": {
			reason: "the plain interface works, with the priority of a watch",
			act: func(q *queue.Queue) {
				q.Offer(item("low"), queue.Facts{Source: queue.SourceResync}, priorityqueue.AddOpts{})
				q.Add(item("a"))
				q.AddWithOpts(priorityqueue.AddOpts{}, item("b"), item("a"))
			},
			want: []string{"a", "b", "low"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			q := newQueue(t, queue.Options{})
			tc.act(q)
			if diff := cmp.Diff(tc.want, workOff(q)); diff != "" {
				t.Errorf("\n%s\nGet(): -want, +got:\n%s", tc.reason, diff)
			}
			if n := q.Objects(); n != 0 {
				t.Errorf("the empty queue remembers %d objects", n)
			}
		})
	}
}

func TestOneWorkerPerObject(t *testing.T) {
	cases := map[string]struct {
		reason string
		first  queue.Item
		later  queue.Item
	}{
		"Coalescing": {"what arrives during the work waits until Done and then comes again", item("a"), item("a")},
		"EventAware": {"a second event of the object waits for the first", item("a", 1), item("a", 2)},
		"Mixed":      {"the kind of identity does not matter", item("a", 1), item("a")},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			q := newQueue(t, queue.Options{})
			offer(q, tc.first)
			handOut(q)
			offer(q, tc.later)
			if diff := cmp.Diff([]string{}, handOut(q)); diff != "" {
				t.Errorf("\n%s\nGet() before Done: -want, +got:\n%s", tc.reason, diff)
			}
			if q.Len() != 1 || q.Depth() != 1 {
				t.Errorf("Len() = %d, Depth() = %d, want 1: waiting behind a worker is waiting", q.Len(), q.Depth())
			}
			q.Done(tc.first)
			if diff := cmp.Diff([]string{short(tc.later)}, handOut(q)); diff != "" {
				t.Errorf("\n%s\nGet() after Done: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestFairness(t *testing.T) {
	q := newQueue(t, queue.Options{})
	q.Offer(item("first"), queue.Facts{Source: queue.SourceResync}, priorityqueue.AddOpts{})
	q.Offer(item("second"), queue.Facts{Source: queue.SourceResync}, priorityqueue.AddOpts{})
	offer(q, item("user"))

	var got []int
	for n := 1; n <= 3*queue.FairEvery; n++ {
		i, _ := q.Get()
		if i.Name == "user" {
			offer(q, i)
		} else {
			got = append(got, n)
		}
		q.Done(i)
	}
	// user itself is before neither: it arrived after them.
	if diff := cmp.Diff([]int{queue.FairEvery, 2 * queue.FairEvery}, got); diff != "" {
		t.Errorf("\nlow priorities are handed out in order of arrival, one in %d\nhand-outs: -want, +got:\n%s", queue.FairEvery, diff)
	}
}

func TestGetWithPriority(t *testing.T) {
	q := newQueue(t, queue.Options{})
	q.Offer(item("a"), queue.Facts{Source: queue.SourceResync}, priorityqueue.AddOpts{})
	q.Offer(item("a"), queue.Facts{Source: queue.SourceChild}, priorityqueue.AddOpts{})
	i, priority, shutdown := q.GetWithPriority()
	if i != item("a") || priority != queue.PriorityChild || shutdown {
		t.Errorf("GetWithPriority() = %v, %d, %t, want a with the higher of its priorities", i, priority, shutdown)
	}
}

// Events of one object stay apart also when the entry is started anew, with another queue.
func TestNextEventID(t *testing.T) {
	q, anew := newQueue(t, queue.Options{}), newQueue(t, queue.Options{})
	if first, second, third := q.NextEventID(), q.NextEventID(), anew.NextEventID(); first == 0 || second <= first || third <= second {
		t.Errorf("NextEventID() = %d, %d, and of another queue %d: want each larger than the one before", first, second, third)
	}
}

func TestStrayCalls(t *testing.T) {
	q := newQueue(t, queue.Options{})
	q.Done(item("unknown"))
	q.Forget(item("unknown"))

	offer(q, item("a", 1))
	q.Done(item("a", 1))
	if q.Len() != 1 {
		t.Fatal("Done took an item that no worker has")
	}
	handOut(q)
	q.Done(item("a"))
	q.Done(item("a", 2))
	if _, processing, _ := q.Pending(); processing != 1 {
		t.Error("Done of another event of the object ended the work on this one")
	}
	q.Forget(item("a", 1))
	if got := q.Facts(item("a", 1)).Source; got != queue.SourcePrimary {
		t.Errorf("Forget took the facts of an item that a worker has: source %v", got)
	}
	q.Done(item("a", 1))
	q.Done(item("a", 1))
	q.Forget(item("a", 1))
	if ready, processing, delayed := q.Pending(); ready != 0 || processing != 0 || delayed != 0 || q.Objects() != 0 {
		t.Errorf("Pending() = %d, %d, %d with %d objects after all is done", ready, processing, delayed, q.Objects())
	}
}
