package queue

import (
	"container/heap"
	"time"
)

// absent is the index of a mailbox that is not delayed.
const absent = -1

// delays holds the mailboxes whose time has not come, the earliest first. It is a heap.Interface; use set, remove and first.
type delays struct {
	boxes []*mailbox
	// arrivals numbers the mailboxes, so that those of one instant keep their order.
	arrivals uint64
}

// delayPlace is where a mailbox stands in the heap.
type delayPlace struct {
	index   int
	arrival uint64
}

// set puts m where its readyAt belongs.
func (d *delays) set(m *mailbox) {
	if m.delay.index != absent {
		heap.Fix(d, m.delay.index)
		return
	}
	d.arrivals++
	m.delay.arrival = d.arrivals
	heap.Push(d, m)
}

// remove takes m out, if it is in.
func (d *delays) remove(m *mailbox) {
	if m.delay.index != absent {
		heap.Remove(d, m.delay.index)
	}
}

// first returns the mailbox with the earliest time, nil if there is none.
func (d *delays) first() *mailbox {
	if len(d.boxes) == 0 {
		return nil
	}
	return d.boxes[0]
}

// Len is part of heap.Interface.
func (d *delays) Len() int { return len(d.boxes) }

// Less is part of heap.Interface.
func (d *delays) Less(i, j int) bool {
	a, b := d.boxes[i], d.boxes[j]
	if c := a.readyAt.Compare(b.readyAt); c != 0 {
		return c < 0
	}
	return a.delay.arrival < b.delay.arrival
}

// Swap is part of heap.Interface.
func (d *delays) Swap(i, j int) {
	d.boxes[i], d.boxes[j] = d.boxes[j], d.boxes[i]
	d.boxes[i].delay.index, d.boxes[j].delay.index = i, j
}

// Push is part of heap.Interface.
func (d *delays) Push(x any) {
	m, _ := x.(*mailbox)
	m.delay.index = len(d.boxes)
	d.boxes = append(d.boxes, m)
}

// Pop is part of heap.Interface.
func (d *delays) Pop() any {
	last := len(d.boxes) - 1
	m := d.boxes[last]
	d.boxes[last] = nil
	d.boxes = d.boxes[:last]
	m.delay.index = absent
	return m
}

// armLocked sets the timer to the earliest delayed mailbox.
func (q *Queue) armLocked() {
	first := q.delays.first()
	switch {
	case first == nil:
		if !q.armed.IsZero() {
			q.timer.Stop()
			q.armed = time.Time{}
		}
	case first.readyAt.Equal(q.armed):
	case q.timer == nil:
		q.armed = first.readyAt
		q.timer = time.AfterFunc(time.Until(first.readyAt), q.releaseDue)
	default:
		q.armed = first.readyAt
		q.timer.Reset(time.Until(first.readyAt))
	}
}

// releaseDue makes the mailboxes ready whose time has come.
func (q *Queue) releaseDue() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.armed = time.Time{}
	now := time.Now()
	for m := q.delays.first(); m != nil && !m.readyAt.After(now); m = q.delays.first() {
		q.countLocked(m, -1)
		m.readyAt = time.Time{}
		q.countLocked(m, 1)
		q.placeLocked(m)
	}
	q.armLocked()
}
