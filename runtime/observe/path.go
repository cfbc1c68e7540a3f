package observe

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"github.com/orkestra-runtime/orkestra/controllers/informer"
	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/gate"
	"github.com/orkestra-runtime/orkestra/runtime/queue"
)

// Occurrence is something that happened and concerns one resource.
type Occurrence struct {
	// Resource is whom it concerns.
	Resource types.NamespacedName
	Source   queue.Source
	// Before and After are the resource itself, where it is what changed: Before is nil for one that came, After for one that went.
	Before, After *unstructured.Unstructured
	// Observed is what a declared observation saw. Nil for a change of the resource itself or of a child.
	Observed *Observed
}

// Observed is what a declared observation saw.
type Observed struct {
	// Gate is the observation's own. Nil passes.
	Gate *gate.Gate
	// Sentinels are those of the observed object. Nil: none were computed.
	Sentinels map[string]bool
	// Object is what conditions see as .watched. Nil for a Kubernetes Event.
	Object *unstructured.Unstructured
	// Event is what conditions see as .events.<name>, by that name. Nil for another object.
	Event map[string]any
}

// Path is the way from an occurrence to the queue, one for all sources of a CRD.
type Path struct {
	Set   *box.Set
	Queue *queue.Queue
}

// Offer queues the resource, unless something on the way forbids it.
func (p *Path) Offer(o Occurrence) {
	p.Queue.Offer(queue.Item{NamespacedName: o.Resource, GVK: p.Set.GVK}, queue.Facts{Source: o.Source}, priorityqueue.AddOpts{})
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
