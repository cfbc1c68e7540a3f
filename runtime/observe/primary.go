package observe

import (
	"context"
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/source"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers/informer"
	"github.com/orkestra-runtime/orkestra/runtime/queue"
)

// Primary is the source of a CRD's own resources.
type Primary struct {
	Path      *Path
	Resources *informer.Informer
	// Waiting lists the resources to look at again when one has gone or was edited: they wait for what it had. Nil: none do.
	Waiting func(types.NamespacedName) []types.NamespacedName
}

var _ source.TypedSyncingSource[queue.Item] = (*Primary)(nil)

// Start hands every resource there is and every later change to the path until ctx ends.
func (p *Primary) Start(ctx context.Context, _ workqueue.TypedRateLimitingInterface[queue.Item]) error {
	return handle(ctx, p.Resources, p.handler())
}

func (p *Primary) handler() toolscache.ResourceEventHandler {
	return toolscache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(given any, initial bool) {
			object, ok := informer.Object(given)
			switch {
			case !ok:
			case initial:
				p.offer(queue.SourceInitial, nil, object)
			default:
				p.Resources.IfForeign(object, func() { p.offer(queue.SourcePrimary, nil, object) })
			}
		},
		UpdateFunc: func(before, after any) {
			old, known := informer.Object(before)
			object, ok := informer.Object(after)
			switch {
			case !known || !ok:
			case old.GetResourceVersion() == object.GetResourceVersion():
				p.offer(queue.SourceResync, old, object)
			case edited(old, object):
				p.offer(queue.SourcePrimary, old, object)
				p.wakeFor(object)
			default:
				p.Resources.IfForeign(object, func() { p.offer(queue.SourcePrimary, old, object) })
			}
		},
		DeleteFunc: func(given any) {
			if object, ok := informer.Object(given); ok {
				p.offer(queue.SourcePrimary, object, nil)
				p.wakeFor(object)
			}
		},
	}
}

func (p *Primary) wakeFor(object *unstructured.Unstructured) {
	if p.Waiting != nil {
		p.Path.wake(p.Waiting(client.ObjectKeyFromObject(object)))
	}
}

func (p *Primary) offer(from queue.Source, before, after *unstructured.Unstructured) {
	object := after
	if object == nil {
		object = before
	}
	p.Path.Offer(Occurrence{Resource: client.ObjectKeyFromObject(object), Source: from, Before: before, After: after})
}

// edited tells whether an update that ends in a write of our own brings more along. After a watch was interrupted, one event
// stands for all that happened meanwhile, and an edit of somebody else may be hidden behind our last write.
func edited(before, after *unstructured.Unstructured) bool {
	return before.GetGeneration() != after.GetGeneration() ||
		!maps.Equal(before.GetLabels(), after.GetLabels()) || !maps.Equal(told(before), told(after))
}

// told are the annotations of a resource without those that tell the state of the operator: who writes them has nothing to ask for.
func told(object *unstructured.Unstructured) map[string]string {
	annotations := object.GetAnnotations() // a copy
	delete(annotations, orkv1.AnnotationHealth)
	delete(annotations, orkv1.AnnotationCrossMetrics)
	return annotations
}

// WaitForSync waits until the resources are in memory.
func (p *Primary) WaitForSync(ctx context.Context) error { return p.Resources.WaitForSync(ctx) }

// String names the source in logs.
func (p *Primary) String() string { return "primary " + p.Path.Set.GVK.Kind }
