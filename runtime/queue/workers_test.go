package queue_test

import (
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/orkestra-runtime/orkestra/runtime/queue"
)

func TestSetWorkers(t *testing.T) {
	fill := func(q *queue.Queue) {
		for _, name := range []string{"a", "b", "c", "d"} {
			offer(q, item(name))
		}
	}
	cases := map[string]struct {
		reason string
		opts   queue.Options
		act    func(t *testing.T, q *queue.Queue)
		want   []string
	}{
		"NoLimit":      {"0 is no limit", queue.Options{}, func(*testing.T, *queue.Queue) {}, []string{"a", "b", "c", "d"}},
		"FromOptions":  {"the limit of the options holds from the start", queue.Options{Workers: 2}, func(*testing.T, *queue.Queue) {}, []string{"a", "b"}},
		"Negative":     {"a negative number is no limit", queue.Options{Workers: -1}, func(_ *testing.T, q *queue.Queue) { q.SetWorkers(-5) }, []string{"a", "b", "c", "d"}},
		"Grown":        {"a higher limit holds at once", queue.Options{Workers: 1}, func(_ *testing.T, q *queue.Queue) { q.SetWorkers(3) }, []string{"a", "b", "c"}},
		"LimitRemoved": {"the limit can be lifted", queue.Options{Workers: 1}, func(_ *testing.T, q *queue.Queue) { q.SetWorkers(0) }, []string{"a", "b", "c", "d"}},
		"Shrunk": {
			reason: "a lower limit holds once enough workers are done",
			opts:   queue.Options{Workers: 3},
			act: func(t *testing.T, q *queue.Queue) {
				t.Helper()
				busy := handOut(q)
				q.SetWorkers(1)
				for n, name := range busy {
					q.Done(item(name))
					if available, want := q.Available(), n == len(busy)-1; available != want {
						t.Errorf("%d of 3 workers done, limit 1: available = %t, want %t", n+1, available, want)
					}
				}
			},
			want: []string{"d"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			q := newQueue(t, tc.opts)
			fill(q)
			tc.act(t, q)
			if diff := cmp.Diff(tc.want, handOut(q)); diff != "" {
				t.Errorf("\n%s\nGet(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// start runs n workers that take one item each and returns where they tell about it.
func start(q *queue.Queue, n int) <-chan string {
	got := make(chan string, n)
	for range n {
		go func() {
			i, shutdown := q.Get()
			if shutdown {
				got <- "shutdown"
				return
			}
			got <- short(i)
		}()
	}
	return got
}

func TestWaitingWorkersWake(t *testing.T) {
	cases := map[string]struct {
		reason string
		// ready are the objects that are ready besides the one that the only worker has.
		ready []string
		act   func(q *queue.Queue)
		want  int
	}{
		"Offer": {
			reason: "each ready object wakes one worker",
			act: func(q *queue.Queue) {
				q.SetWorkers(0)
				offer(q, item("b"))
				offer(q, item("c"))
			},
			want: 2,
		},
		"Done": {
			reason: "a worker that is done makes room for one more",
			ready:  []string{"b", "c", "d"},
			act:    func(q *queue.Queue) { q.Done(item("a")) },
			want:   1,
		},
		"Grown": {
			reason: "a higher limit wakes as many as it allows",
			ready:  []string{"b", "c", "d"},
			act:    func(q *queue.Queue) { q.SetWorkers(3) },
			want:   2,
		},
		"Lifted": {
			reason: "no limit wakes all for whom there is work",
			ready:  []string{"b", "c", "d"},
			act:    func(q *queue.Queue) { q.SetWorkers(0) },
			want:   3,
		},
		"Same": {
			reason: "the same limit wakes nobody",
			ready:  []string{"b", "c", "d"},
			act:    func(q *queue.Queue) { q.SetWorkers(1) },
			want:   0,
		},
		"ShutDown": {
			reason: "a shutdown wakes all",
			ready:  []string{"b", "c", "d"},
			act:    func(q *queue.Queue) { q.ShutDown() },
			want:   4,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := newQueue(t, queue.Options{Workers: 1})
				offer(q, item("a"))
				handOut(q)
				for _, other := range tc.ready {
					offer(q, item(other))
				}
				got := start(q, 4)
				synctest.Wait()
				if len(got) != 0 {
					t.Fatalf("%d workers did not wait", len(got))
				}
				tc.act(q)
				synctest.Wait()
				if len(got) != tc.want {
					t.Errorf("\n%s\n%d workers woke, want %d", tc.reason, len(got), tc.want)
				}
				q.ShutDown()
			})
		})
	}
}
