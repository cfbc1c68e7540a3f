package queue_test

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"k8s.io/client-go/util/workqueue"

	"github.com/orkestra-runtime/orkestra/runtime/queue"
)

// model says what the queue should do, with lists that it searches from end to end. One goroutine uses it.
type model struct {
	limiter  workqueue.TypedRateLimiter[queue.Item]
	objects  map[string]*modelObject
	workers  int
	out      int
	taken    int
	arrivals int
}

type modelObject struct {
	waiting []modelEntry
	readyAt time.Time
	current *modelEntry
	// arrival is when the object got its place among its priority, or among the delayed.
	arrival  int
	lined    bool
	priority int
}

// modelEntry has a mark for each event that it stands for.
type modelEntry struct {
	item     queue.Item
	marks    []string
	priority int
	again    bool
}

func newModel() *model {
	return &model{limiter: newLimiter(), objects: map[string]*modelObject{}}
}

func (m *model) add(e modelEntry, delay time.Duration) {
	o := m.objects[e.item.Name]
	if o == nil {
		o = &modelObject{}
		m.objects[e.item.Name] = o
	}
	was := o.delayed()
	at := time.Time{}
	if delay > 0 {
		at = time.Now().Add(delay)
	}
	if len(o.waiting) == 0 || at.Before(o.readyAt) {
		o.readyAt = at
	}
	o.put(e)
	if o.delayed() && !was {
		m.arrivals++
		o.arrival = m.arrivals
	}
	m.lineUp(o)
}

func (o *modelObject) put(e modelEntry) {
	into := slices.IndexFunc(o.waiting, func(w modelEntry) bool { return w.item == e.item })
	if into < 0 && e.again && len(o.waiting) > 0 {
		into = 0
	}
	if into < 0 && len(o.waiting) == 1 && o.waiting[0].again {
		into, o.waiting[0].item = 0, e.item
	}
	if into < 0 {
		o.waiting = append(o.waiting, e)
		return
	}
	w := &o.waiting[into]
	w.marks = append(slices.Clone(w.marks), e.marks...)
	w.priority = max(w.priority, e.priority)
	w.again = w.again && e.again
}

func (o *modelObject) delayed() bool { return len(o.waiting) > 0 && !o.readyAt.IsZero() }

// lineUp gives an object that may be handed out its place.
func (m *model) lineUp(o *modelObject) {
	if len(o.waiting) == 0 || o.delayed() || o.current != nil {
		o.lined = false
		return
	}
	priority := slices.MaxFunc(o.waiting, func(a, b modelEntry) int { return a.priority - b.priority }).priority
	if !o.lined || o.priority != priority {
		m.arrivals++
		o.lined, o.priority, o.arrival = true, priority, m.arrivals
	}
}

// next returns the object whose turn it is, nil if none may be handed out.
func (m *model) next() *modelObject {
	if m.workers > 0 && m.out >= m.workers {
		return nil
	}
	fair := (m.taken+1)%queue.FairEvery == 0
	var best *modelObject
	for _, o := range m.objects {
		switch {
		case !o.lined:
		case best == nil,
			fair && o.arrival < best.arrival,
			!fair && o.priority > best.priority,
			!fair && o.priority == best.priority && o.arrival < best.arrival:
			best = o
		}
	}
	return best
}

func (m *model) take() modelEntry {
	o := m.next()
	e := o.waiting[0]
	o.waiting, o.current, o.lined = o.waiting[1:], &e, false
	m.taken++
	m.out++
	return e
}

func (m *model) done(i queue.Item) {
	o := m.objects[i.Name]
	if o == nil || o.current == nil || o.current.item != i {
		return
	}
	o.current = nil
	m.out--
	m.lineUp(o)
	if len(o.waiting) == 0 {
		delete(m.objects, i.Name)
	}
}

// again is what a controller does with an item that it wants back, before Done.
func (m *model) again(i queue.Item, asked int, delay time.Duration) {
	e := *m.objects[i.Name].current
	e.again = true
	if asked == e.priority {
		e.priority = min(asked, queue.PriorityRequeue)
	} else {
		e.priority = asked
	}
	m.add(e, delay)
}

// tick makes objects ready whose time has come.
func (m *model) tick() {
	due := slices.DeleteFunc(slices.Collect(maps.Values(m.objects)), func(o *modelObject) bool {
		return !o.delayed() || o.readyAt.After(time.Now())
	})
	slices.SortFunc(due, func(a, b *modelObject) int {
		if c := a.readyAt.Compare(b.readyAt); c != 0 {
			return c
		}
		return a.arrival - b.arrival
	})
	for _, o := range due {
		o.readyAt = time.Time{}
		m.lineUp(o)
	}
}

func (m *model) pending() (ready, processing, delayed int) {
	for _, o := range m.objects {
		if o.delayed() {
			delayed += len(o.waiting)
		} else {
			ready += len(o.waiting)
		}
	}
	return ready, m.out, delayed
}

// mark is the name of a sentinel that stands for one event alone.
func mark(n int) string { return "event" + strconv.Itoa(n) }
