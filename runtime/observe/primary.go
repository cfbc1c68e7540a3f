package observe

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
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
	return handle(ctx, p.Resources, toolscache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(given any, initial bool) {
			p.offer(offer, given, initial, queue.SourcePrimary)
		},
		UpdateFunc: func(before, after any) {
			source := queue.SourcePrimary
			if old, ok := informer.Object(before); ok {
				if object, ok := informer.Object(after); ok && old.GetResourceVersion() == object.GetResourceVersion() {
					source = queue.SourceResync
				}
			}
			p.offer(offer, after, false, source)
		},
		DeleteFunc: func(given any) {
			if object, ok := informer.Object(given); ok {
				offer(p.item(object), queue.SourcePrimary)
			}
		},
	})
}

// offer passes a resource on unless the event is the echo of a write of our own.
func (p *Primary) offer(offer offerFunc, given any, initial bool, source queue.Source) {
	object, ok := informer.Object(given)
	switch {
	case !ok:
		return
	case initial:
		source = queue.SourceInitial
	case source == queue.SourcePrimary && p.Resources.Wrote(object):
		return
	}
	offer(p.item(object), source)
}

func (p *Primary) item(object *unstructured.Unstructured) queue.Item {
	return queue.Item{
		NamespacedName: types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetName()},
		GVK:            p.GVK,
	}
}

// WaitForSync waits until every resource there is was handed over.
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
	return func(item queue.Item, source queue.Source) {
		q.Offer(item, queue.Facts{Source: source}, priority(source))
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
