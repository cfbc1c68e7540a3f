package observe

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/orkestra-runtime/orkestra/controllers/informer"
	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/metrics"
	"github.com/orkestra-runtime/orkestra/runtime/queue"
)

// Events is the source of the Kubernetes Events that an entry observes.
type Events struct {
	*Observer
	Objects *informer.Informer
	// Late is as for a Watch.
	Late bool
}

var _ source.TypedSource[queue.Item] = (*Events)(nil)

// Start hands the resources that an Event concerns to the path until ctx ends.
func (e *Events) Start(ctx context.Context, _ workqueue.TypedRateLimitingInterface[queue.Item]) error {
	return handle(ctx, e.Objects, e.handler())
}

// String names the source in logs.
func (e *Events) String() string { return "events" }

func (e *Events) handler() toolscache.ResourceEventHandler {
	observations := e.Path.Set.EventObservations()
	watches := make([]*eventWatch, 0, len(observations))
	for _, one := range observations {
		watches = append(watches, &eventWatch{
			Observer: e.Observer, EventObservation: one, count: e.Metrics(metrics.SourceEvent, one.Watch.Name),
			wanted: map[types.NamespacedName]remembered{},
		})
	}
	return tell(e.Late, func(change box.Changes, before, after *unstructured.Unstructured) {
		event := after
		if event == nil {
			event = before
		}
		for _, one := range watches {
			if one.matches(event) {
				one.see(change, before, after, event)
			}
		}
	})
}

// eventWatch is one declaration. One goroutine calls its methods.
type eventWatch struct {
	*Observer
	box.EventObservation
	count metrics.Observation
	// wanted is what the selectors of each resource were rendered to.
	wanted map[types.NamespacedName]remembered
}

// remembered is what a version of a resource wants.
type remembered struct {
	version            string
	regarding, related box.Wanted
	nothing            bool
}

// matches compares all that is the same for every resource.
func (e *eventWatch) matches(event *unstructured.Unstructured) bool {
	for key, want := range e.Watch.Texts {
		if text, _ := event.Object[key].(string); text != want {
			return false
		}
	}
	return (e.Watch.Namespace == "" || e.Watch.Namespace == event.GetNamespace()) &&
		(e.Watch.EventName == "" || e.Watch.EventName == event.GetName()) &&
		e.Watch.Regarding.MatchesKind(reference(event, "regarding")) &&
		e.Watch.Related.MatchesKind(reference(event, "related")) &&
		(e.Watch.PerResource() || e.wantedBy(nil, event))
}

// wantedBy compares what is rendered for each resource. A nil resource is any, for selectors that are the same for all.
func (e *eventWatch) wantedBy(resource, event *unstructured.Unstructured) bool {
	want := e.rendered(resource)
	return !want.nothing && want.regarding.Matches(reference(event, "regarding")) && want.related.Matches(reference(event, "related"))
}

// rendered renders the selectors, once for each version of a resource.
func (e *eventWatch) rendered(resource *unstructured.Unstructured) remembered {
	var key types.NamespacedName
	want := remembered{version: "none"}
	if resource != nil {
		key, want.version = client.ObjectKeyFromObject(resource), resource.GetResourceVersion()
	}
	if known, ok := e.wanted[key]; ok && known.version == want.version && e.Watch.Steady() {
		return known
	}
	if resource == nil {
		resource = &unstructured.Unstructured{Object: map[string]any{}}
	}
	facts := e.facts(resource)
	var wrong, alsoWrong error
	want.regarding, wrong = e.Watch.Regarding.Render(facts)
	want.related, alsoWrong = e.Watch.Related.Render(facts)
	want.nothing = wrong != nil || alsoWrong != nil
	if len(e.wanted) > rememberedAtMost {
		clear(e.wanted) // most are of resources that are gone, or this costs a new rendering
	}
	e.wanted[key] = want
	return want
}

// rememberedAtMost bounds what is remembered of resources.
const rememberedAtMost = 100_000

