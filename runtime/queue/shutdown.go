package queue

// state is how far a queue is shut down.
type state int

const (
	// open takes and hands out items.
	open state = iota
	// draining takes none and hands out those that are ready.
	draining
	// closed takes and hands out none.
	closed
)

// ShutDown stops the queue at once: waiting items are dropped and every Get returns. Items that workers have are theirs until Done.
// It also ends a ShutDownWithDrain.
func (q *Queue) ShutDown() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.state = closed
	q.dropLocked(func(*mailbox) bool { return true })
}

// ShutDownWithDrain stops the queue and waits until workers have taken and finished every item that is ready now. Delayed items
// and whatever is added meanwhile are dropped. Without workers that call Get and Done it waits until ShutDown.
func (q *Queue) ShutDownWithDrain() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.state == open {
		q.state = draining
		q.dropLocked((*mailbox).delayed)
	}
	for q.state == draining && q.ready+q.out > 0 {
		q.drained.Wait()
	}
	q.state = closed
}

// ShuttingDown reports whether the queue has stopped taking items.
func (q *Queue) ShuttingDown() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.state != open
}

// dropLocked clears the chosen mailboxes, stops the timer and wakes everybody who waits.
func (q *Queue) dropLocked(choose func(*mailbox) bool) {
	for _, m := range q.objects {
		if choose(m) {
			q.countLocked(m, -1)
			m.clear()
			q.placeLocked(m)
		}
	}
	q.armLocked()
	q.wake.Broadcast()
	q.drained.Broadcast()
}
