package queue

import (
	"maps"
	"strings"
)

// Source says where an event came from. Coalesced events have several sources: it is a set. The zero value is an unknown source.
type Source uint8

// The sources of events.
const (
	// SourcePrimary is a create, update or delete of the object itself.
	SourcePrimary Source = 1 << iota
	// SourceChild is a change of an object that the primary owns.
	SourceChild
	// SourceWatch is a change of a watched object that the primary refers to.
	SourceWatch
	// SourceEvent is an event of the events API about an observed object.
	SourceEvent
	// SourceInitial is the object in the list with which the controller started.
	SourceInitial
	// SourceResync is the periodic resync: nothing changed.
	SourceResync
	// SourceRequeue is the worker itself, which queued the item again after a failure or with a requeue time. The queue sets it.
	SourceRequeue

	sourceEnd
)

// Has reports whether all sources of other are among s.
func (s Source) Has(other Source) bool {
	return s&other == other
}

// String returns the names of the sources joined by "+", for example "primary+watch", or "unknown".
func (s Source) String() string {
	if s&(s-1) == 0 { // none or one, as almost always
		return s.name()
	}
	names := make([]string, 0, 2)
	for one := SourcePrimary; one < sourceEnd; one <<= 1 {
		if s.Has(one) {
			names = append(names, one.name())
		}
	}
	if len(names) == 0 {
		return "unknown"
	}
	return strings.Join(names, "+")
}

func (s Source) name() string {
	switch s {
	case SourcePrimary:
		return "primary"
	case SourceChild:
		return "child"
	case SourceWatch:
		return "watch"
	case SourceEvent:
		return "event"
	case SourceInitial:
		return "initial"
	case SourceResync:
		return "resync"
	case SourceRequeue:
		return "requeue"
	default:
		return "unknown"
	}
}

// Facts is what is known about the events behind an item. The queue keeps it while the item waits or is with a worker.
type Facts struct {
	// Source holds the sources of all events behind the item.
	Source Source
	// Sentinels holds the computed sentinels by name, true if they were true for any of the events. Nil if none were computed
	// for any event. The map is shared: nobody writes to it once it was offered.
	Sentinels map[string]bool
	// Uncomputed is true if no sentinels were computed for at least one of the events, so that a list of sentinels must not
	// hold the item back, whatever Sentinels says of the other events. Offer sets it where Sentinels is nil.
	Uncomputed bool
	// Event is the context that the newest event with a context brought along, nil if none did.
	Event any
}

// merge returns the facts of two coalesced events. It writes to neither.
func (f Facts) merge(newer Facts) Facts {
	merged := Facts{
		Source:     f.Source | newer.Source,
		Sentinels:  mergeSentinels(f.Sentinels, newer.Sentinels),
		Uncomputed: f.Uncomputed || newer.Uncomputed,
		Event:      newer.Event,
	}
	if merged.Event == nil {
		merged.Event = f.Event
	}
	return merged
}

// mergeSentinels returns one of its arguments where that already says it all, which is the usual case and needs no memory.
func mergeSentinels(a, b map[string]bool) map[string]bool {
	switch {
	case a == nil || covers(b, a):
		return b
	case b == nil || covers(a, b):
		return a
	}
	merged := maps.Clone(a)
	for name, value := range b {
		merged[name] = merged[name] || value
	}
	return merged
}

// covers reports whether merging b into a would change nothing in a.
func covers(a, b map[string]bool) bool {
	for name, value := range b {
		if have, ok := a[name]; !ok || value && !have {
			return false
		}
	}
	return a != nil
}