func (e *eventWatch) see(change box.Changes, before, after, event *unstructured.Unstructured) {
	if !e.Watch.On.Has(change) {
		e.count.Dropped.Inc()
		return
	}
	content := map[string]any{e.Watch.Name: eventContext(event)}
	seen := &Observed{Gate: e.Watch.Gate, Sentinels: computed(e.Watch.Gate, change, before, after), Event: content}
	reached := false
	for _, resource := range e.route(event, content) {
		switch {
		case !e.of(e.Box, resource), e.Watch.PerResource() && !e.wantedBy(resource, event):
		case e.ownOf(resource, event):
			e.count.Dropped.Inc()
			reached = true
		default:
			e.count.Queued.Inc()
			e.Path.Offer(Occurrence{Resource: client.ObjectKeyFromObject(resource), Source: queue.SourceEvent, Observed: seen})
			reached = true
		}
	}
	if !reached {
		e.count.Unrouted.Inc()
	}
}

// route finds the resources that an Event may concern: the first of these that says something decides. A selector that is rendered for
// each resource is asked afterwards.
func (e *eventWatch) route(event *unstructured.Unstructured, content map[string]any) []*unstructured.Unstructured {
	if found, decided := e.byKey(e.Watch.KeyFrom, event, "events", content); decided {
		return found
	}
	if e.Watch.PerResource() {
		return e.Resources.List()
	}
	regarding := reference(event, "regarding")
	kind, name := referred(regarding)
	if kind == e.Path.Set.GVK.GroupKind() {
		return e.resource(name.Namespace, name.Name)
	}
	if e.Find != nil && name.Name != "" {
		if object := e.Find(kind, name); object != nil {
			if found, decided := e.owners(object); decided {
				return found
			}
		}
	}
	return e.Resources.List()
}

// Reporter is the name under which the operator sends Events.
const Reporter = "orkestra"

// ownOf tells whether the operator sent the Event about the resource itself: it would answer itself. Who asks for the operator's Events by
// name is told of them.
func (e *eventWatch) ownOf(resource, event *unstructured.Unstructured) bool {
	if _, asked := e.Watch.Texts["reportingController"]; asked || event.Object["reportingController"] != Reporter {
		return false
	}
	kind, name := referred(reference(event, "regarding"))
	return kind == e.Path.Set.GVK.GroupKind() && name.Name == resource.GetName() &&
		(resource.GetNamespace() == "" || name.Namespace == resource.GetNamespace())
}

// reference reads an object reference of an Event. It is nil where there is none.
func reference(event *unstructured.Unstructured, key string) map[string]any {
	found, _ := event.Object[key].(map[string]any)
	return found
}

// referred tells which object a reference names.
func referred(reference map[string]any) (schema.GroupKind, types.NamespacedName) {
	text := func(key string) string { value, _ := reference[key].(string); return value }
	group := ""
	if before, _, grouped := strings.Cut(text("apiVersion"), "/"); grouped {
		group = before
	}
	return schema.GroupKind{Group: group, Kind: text("kind")}, types.NamespacedName{Namespace: text("namespace"), Name: text("name")}
}

// eventContext is what conditions see of an Event.
func eventContext(event *unstructured.Unstructured) map[string]any {
	content := map[string]any{
		"name": event.GetName(), "namespace": event.GetNamespace(),
		"eventTime": firstOf(event.Object, "eventTime", "deprecatedLastTimestamp"),
	}
	for _, key := range []string{"reason", "action", "type", "reportingController", "reportingInstance", "note"} {
		content[key], _ = event.Object[key].(string)
	}
	for _, key := range []string{"regarding", "related"} {
		object := map[string]any{}
		for _, part := range []string{"apiVersion", "kind", "name", "namespace", "uid"} {
			object[part], _ = reference(event, key)[part].(string)
		}
		content[key] = object
	}
	var count any = int64(1)
	if series := reference(event, "series"); series != nil {
		count = series["count"]
		content["series"] = map[string]any{"count": count}
	} else if times := event.Object["deprecatedCount"]; times != nil {
		count = times
	}
	content["count"] = count
	return content
}

// firstOf returns the first text that is there.
func firstOf(object map[string]any, keys ...string) string {
	for _, key := range keys {
		if text, _ := object[key].(string); text != "" {
			return text
		}
	}
	return ""
}
