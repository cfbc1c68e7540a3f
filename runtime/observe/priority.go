package observe

import (
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"github.com/orkestra-runtime/orkestra/runtime/queue"
)

// priority puts what a person waits for before what is only looked at again.
func priority(source queue.Source) priorityqueue.AddOpts {
	switch source {
	case queue.SourcePrimary:
		return priorityqueue.AddOpts{Priority: new(queue.PriorityUser)}
	case queue.SourceInitial, queue.SourceResync:
		return priorityqueue.AddOpts{Priority: new(queue.PriorityResync)}
	default:
		return priorityqueue.AddOpts{Priority: new(queue.PriorityChild)}
	}
}
