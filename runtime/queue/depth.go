package queue

// Len returns how many items are ready and waiting, those behind an object that a worker has included and delayed ones not.
func (q *Queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.ready
}

// Depth is Len under the name that queue behaviour and gates have for it.
func (q *Queue) Depth() int {
	return q.Len()
}

// Holds reports whether an event of the item would join one that waits, and so take no room.
func (q *Queue) Holds(item Item) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.objects[item.Object()].joins(item)
}

// SetMaxDepth sets the depth against which those who offer new events measure the queue; n <= 0 is no limit. The queue itself drops
// nothing, neither what waits nor what comes.
func (q *Queue) SetMaxDepth(n int) {
	q.maxDepth.Store(int64(max(n, 0)))
}

// MaxDepth returns what SetMaxDepth has set, 0 for no limit.
func (q *Queue) MaxDepth() int {
	return int(q.maxDepth.Load())
}

// Pending returns how many items are ready and waiting, how many are with workers, and how many wait for their time, all at one
// instant.
func (q *Queue) Pending() (ready, processing, delayed int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.ready, q.out, q.delayed
}

// Idle reports whether nothing is ready and no worker has an item. Delayed items don't count; Pending tells of them.
func (q *Queue) Idle() bool {
	ready, processing, _ := q.Pending()
	return ready == 0 && processing == 0
}
