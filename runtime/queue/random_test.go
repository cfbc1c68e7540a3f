package queue_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"github.com/orkestra-runtime/orkestra/runtime/queue"
)

// run drives a queue and its model through the same operations, two bytes each, and compares them after every one. It runs in a
// synctest bubble.
type run struct {
	t     *testing.T
	queue *queue.Queue
	model *model
	busy  []modelEntry
	// offered and handedOut hold the marks of events; newest the last EventID handed out by object.
	offered, handedOut map[string]bool
	newest             map[string]uint64
}

func runOperations(t *testing.T, operations []byte) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := &run{
			t: t, queue: newQueue(t, queue.Options{}), model: newModel(),
			offered: map[string]bool{}, handedOut: map[string]bool{}, newest: map[string]uint64{},
		}
		for pair := range slices.Chunk(operations, 2) {
			if len(pair) == 2 {
				r.step(pair[0], pair[1])
				r.compare()
			}
			if t.Failed() {
				return
			}
		}
		r.workOff()
	})
}

func (r *run) step(op, arg byte) {
	priorities := []int{queue.PriorityUser, queue.PriorityChild, queue.PriorityWatch, queue.PriorityResync}
	priority := priorities[arg>>4&3]
	object := item(string(rune('a' + arg&7)))
	switch op % 12 {
	case 0, 1:
		r.offer(object, priority, 0)
	case 2, 3:
		object.EventID = r.queue.NextEventID()
		r.offer(object, priority, 0)
	case 4:
		r.offer(object, priority, time.Duration(arg)*time.Millisecond)
	case 5, 6, 7:
		r.get()
	case 8:
		r.finish(arg, func(e modelEntry) {
			r.queue.Forget(e.item)
			r.model.limiter.Forget(e.item.Object())
		})
	case 9:
		r.finish(arg, func(e modelEntry) {
			r.queue.AddWithOpts(priorityqueue.AddOpts{RateLimited: true, Priority: &e.priority}, e.item)
			r.model.again(e.item, e.priority, r.model.limiter.When(e.item.Object()))
		})
	case 10:
		after := (1 + time.Duration(arg)) * 10 * time.Millisecond
		r.finish(arg, func(e modelEntry) {
			r.queue.Forget(e.item)
			r.model.limiter.Forget(e.item.Object())
			r.queue.AddWithOpts(priorityqueue.AddOpts{After: after, Priority: &priority}, e.item)
			r.model.again(e.item, priority, after)
		})
	case 11:
		if arg&1 == 0 {
			pass(time.Duration(arg) * 5 * time.Millisecond)
			r.model.tick()
			return
		}
		r.queue.SetWorkers(int(arg >> 5))
		r.model.workers = int(arg >> 5)
		r.queue.Done(item("stranger"))
	}
}

func (r *run) offer(i queue.Item, priority int, after time.Duration) {
	name := mark(len(r.offered))
	r.offered[name] = true
	r.queue.Offer(i, queue.Facts{Sentinels: map[string]bool{name: true}}, priorityqueue.AddOpts{After: after, Priority: &priority})
	r.model.add(modelEntry{item: i, marks: []string{name}, priority: priority}, after)
}

func (r *run) get() {
	r.t.Helper()
	available := r.model.next() != nil
	if got := r.queue.Available(); got != available {
		r.t.Fatalf("an item is available: %t, want %t", got, available)
	}
	if !available {
		return
	}
	want := r.model.take()
	got, priority, _ := r.queue.GetWithPriority()
	marks := slices.Sorted(maps.Keys(r.queue.Facts(got).Sentinels))
	slices.Sort(want.marks)
	want.marks = slices.Compact(want.marks)
	if diff := cmp.Diff([]any{want.item, want.priority, want.marks}, []any{got, priority, marks}); diff != "" {
		r.t.Fatalf("\nitem, priority and the events behind it: -want, +got:\n%s", diff)
	}
	if slices.ContainsFunc(r.busy, func(e modelEntry) bool { return e.item.Name == got.Name }) {
		r.t.Fatalf("%v was handed out while a worker has its object", got)
	}
	if got.EventID != 0 && got.EventID < r.newest[got.Name] {
		r.t.Fatalf("%v was handed out after event %d of its object", got, r.newest[got.Name])
	}
	r.newest[got.Name] = max(r.newest[got.Name], got.EventID)
	for _, name := range marks {
		r.handedOut[name] = true
	}
	r.busy = append(r.busy, want)
}

func (r *run) finish(arg byte, before func(modelEntry)) {
	if len(r.busy) == 0 {
		return
	}
	n := int(arg) % len(r.busy)
	e := r.busy[n]
	r.busy = slices.Delete(r.busy, n, n+1)
	before(e)
	r.queue.Done(e.item)
	r.model.done(e.item)
}

func (r *run) compare() {
	r.t.Helper()
	ready, processing, delayed := r.queue.Pending()
	wantReady, wantProcessing, wantDelayed := r.model.pending()
	want := []int{wantReady, wantProcessing, wantDelayed, wantReady, len(r.model.objects)}
	if diff := cmp.Diff(want, []int{ready, processing, delayed, r.queue.Len(), r.queue.Objects()}); diff != "" {
		r.t.Fatalf("\nready, processing, delayed, Len() and remembered objects: -want, +got:\n%s", diff)
	}
}

// workOff lets all work succeed and then asks whether every event was part of some hand-out.
func (r *run) workOff() {
	r.queue.SetWorkers(0)
	r.model.workers = 0
	pass(time.Hour)
	r.model.tick()
	for r.model.next() != nil || len(r.busy) > 0 {
		r.get()
		r.finish(0, func(modelEntry) {})
		r.compare()
	}
	if diff := cmp.Diff(r.offered, r.handedOut); diff != "" {
		r.t.Errorf("\nevery event is part of some hand-out: -offered, +handed out:\n%s", diff)
	}
	if n := r.queue.Objects(); n != 0 {
		r.t.Errorf("the empty queue remembers %d objects", n)
	}
}

func TestAgainstModel(t *testing.T) {
	for seed := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, 0))
		operations := make([]byte, 1000)
		for i := range operations {
			operations[i] = byte(random.UintN(256))
		}
		t.Run("Seed"+strconv.FormatUint(seed, 10), func(t *testing.T) { runOperations(t, operations) })
	}
}

func FuzzOperations(f *testing.F) {
	f.Add([]byte{0, 1, 5, 0, 8, 0})
	f.Add([]byte{2, 1, 2, 1, 5, 0, 9, 0, 5, 0, 9, 0, 11, 254, 5, 0, 8, 0})
	f.Add([]byte{0, 48, 5, 0, 0, 0, 10, 3, 11, 33, 4, 7, 11, 200, 5, 0, 5, 0})
	f.Fuzz(func(t *testing.T, operations []byte) {
		runOperations(t, operations[:min(len(operations), 2000)])
	})
}
