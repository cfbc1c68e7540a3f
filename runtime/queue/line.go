package queue

import "slices"

// fairEvery is how many hand-outs go by until one ignores priority.
const fairEvery = 16

// line holds the mailboxes from which a worker may take, by priority and then in order of arrival. There are few distinct
// priorities at a time, so a sorted slice of linked lists beats a tree.
type line struct {
	lanes []lane
	// arrivals numbers the mailboxes as they join a lane.
	arrivals uint64
	// taken counts hand-outs.
	taken uint64
}

// lane is the mailboxes of one priority, first come first. It is never empty.
type lane struct {
	priority   int
	head, tail *mailbox
}

// linePlace is where a mailbox stands in the line.
type linePlace struct {
	in         bool
	priority   int
	arrival    uint64
	prev, next *mailbox
}

func (l *line) empty() bool {
	return len(l.lanes) == 0
}

// push lets m stand at the end of its priority. A mailbox that stands there already keeps its place. It reports whether the
// mailbox is new in the line.
func (l *line) push(m *mailbox) bool {
	known := m.line.in
	if known {
		if m.line.priority == m.priority {
			return false
		}
		l.remove(m)
	}
	l.arrivals++
	m.line = linePlace{in: true, priority: m.priority, arrival: l.arrivals}
	i, found := l.find(m.priority)
	if !found {
		l.lanes = slices.Insert(l.lanes, i, lane{priority: m.priority, head: m, tail: m})
		return !known
	}
	lane := &l.lanes[i]
	m.line.prev = lane.tail
	lane.tail.line.next = m
	lane.tail = m
	return !known
}

// take removes and returns the mailbox whose turn it is. The line must not be empty.
func (l *line) take() *mailbox {
	l.taken++
	m := l.lanes[0].head
	if l.taken%fairEvery == 0 {
		for _, lane := range l.lanes[1:] {
			if lane.head.line.arrival < m.line.arrival {
				m = lane.head
			}
		}
	}
	l.remove(m)
	return m
}

// remove takes m out of the line, if it is in it.
func (l *line) remove(m *mailbox) {
	if !m.line.in {
		return
	}
	i, _ := l.find(m.line.priority)
	lane := &l.lanes[i]
	prev, next := m.line.prev, m.line.next
	if prev != nil {
		prev.line.next = next
	} else {
		lane.head = next
	}
	if next != nil {
		next.line.prev = prev
	} else {
		lane.tail = prev
	}
	m.line = linePlace{}
	if lane.head == nil {
		l.lanes = slices.Delete(l.lanes, i, i+1)
	}
}

// find returns where the lane of a priority is or would be. The highest is first.
func (l *line) find(priority int) (int, bool) {
	return slices.BinarySearchFunc(l.lanes, priority, func(lane lane, priority int) int {
		switch {
		case lane.priority > priority:
			return -1
		case lane.priority < priority:
			return 1
		default:
			return 0
		}
	})
}
