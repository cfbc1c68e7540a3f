package queue

import "time"

// entry is an item in a mailbox with all that is known about it.
type entry struct {
	item     Item
	facts    Facts
	priority int
	// again marks an item that was handed out before. It stands for work to be repeated, not for an event of its own.
	again bool
	// readySince is when the item stopped being delayed. Zero before that, and always without metrics.
	readySince time.Time
}

// join adds what other stands for to e. older says that other's events came before those of e.
func (e *entry) join(other *entry, older bool) {
	if older {
		e.facts = other.facts.merge(e.facts)
	} else {
		e.facts = e.facts.merge(other.facts)
	}
	e.priority = max(e.priority, other.priority)
	e.again = e.again && other.again
}

// mailbox holds what is queued for one object. The queue's mutex guards it.
type mailbox struct {
	object Item
	// waiting holds the items in order of arrival. An item that is marked again is the only one.
	waiting []entry
	// first is the memory of waiting for the usual case of one item.
	first [1]entry
	// readyAt is when waiting may be handed out; zero for at once.
	readyAt time.Time
	// priority is the highest of waiting.
	priority int
	// current is the item that a worker has, while out is true.
	current entry
	out     bool

	line  linePlace
	delay delayPlace
}

func newMailbox(object Item) *mailbox {
	m := &mailbox{object: object, delay: delayPlace{index: absent}}
	m.waiting = m.first[:0]
	return m
}

// delayed reports whether items wait for their time.
func (m *mailbox) delayed() bool {
	return len(m.waiting) > 0 && !m.readyAt.IsZero()
}

// has reports whether a worker has the item.
func (m *mailbox) has(item Item) bool {
	return m.out && m.current.item == item
}

// joins tells whether an item would be merged with one that waits.
func (m *mailbox) joins(item Item) bool {
	return m != nil && (m.find(item) != nil || len(m.waiting) == 1 && m.waiting[0].again)
}

// put adds e, to be handed out at readyAt or at once if that is zero.
func (m *mailbox) put(e entry, readyAt time.Time) {
	if len(m.waiting) == 0 {
		m.readyAt, m.priority = readyAt, e.priority
	} else if readyAt.Before(m.readyAt) {
		m.readyAt = readyAt
	}
	m.priority = max(m.priority, e.priority)

	same := m.find(e.item)
	switch {
	case same != nil:
		same.join(&e, e.again)
	case e.again && len(m.waiting) > 0:
		m.waiting[0].join(&e, true)
	case len(m.waiting) == 1 && m.waiting[0].again:
		e.join(&m.waiting[0], true)
		e.readySince = m.waiting[0].readySince
		m.waiting[0] = e
	default:
		m.waiting = append(m.waiting, e)
	}
}

// take moves the first item to the worker.
func (m *mailbox) take() entry {
	m.current, m.out = m.waiting[0], true
	m.waiting[0] = entry{}
	m.waiting = m.waiting[1:]
	if len(m.waiting) == 0 {
		m.waiting = m.first[:0]
		return m.current
	}
	if m.current.priority == m.priority {
		m.priority = m.highest(m.priority)
	}
	return m.current
}

// highest returns the highest priority that waits. It stops at the first item that has the limit, which none exceeds.
func (m *mailbox) highest(limit int) int {
	priority := m.waiting[0].priority
	for i := range m.waiting {
		if priority == limit {
			break
		}
		priority = max(priority, m.waiting[i].priority)
	}
	return priority
}

// find returns the entry of a waiting item or nil. It compares events only: all items of a mailbox are about its object.
func (m *mailbox) find(item Item) *entry {
	for i := range m.waiting {
		if m.waiting[i].item.EventID == item.EventID {
			return &m.waiting[i]
		}
	}
	return nil
}

// clear drops what waits.
func (m *mailbox) clear() {
	clear(m.waiting)
	m.waiting = m.first[:0]
	m.readyAt = time.Time{}
}
