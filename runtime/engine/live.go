package engine

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/flight"
	"github.com/orkestra-runtime/orkestra/runtime/health"
	"github.com/orkestra-runtime/orkestra/runtime/live"
)

// Handler is the live API of the engine. It answers at every path, so that it can be put beside /metrics:
//
//	mgr.AddMetricsServerExtraHandler("/", engine.Handler(live.Options{}))
//
// Without a Gatherer it queries controller-runtime's registry, which has the engine's series.
func (e *Engine) Handler(opts live.Options) http.Handler {
	if opts.Gatherer == nil {
		opts.Gatherer = ctrlmetrics.Registry
	}
	if opts.Now == nil {
		opts.Now = e.opts.Now
	}
	return live.New(face{e}, opts)
}

// face is what the live API sees of an engine.
type face struct{ engine *Engine }

var _ live.Source = face{}

// Runtime tells who answers.
func (f face) Runtime() live.Runtime {
	e := f.engine
	e.mu.RLock()
	defer e.mu.RUnlock()
	return live.Runtime{
		Started: e.presence.started.Load(), Stopping: e.presence.stopping.Load(), Leads: e.leads.Load(),
		Katalogs: e.katalogs,
	}
}

// CRDs are the entries.
func (f face) CRDs() []live.CRD {
	entries := f.engine.all()
	list := make([]live.CRD, 0, len(entries))
	for _, one := range entries {
		list = append(list, one.live())
	}
	return list
}

func (e *entry) live() live.CRD {
	crd := live.CRD{
		Name: e.set.Name, Katalog: e.engine.katalogOf(e), Declared: &e.declared.crd, GVK: e.set.GVK,
		Health: e.engine.healthOf(e), Sample: e.sample(),
		Capacity: told(e.capacity()), Dependencies: e.engine.dependencies(e),
	}
	if r := e.current(); r != nil {
		crd.Resource, crd.Resources = r.definition.GroupVersionResource, r.resources.Len()
	} else if e.set.Plural != "" {
		crd.Resource = e.set.GVK.GroupVersion().WithResource(e.set.Plural)
	}
	return crd
}

// dependencies are what an entry depends on, in the order of their names.
func (e *Engine) dependencies(one *entry) []live.Dependency {
	all := make([]live.Dependency, 0, len(one.set.DependsOn))
	for _, name := range slices.Sorted(maps.Keys(one.set.DependsOn)) {
		told := live.Dependency{Name: name, State: health.NotStarted, Acceptable: cmp.Or(one.set.DependsOn[name].Condition, orkv1.DependencyStarted)}
		if other := e.entry(name); other != nil {
			told.State, told.Reached = other.health.Snapshot().State, other.reached()
			told.Satisfied = told.Reached == orkv1.DependencyHealthy || told.Reached == told.Acceptable
		}
		all = append(all, told)
	}
	return all
}

// told is a capacity in the words of the live API, which knows no boxes.
func told(of box.Capacity) live.Capacity {
	return live.Capacity{
		Workers:  live.Setting[int]{Value: of.Workers.Value, From: string(of.Workers.From)},
		MaxDepth: live.Setting[int]{Value: of.MaxDepth.Value, From: string(of.MaxDepth.From)},
		Resync:   live.Setting[time.Duration]{Value: of.Resync.Value, From: string(of.Resync.From)},
	}
}

// katalogOf is the Katalog that declares an entry.
func (e *Engine) katalogOf(one *entry) *orkv1.Katalog {
	e.mu.RLock()
	defer e.mu.RUnlock()
	for _, katalog := range e.katalogs {
		if katalog.Name == one.set.Katalog {
			return katalog
		}
	}
	return one.declared.alone(one.set.Name)
}

// Resources are those of an entry that are in memory.
func (f face) Resources(crd string) []live.Resource {
	one := f.engine.entry(crd)
	if one == nil {
		return nil
	}
	r := one.current()
	if r == nil {
		return nil
	}
	var list []live.Resource
	for _, object := range r.objects() {
		ready, _, _ := one.readiness(r, object)
		list = append(list, live.Resource{Object: object, Ready: ready})
	}
	return list
}

// Flight are the records of one resource.
func (f face) Flight(crd string, name types.NamespacedName) []flight.Record {
	return f.engine.flight.Of(crd).Records(name)
}

// Children are those of one resource.
func (f face) Children(crd string, name types.NamespacedName) []*unstructured.Unstructured {
	one := f.engine.entry(crd)
	if one == nil {
		return nil
	}
	r := one.current()
	if r == nil {
		return nil
	}
	object := r.resources.Get(name)
	if object == nil {
		return nil
	}
	return one.children(r, object)
}

// eventsTimeout bounds how long somebody waits for the API server, and eventsRead how many Events are read.
const (
	eventsTimeout = 5 * time.Second
	eventsRead    = 500
)

// Events asks for the Events about an object. They are not kept in memory: few ask, and there are many.
func (f face) Events(ctx context.Context, object *unstructured.Unstructured) ([]live.Event, error) {
	ctx, cancel := context.WithTimeout(ctx, eventsTimeout)
	defer cancel()
	list, err := f.engine.client.Resource(eventsv1.SchemeGroupVersion.WithResource("events")).
		Namespace(cmp.Or(object.GetNamespace(), metav1.NamespaceDefault)).
		List(ctx, metav1.ListOptions{Limit: eventsRead, FieldSelector: fields.Set{
			"regarding.kind": object.GetKind(), "regarding.name": object.GetName(), "regarding.uid": string(object.GetUID()),
		}.String()})
	if err != nil {
		return nil, fmt.Errorf("list the Events of %s %s: %w", object.GetKind(), object.GetName(), err)
	}
	found := make([]live.Event, 0, len(list.Items))
	for i := range list.Items {
		var event eventsv1.Event
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(list.Items[i].Object, &event); err != nil {
			return nil, fmt.Errorf("read an Event: %w", err)
		}
		found = append(found, live.Event{Type: event.Type, Reason: event.Reason, Message: event.Note, Last: lastOf(&event)})
	}
	return found, nil
}

// lastOf is when an Event happened, the last time where it happened more than once.
func lastOf(event *eventsv1.Event) time.Time {
	switch {
	case event.Series != nil && !event.Series.LastObservedTime.IsZero():
		return event.Series.LastObservedTime.Time
	case !event.EventTime.IsZero():
		return event.EventTime.Time
	case !event.DeprecatedLastTimestamp.IsZero():
		return event.DeprecatedLastTimestamp.Time
	default:
		return event.CreationTimestamp.Time
	}
}
