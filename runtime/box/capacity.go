package box

import (
	"time"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// Origin tells where a setting comes from.
type Origin string

// The origins of a setting. A declared one that is the default comes from there.
const (
	FromDefault    Origin = "default"
	FromKatalog    Origin = "configured"
	FromAutoscaler Origin = "autoscaler"
)

// Setting is a number of a controller, and where it comes from.
type Setting[T comparable] struct {
	Value T
	From  Origin
}

// Capacity is how much a controller takes on.
type Capacity struct {
	// Workers is how many resources are reconciled at once.
	Workers Setting[int]
	// MaxDepth is what the limits of the queue are measured against. 0: it has none.
	MaxDepth Setting[int]
	// Resync is how often every resource is looked at again without an event.
	Resync Setting[time.Duration]
}

// capacity is what an entry declares.
func (s *Set) capacity(declared *orkv1.Reconciler) Capacity {
	depth := 0
	if declared != nil && declared.Queue != nil {
		depth = int(declared.Queue.MaxDepth)
	}
	return Capacity{
		Workers:  setting(s.Workers, DefaultWorkers),
		MaxDepth: setting(depth, 0),
		Resync:   setting(s.Watch.Resync, DefaultResync),
	}
}

func setting[T comparable](value, usual T) Setting[T] {
	if value == usual {
		return Setting[T]{value, FromDefault}
	}
	return Setting[T]{value, FromKatalog}
}
