package queue

// Priorities of items. The higher goes first; any other number is allowed as well.
const (
	// PriorityUser is for changes of the primary itself: somebody waits for the result.
	PriorityUser = 100
	// PriorityChild is for changes of children: repairing drift comes after what users ask for.
	PriorityChild = 50
	// PriorityWatch is for changes of watched objects and for observed events. It is what Add and its variants use.
	PriorityWatch = 0
	// PriorityRequeue is for items that their worker queued again, after a failure or with a requeue time.
	PriorityRequeue = -50
	// PriorityResync is for resyncs and the initial list, where probably nothing is to be done. controller-runtime uses the same
	// number for them.
	PriorityResync = -100
)

// Priority returns the priority of an event from these sources: that of the most urgent one, PriorityWatch if unknown.
func (s Source) Priority() int {
	switch {
	case s.Has(SourcePrimary):
		return PriorityUser
	case s.Has(SourceChild):
		return PriorityChild
	case s == 0 || s.Has(SourceWatch) || s.Has(SourceEvent):
		return PriorityWatch
	case s.Has(SourceRequeue):
		return PriorityRequeue
	default:
		return PriorityResync
	}
}

// requeuePriority is the priority of an item that was handed out with priority was and that its worker queues again with asked.
// controllers hand the old priority on unless the reconciler chose one, so only a different number is a choice; otherwise the
// item steps behind fresh events.
func requeuePriority(was, asked int) int {
	if asked != was {
		return asked
	}
	return min(asked, PriorityRequeue)
}
