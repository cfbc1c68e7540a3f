package queue

import (
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
)

var _ priorityqueue.PriorityQueue[Item] = (*Queue)(nil)

// Options configure a Queue.
type Options struct {
	// Workers limits how many items may be with workers at once; see SetWorkers. Default 0: no limit.
	Workers int
	// MaxDepth is what MaxDepth returns until SetMaxDepth changes it. Default 0: no limit.
	MaxDepth int
	// MetricsProvider makes the queue's metrics; see ControllerRuntimeMetrics. Default nil: no metrics.
	MetricsProvider workqueue.MetricsProvider
}

// Queue hands out objects to workers, one worker per object at a time. It is a controller-runtime priority queue, to be made in
// controller.TypedOptions.NewQueue. All methods are safe for concurrent use.
type Queue struct {
	limiter workqueue.TypedRateLimiter[Item]
	// maxDepth is read for every event, and so not guarded by mu.
	maxDepth atomic.Int64

	// mu guards everything below.
	mu sync.Mutex
	// wake is for workers in Get, drained for callers of ShutDownWithDrain.
	wake, drained sync.Cond
	// objects holds the mailbox of every object that has items waiting or with a worker, by Item.Object.
	objects map[Item]*mailbox
	line    line
	delays  delays
	timer   *time.Timer
	// armed is the time to which timer is set, zero if it is not.
	armed time.Time
	// ready and delayed count waiting items, out those with workers.
	ready, delayed, out int
	workers             int
	state               state
	metrics             *metrics
}

// New returns an empty queue. The name is the label of its metrics. The limiter decides on the delays of AddRateLimited and is
// asked about objects, never about single events; nil stands for client-go's default: 5 ms doubling up to 1000 s for one object
// and 10 per second with bursts of 100 for all.
func New(name string, limiter workqueue.TypedRateLimiter[Item], opts Options) *Queue {
	if limiter == nil {
		limiter = workqueue.DefaultTypedControllerRateLimiter[Item]()
	}
	q := &Queue{
		limiter: limiter,
		objects: map[Item]*mailbox{},
		workers: max(opts.Workers, 0),
		metrics: newMetrics(name, opts.MetricsProvider),
	}
	q.wake.L, q.drained.L = &q.mu, &q.mu
	q.SetMaxDepth(opts.MaxDepth)
	return q
}

// Get waits for an item and hands it out. It returns true, and no item, once the queue is shut down and has nothing to hand out.
func (q *Queue) Get() (item Item, shutdown bool) {
	item, _, shutdown = q.GetWithPriority()
	return item, shutdown
}

// GetWithPriority is Get and tells the priority of the item.
func (q *Queue) GetWithPriority() (item Item, priority int, shutdown bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.line.empty() || q.busyLocked() {
		if q.state != open && q.ready == 0 {
			return Item{}, 0, true
		}
		q.wake.Wait()
	}
	m := q.line.take()
	q.countLocked(m, -1)
	e := m.take()
	q.countLocked(m, 1)
	q.out++
	q.metrics.took(q, &e)
	if q.state != open && q.ready == 0 {
		q.wake.Broadcast()
	}
	return e.item, e.priority, false
}

// Done says that the worker has finished with the item. The next item of the object may then be handed out. It does nothing for
// an item that no worker has.
func (q *Queue) Done(item Item) {
	q.mu.Lock()
	defer q.mu.Unlock()
	m := q.objects[item.Object()]
	if m == nil || !m.has(item) {
		return
	}
	m.current, m.out = entry{}, false
	q.out--
	q.metrics.done(item)
	q.placeLocked(m)
	if !q.line.empty() {
		q.wake.Signal()
	}
	if q.state != open {
		q.drained.Broadcast()
	}
}

// Facts returns what is known about the events behind an item that is with a worker or waiting, and nothing for any other. What
// arrived after the item was handed out is not part of it.
func (q *Queue) Facts(item Item) Facts {
	q.mu.Lock()
	defer q.mu.Unlock()
	m := q.objects[item.Object()]
	if m == nil {
		return Facts{}
	}
	if m.has(item) {
		return m.current.facts
	}
	if e := m.find(item); e != nil {
		return e.facts
	}
	return Facts{}
}

// SetWorkers limits how many items may be with workers at once; n <= 0 lifts the limit. Raising it wakes waiting workers; below the
// number of busy workers it holds Get back until enough of them are done. It interrupts nobody.
func (q *Queue) SetWorkers(n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.workers = max(n, 0)
	q.wake.Broadcast()
}

// Workers returns the limit that SetWorkers has set, 0 for none.
func (q *Queue) Workers() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.workers
}

// busyLocked reports whether as many items are with workers as may be.
func (q *Queue) busyLocked() bool {
	return q.workers > 0 && q.out >= q.workers
}

// countLocked adds the waiting items of m to the counts, or with sign -1 takes them out.
func (q *Queue) countLocked(m *mailbox, sign int) {
	if m.delayed() {
		q.delayed += sign * len(m.waiting)
	} else {
		q.ready += sign * len(m.waiting)
	}
}

// placeLocked puts a changed mailbox where it belongs: among the delayed, in the line, with its worker alone, or nowhere.
func (q *Queue) placeLocked(m *mailbox) {
	switch {
	case len(m.waiting) == 0:
		q.delays.remove(m)
		q.line.remove(m)
		if !m.out {
			delete(q.objects, m.object)
		}
	case m.delayed():
		q.delays.set(m)
	default:
		q.delays.remove(m)
		q.metrics.becameReady(m)
		if !m.out && q.line.push(m) {
			q.wake.Signal()
		}
	}
	q.metrics.setDepth(q.ready)
}
