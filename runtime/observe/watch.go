package observe

import (
	"context"
	"maps"
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/orkestra-runtime/orkestra/conditions/sentinel"
	"github.com/orkestra-runtime/orkestra/controllers/informer"
	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/gate"
	"github.com/orkestra-runtime/orkestra/runtime/metrics"
	"github.com/orkestra-runtime/orkestra/runtime/queue"
)

// Watch is the source of the declared watches of one entry that select the same objects.
type Watch struct {
	*Observer
	Selection informer.Selection
	Objects   *informer.Informer
	// Late says that resources were reconciled before the objects were in memory: then those of the first list are news. Else they are
	// not, for the resources' own first list has every one of them reconciled.
	Late bool
}

var _ source.TypedSource[queue.Item] = (*Watch)(nil)

// Start hands the resources that a changed object concerns to the path until ctx ends.
func (w *Watch) Start(ctx context.Context, _ workqueue.TypedRateLimitingInterface[queue.Item]) error {
	return handle(ctx, w.Objects, w.handler())
}

// String names the source in logs.
func (w *Watch) String() string { return "watch " + w.Selection.String() }

func (w *Watch) handler() toolscache.ResourceEventHandler {
	watches := make([]watch, 0, 1)
	for _, one := range w.Path.Set.Observations(w.Selection) {
		watches = append(watches, watch{Observer: w.Observer, Observation: one, count: w.Metrics(metrics.SourceWatch, one.Watch.GroupKind().String())})
	}
	return tell(w.Late, func(change box.Changes, before, after *unstructured.Unstructured) {
		for i := range watches {
			watches[i].see(change, before, after)
		}
	})
}

// tell calls see for every change of an observed object: before is nil for one that came, after for one that went. The same version
// again is no change.
func tell(late bool, see func(change box.Changes, before, after *unstructured.Unstructured)) toolscache.ResourceEventHandler {
	return toolscache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(given any, initial bool) {
			if object, ok := informer.Object(given); ok && (late || !initial) {
				see(box.Created, nil, object)
			}
		},
		UpdateFunc: func(before, after any) {
			old, known := informer.Object(before)
			object, ok := informer.Object(after)
			if known && ok && old.GetResourceVersion() != object.GetResourceVersion() {
				see(box.Updated, old, object)
			}
		},
		DeleteFunc: func(given any) {
			if object, ok := informer.Object(given); ok {
				see(box.Deleted, object, nil)
			}
		},
	}
}

// watch is one declared watch.
type watch struct {
	*Observer
	box.Observation
	count metrics.Observation
}

func (w *watch) see(change box.Changes, before, after *unstructured.Unstructured) {
	object := after
	if object == nil {
		object = before
	}
	if w.Watch.Leaves(object) {
		return
	}
	if !w.Watch.On.Has(change) {
		w.count.Dropped.Inc()
		return
	}
	concerned := w.route(object)
	// An object that changed hands concerns the one who lost it, too.
	if change == box.Updated && carriesAnother(before, after) {
		found, _ := w.lead(before)
		concerned = union(concerned, found)
	}
	seen := &Observed{Gate: w.Watch.Gate, Sentinels: computed(w.Watch.Gate, change, before, after), Object: object}
	reached := false
	for _, resource := range concerned {
		if !w.of(w.Box, resource) || w.isResource(object, resource) {
			continue
		}
		reached = true
		offer := func() {
			w.count.Queued.Inc()
			w.Path.Offer(Occurrence{Resource: client.ObjectKeyFromObject(resource), Source: queue.SourceWatch, Observed: seen})
		}
		if change == box.Deleted {
			offer()
			continue
		}
		w.foreign(object, resource, offer)
	}
	if !reached {
		w.count.Unrouted.Inc()
	}
}

// route finds the resources that an object concerns. One that leads nowhere concerns all of them, unless the watch is an implicit one.
func (w *watch) route(object *unstructured.Unstructured) []*unstructured.Unstructured {
	found, decided := w.lead(object)
	if decided || w.Watch.Implicit {
		return found
	}
	return w.Resources.List()
}

// lead finds the resources that an object names: by keyFrom, else as its owners.
func (w *watch) lead(object *unstructured.Unstructured) (found []*unstructured.Unstructured, decided bool) {
	if found, decided = w.byKey(w.Watch.KeyFrom, object, "watched", object.Object); decided {
		return found, true
	}
	return w.owners(object)
}

// carriesAnother tells whether an update may have changed whom the object concerns.
func carriesAnother(before, after *unstructured.Unstructured) bool {
	return !maps.Equal(before.GetLabels(), after.GetLabels()) || !maps.Equal(before.GetAnnotations(), after.GetAnnotations()) ||
		!reflect.DeepEqual(before.GetOwnerReferences(), after.GetOwnerReferences())
}

// union adds those of more that are not in all.
func union(all, more []*unstructured.Unstructured) []*unstructured.Unstructured {
	for _, one := range more {
		known := false
		for _, other := range all {
			known = known || client.ObjectKeyFromObject(one) == client.ObjectKeyFromObject(other)
		}
		if !known {
			all = append(all, one)
		}
	}
	return all
}

// computed are the sentinels of an observed object for its gate. Only an update has them.
func computed(by *gate.Gate, change box.Changes, before, after *unstructured.Unstructured) map[string]bool {
	if by == nil || change != box.Updated {
		return nil
	}
	return sentinel.Compute(by.Sentinels, before, after)
}
