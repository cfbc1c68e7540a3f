package queue

// Available reports whether Get would return an item without waiting.
func (q *Queue) Available() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return !q.line.empty() && !q.busyLocked()
}

// Objects returns how many objects the queue remembers.
func (q *Queue) Objects() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.objects)
}

// FairEvery is how many hand-outs go by until one ignores priority.
const FairEvery = fairEvery
