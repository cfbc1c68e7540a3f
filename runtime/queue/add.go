package queue

import (
	"sync/atomic"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
)

// events counts those of all queues of the process: an entry that is started anew has another queue, and the events of one object go on.
var events atomic.Uint64

// NextEventID returns an EventID that no queue of the process has given before, later ones being larger.
func (*Queue) NextEventID() uint64 { return events.Add(1) }

// Offer adds an item with the facts of one event. If the item is waiting already, the facts are merged into those that it has.
// Options are those of AddWithOpts, but the default priority is that of the facts' source. It reports whether the queue took the
// item: false once it is shut down.
func (q *Queue) Offer(item Item, facts Facts, opts priorityqueue.AddOpts) bool {
	delay := q.delayOf(item, opts)

	q.mu.Lock()
	defer q.mu.Unlock()
	return q.addLocked(offered(item, facts, opts), delay)
}

// OfferBelow is Offer at once, unless as many items as the depth, or more, are ready and waiting and it would be one more: then it
// reports that the queue is full, and nothing is added. What joins a waiting item takes no room. A depth of 0 is no bound.
func (q *Queue) OfferBelow(item Item, facts Facts, depth int) (full bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if depth > 0 && q.ready >= depth && !q.objects[item.Object()].joins(item) {
		return q.state == open
	}
	q.addLocked(offered(item, facts, priorityqueue.AddOpts{}), 0)
	return false
}

// offered is the entry of an event.
func offered(item Item, facts Facts, opts priorityqueue.AddOpts) entry {
	priority := facts.Source.Priority()
	if opts.Priority != nil {
		priority = *opts.Priority
	}
	facts.Uncomputed = facts.Uncomputed || facts.Sentinels == nil
	return entry{item: item, facts: facts, priority: priority}
}

// Add adds an item as an event about which nothing is known.
func (q *Queue) Add(item Item) {
	q.AddWithOpts(priorityqueue.AddOpts{}, item)
}

// AddAfter adds an item after a delay; see AddWithOpts.
func (q *Queue) AddAfter(item Item, after time.Duration) {
	q.AddWithOpts(priorityqueue.AddOpts{After: after}, item)
}

// AddRateLimited adds an item after the delay that the limiter has for its object; see AddWithOpts.
func (q *Queue) AddRateLimited(item Item) {
	q.AddWithOpts(priorityqueue.AddOpts{RateLimited: true}, item)
}

// AddWithOpts adds items. With RateLimited or After they are delayed, by the shorter of both; an object for which something
// earlier waits does not wait longer. Priority defaults to PriorityWatch.
//
// A delayed add of an item that a worker has is the worker queueing it again: the item keeps its facts and, unless another
// priority is asked for than it was handed out with, has at most PriorityRequeue. Every other add is an event about which
// nothing is known. Nothing is added once the queue is shut down.
func (q *Queue) AddWithOpts(opts priorityqueue.AddOpts, items ...Item) {
	priority := PriorityWatch
	if opts.Priority != nil {
		priority = *opts.Priority
	}
	for _, item := range items {
		delay := q.delayOf(item, opts)
		e := entry{item: item, facts: Facts{Uncomputed: true}, priority: priority}
		q.mu.Lock()
		if m := q.objects[item.Object()]; m != nil && m.has(item) && (opts.RateLimited || opts.After > 0) {
			e.again = true
			e.facts = m.current.facts
			e.facts.Source |= SourceRequeue
			e.priority = requeuePriority(m.current.priority, priority)
		}
		q.addLocked(e, delay)
		q.mu.Unlock()
	}
}

// Forget says that the object was dealt with: its next failure starts with the shortest back-off. Facts are not its business;
// they leave the queue with the item.
func (q *Queue) Forget(item Item) {
	q.limiter.Forget(item.Object())
}

// NumRequeues returns how often the object of the item was queued again by rate since it was last forgotten.
func (q *Queue) NumRequeues(item Item) int {
	return q.limiter.NumRequeues(item.Object())
}

// delayOf asks the limiter, which is foreign code, and so is called without the lock.
func (q *Queue) delayOf(item Item, opts priorityqueue.AddOpts) time.Duration {
	if !opts.RateLimited || q.ShuttingDown() {
		return opts.After
	}
	delay := q.limiter.When(item.Object())
	if opts.After > 0 {
		delay = min(delay, opts.After)
	}
	return delay
}

// addLocked puts e into its mailbox. It reports whether the queue took it.
func (q *Queue) addLocked(e entry, delay time.Duration) bool {
	if q.state != open {
		return false
	}
	var readyAt time.Time
	if delay > 0 {
		readyAt = time.Now().Add(delay)
		q.metrics.retry()
	}
	object := e.item.Object()
	m := q.objects[object]
	if m == nil {
		m = newMailbox(object)
		q.objects[object] = m
	}
	q.countLocked(m, -1)
	m.put(e, readyAt)
	q.countLocked(m, 1)
	q.placeLocked(m)
	q.armLocked()
	return true
}
