package observe

import (
	"context"
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/orkestra-runtime/orkestra/controllers/informer"
	"github.com/orkestra-runtime/orkestra/runtime/queue"
)

// Primary is the source of a CRD's own resources.
type Primary struct {
	GVK       schema.GroupVersionKind
	Resources *informer.Informer
}

var _ source.TypedSyncingSource[queue.Item] = (*Primary)(nil)

// Start hands every resource there is and every later change to the queue until ctx ends.
func (p *Primary) Start(ctx context.Context, q workqueue.TypedRateLimitingInterface[queue.Item]) error {
	offer, err := offerTo(q)
	if err != nil {
		return err
	}
	return handle(ctx, p.Resources, p.handler(offer))
}

func (p *Primary) handler(offer offerFunc) toolscache.ResourceEventHandler {
	return toolscache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(given any, initial bool) {
			object, ok := informer.Object(given)
			switch {
			case !ok:
			case initial:
				offer(p.item(object), queue.SourceInitial)
			default:
				p.Resources.IfForeign(object, func() { offer(p.item(object), queue.SourcePrimary) })
			}
		},
		UpdateFunc: func(before, after any) {
			old, known := informer.Object(before)
			object, ok := informer.Object(after)
			switch {
			case !known || !ok:
			case old.GetResourceVersion() == object.GetResourceVersion():
				offer(p.item(object), queue.SourceResync)
			case edited(old, object):
				offer(p.item(object), queue.SourcePrimary)
			default:
				p.Resources.IfForeign(object, func() { offer(p.item(object), queue.SourcePrimary) })
			}
		},
		DeleteFunc: func(given any) {
			if object, ok := informer.Object(given); ok {
				offer(p.item(object), queue.SourcePrimary)
			}
		},
	}
}

// edited tells whether an update that ends in a write of our own brings more along. After a watch was interrupted, one event
// stands for all that happened meanwhile, and an edit of somebody else may be hidden behind our last write.
func edited(before, after *unstructured.Unstructured) bool {
	return before.GetGeneration() != after.GetGeneration() ||
		!maps.Equal(before.GetLabels(), after.GetLabels()) || !maps.Equal(before.GetAnnotations(), after.GetAnnotations())
}

func (p *Primary) item(object *unstructured.Unstructured) queue.Item {
	return queue.Item{
		NamespacedName: client.ObjectKeyFromObject(object),
		GVK:            p.GVK,
	}
}

// WaitForSync waits until the resources are in memory.
func (p *Primary) WaitForSync(ctx context.Context) error { return p.Resources.WaitForSync(ctx) }

// String names the source in logs.
func (p *Primary) String() string { return "primary " + p.GVK.Kind }

// offerFunc puts an item into the queue.
type offerFunc func(queue.Item, queue.Source)

// offerTo finds our queue in what the controller hands to its sources.
func offerTo(given workqueue.TypedRateLimitingInterface[queue.Item]) (offerFunc, error) {
	q, ok := given.(*queue.Queue)
	if !ok {
		return nil, fmt.Errorf("source started with a %T, want the keyed queue", given)
	}
	return func(item queue.Item, from queue.Source) {
		q.Offer(item, queue.Facts{Source: from}, priorityqueue.AddOpts{})
	}, nil
}

// handle adds the handler, and removes it when ctx ends.
func handle(ctx context.Context, from *informer.Informer, handler toolscache.ResourceEventHandler) error {
	remove, _, err := from.Handle(handler)
	if err != nil {
		return err
	}
	context.AfterFunc(ctx, func() { _ = remove() }) // fails only for an informer that ended before
	return nil
}
