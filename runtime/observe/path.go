package observe

import (
	"context"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/orkestra-runtime/orkestra/controllers/informer"
	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/flight"
	"github.com/orkestra-runtime/orkestra/runtime/gate"
	"github.com/orkestra-runtime/orkestra/runtime/health"
	"github.com/orkestra-runtime/orkestra/runtime/metrics"
	"github.com/orkestra-runtime/orkestra/runtime/queue"
	"github.com/orkestra-runtime/orkestra/runtime/work"
)

// Occurrence is something that happened and concerns one resource.
type Occurrence struct {
	// Resource is whom it concerns.
	Resource types.NamespacedName
	Source   queue.Source
	// Before and After are the resource itself, where it is what changed: Before is nil for one that came, After for one that went.
	Before, After *unstructured.Unstructured
	// Child is what it happened to, where that is a child of the resource.
	Child *unstructured.Unstructured
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

// Path is the way from an occurrence to the queue, one for all sources of a CRD. Set and Queue must be set.
type Path struct {
	Set   *box.Set
	Queue *queue.Queue
	// Resources are what is in memory. Nil: a resource is known only by an occurrence that brings it along.
	Resources work.Resources
	// Stage is where events wait for the external calls of their gates. Nil: no calls are made.
	Stage *Stage
	// Health is told of events that a gate refuses, and Metrics of all decisions. Nil: nobody is.
	Health  *health.CRD
	Metrics *metrics.CRD
	// State gives the roots health and metrics, where a gate reads one of them. Nil: both are empty.
	State func() map[string]any
	// Now is the clock of conditions. Nil is time.Now.
	Now func() time.Time
	Log logr.Logger
	// Flight remembers what became of the events of each resource.
	Flight flight.Log
}

// Offer queues the resource, unless its namespace, a queue that is full or a gate forbids it, which are asked in this order. It
// never waits for an answer. Nothing keeps back a resource that is gone or on its way out.
func (p *Path) Offer(o Occurrence) {
	object := o.After
	if object == nil && o.Before == nil && p.Resources != nil {
		object = p.Resources.Get(o.Resource)
	}
	switch {
	case object == nil && o.Observed != nil && p.Resources != nil:
		return // it concerns nobody
	case object == nil || leaving(object):
		item := queue.Item{NamespacedName: o.Resource, GVK: p.Set.GVK}
		p.Queue.OfferBelow(item, queue.Facts{Source: o.Source}, 0)
		p.seen(&o, item, nil)
		return
	}
	known := p.event(o, object)
	e := &known
	if p.restricted(e) {
		p.dropped(e, metrics.DroppedByNamespace)
		return
	}
	if !p.Stage.take(e) {
		p.admit(context.Background(), e) // which calls nobody
	}
}

// admit queues the event, unless a queue that is full or a gate forbids it.
func (p *Path) admit(ctx context.Context, e *event) {
	item := queue.Item{NamespacedName: e.Resource, GVK: p.Set.GVK}
	if e.box.EventAware {
		item.EventID = p.Queue.NextEventID()
	}
	judged := p.judge(e, item)
	if judged.Drop != "" || !p.admits(ctx, e) {
		p.overflown(e, judged)
		return
	}
	// Others may have filled the queue meanwhile.
	for p.Queue.OfferBelow(item, e.facts(), judged.Below) {
		if judged = p.judge(e, item); judged.Drop != "" {
			p.overflown(e, judged)
			return
		}
	}
	p.seen(&e.Occurrence, item, e.scene.Sentinels)
}

// leaving tells whether a resource is on its way out. It reads no time, since it is asked for each event.
func leaving(object *unstructured.Unstructured) bool {
	metadata, _ := object.Object["metadata"].(map[string]any)
	when, _ := metadata["deletionTimestamp"].(string)
	return when != ""
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
