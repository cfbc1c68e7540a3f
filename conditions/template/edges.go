package template

import (
	"sync"
	"time"
)

// Edges notes when what was evaluated may change through time alone, so that somebody can evaluate it again then. The zero
// Edges has noted nothing. It is safe for concurrent use, and must not be copied.
type Edges struct {
	mutex sync.Mutex // guards next
	next  time.Time  // zero: none
}

// Next is the earliest time that was noted; false when there was none.
func (e *Edges) Next() (time.Time, bool) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	return e.next, !e.next.IsZero()
}

func (e *Edges) add(t time.Time) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if e.next.IsZero() || t.Before(e.next) {
		e.next = t
	}
}

// Watch returns a copy of the Facts whose evaluations note in e when their results may change through time alone. Their clock stands
// still from here on: all of them see one instant, and an edge can't fall between looking at the clock and noting it.
func (f Facts) Watch(e *Edges) Facts {
	now := f.Now()
	f.now = func() time.Time { return now }
	f.edges = e
	return f
}

// ChangesAt notes, for the Edges that watch these Facts, that a result may be another from t on. A time that is not after
// Now is ignored.
func (f Facts) ChangesAt(t time.Time) {
	if f.edges != nil && t.After(f.Now()) {
		f.edges.add(t)
	}
}
