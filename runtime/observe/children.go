package observe

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/source"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/controllers/children"
	"github.com/orkestra-runtime/orkestra/controllers/informer"
	"github.com/orkestra-runtime/orkestra/runtime/queue"
)

// Children is the source of one kind of children of a CRD's resources: whatever happens to a child concerns its owner.
type Children struct {
	Path *Path
	Kind *children.Kind
}

var _ source.TypedSyncingSource[queue.Item] = (*Children)(nil)

// Start hands the owner of every changed child to the path until ctx ends. Children that are there already say nothing new:
// their owners are in the resources' own first list.
func (c *Children) Start(ctx context.Context, _ workqueue.TypedRateLimitingInterface[queue.Item]) error {
	return handle(ctx, c.Kind.Informer, c.handler())
}

func (c *Children) handler() toolscache.ResourceEventHandler {
	return toolscache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(given any, initial bool) {
			if object, ok := informer.Object(given); ok && !initial {
				c.Kind.IfForeign(object, func() { c.offer(object) })
			}
		},
		UpdateFunc: func(before, after any) {
			if object, ok := informer.Object(after); ok {
				c.Kind.IfForeign(object, func() { c.offer(object) })
			}
			// A child that changed hands concerns the one who lost it, too.
			if old, ok := informer.Object(before); ok && owned(old) != owned(after) {
				c.offer(old)
			}
		},
		DeleteFunc: func(given any) {
			if object, ok := informer.Object(given); ok {
				c.offer(object)
			}
		},
	}
}

func (c *Children) offer(child *unstructured.Unstructured) {
	kind, name, err := controllers.ParseOwner(owned(child))
	if err != nil || kind != c.Path.Set.GVK.GroupKind() {
		return
	}
	c.Path.Offer(Occurrence{Resource: name, Source: queue.SourceChild, Child: child})
}

// owned reads whom a child belongs to.
func owned(given any) string {
	object, ok := informer.Object(given)
	if !ok {
		return ""
	}
	return object.GetAnnotations()[orkv1.AnnotationOwner]
}

// WaitForSync waits until the children are in memory.
func (c *Children) WaitForSync(ctx context.Context) error { return c.Kind.WaitForSync(ctx) }

// String names the source in logs.
func (c *Children) String() string { return "children " + c.Kind.GVK.Kind }
