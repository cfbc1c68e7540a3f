package engine

import (
	"context"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/controllers/informer"
	"github.com/orkestra-runtime/orkestra/providers/external"
	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/cross"
	"github.com/orkestra-runtime/orkestra/runtime/observe"
	"github.com/orkestra-runtime/orkestra/runtime/queue"
)

// crossReader reads other resources for those of an entry.
type crossReader struct {
	*entry
	calls external.Caller
}

var _ cross.Reader = crossReader{}

// crossReader is nil for an entry that reads none.
func (e *entry) crossReader(calls external.Caller) cross.Reader {
	if !slices.ContainsFunc(e.set.Boxes(), func(b *box.Box) bool { return len(b.Cross) > 0 }) {
		return nil
	}
	return crossReader{e, calls}
}

// Read answers from memory, and has the resource looked at again when an answer may be another.
func (c crossReader) Read(by types.NamespacedName, queries []cross.Query) []cross.Result {
	c.engine.crossed.Set(cross.Asker{CRD: c.set.Name, NamespacedName: by}, queries) // before memory is read: what changes from now on is told
	results := make([]cross.Result, len(queries))
	for i := range queries {
		results[i] = c.engine.readAcross(&queries[i])
	}
	return results
}

// Forget has a resource be told of nothing any more.
func (c crossReader) Forget(by types.NamespacedName) {
	c.engine.crossed.Forget(cross.Asker{CRD: c.set.Name, NamespacedName: by})
}

// Ask asks another operator.
func (c crossReader) Ask(ctx context.Context, what *cross.Ask, fresh bool) map[string]any {
	if !fresh {
		return c.engine.remote.Known(what)
	}
	return c.engine.remote.Get(ctx, c.calls, what)
}

// crossEntry is the entry that is meant, nil when there is none. Of several that select by the same labels it is the first by name.
func (e *Engine) crossEntry(meant cross.Entry) *entry {
	e.mu.RLock()
	defer e.mu.RUnlock()
	if meant.Labels == "" {
		return e.entries[meant.Name]
	}
	var found *entry
	for _, one := range e.entries {
		if one.set.Watch.LabelSelector == meant.Labels && (found == nil || one.set.Name < found.set.Name) {
			found = one
		}
	}
	return found
}

// readAcross answers a query from the memory of the entry that is meant.
func (e *Engine) readAcross(query *cross.Query) cross.Result {
	one := e.crossEntry(query.Entry)
	switch {
	case one == nil:
		return cross.Result{}
	case !one.set.CrossAccess:
		return cross.Result{Hidden: true}
	}
	resources := one.readable()
	if resources == nil {
		return cross.Result{}
	}
	result := cross.Result{Resources: find(resources, query)}
	if query.Feedback && len(result.Resources) > 0 {
		feedback := one.feedback()
		result.Health, result.Metrics = feedback[box.HealthRoot], feedback[box.MetricsRoot]
	}
	return result
}

// readable are the resources of the entry that are in memory, for the resources of others, who are told of every change from now on. While the
// entry starts anew they are those that it had. Nil: there are none.
func (e *entry) readable() *informer.Informer {
	r := e.current()
	if r == nil {
		return e.former.Load()
	}
	r.watched.Do(func() {
		_, _, err := r.resources.Handle(e.tellAskers())
		if err == nil {
			err = r.resources.Index(crossIndex, crossValues)
		}
		if err != nil { // only for an informer that has ended
			e.engine.log.Error(err, "cross reads are not told of changes", "crd", e.set.Name)
		}
	})
	return r.resources
}

// crossIndex finds resources by a label.
const crossIndex = "orkestra.cross"

// crossValues are the labels, each with the namespace before it, and the namespace alone.
func crossValues(object *unstructured.Unstructured) []string {
	namespace := object.GetNamespace()
	carried := object.GetLabels()
	values := append(make([]string, 0, 1+len(carried)), crossValue(namespace, "", ""))
	for key, value := range carried {
		values = append(values, crossValue(namespace, key, value))
	}
	return values
}

func crossValue(namespace, key, value string) string {
	return strings.Join([]string{namespace, key, value}, "\x00")
}

// find looks the resources up that a query asks for. Those without a namespace are found from every one.
func find(resources *informer.Informer, query *cross.Query) []*unstructured.Unstructured {
	if query.Name != "" && query.Namespace != "" {
		for _, key := range []types.NamespacedName{{Namespace: query.Namespace, Name: query.Name}, {Name: query.Name}} {
			if object := resources.Get(key); query.Matches(object) {
				return []*unstructured.Unstructured{object}
			}
		}
		return nil
	}
	return query.Select(latest(resources, candidates(resources, query)))
}

// candidates are the resources that may be among those that a query asks for.
func candidates(resources *informer.Informer, query *cross.Query) []*unstructured.Unstructured {
	if query.Namespace == "" {
		return resources.List()
	}
	key := ""
	if len(query.Labels) > 0 {
		key = slices.Min(slices.Collect(maps.Keys(query.Labels)))
	}
	for _, namespace := range []string{query.Namespace, ""} {
		found, err := resources.ByIndex(crossIndex, crossValue(namespace, key, query.Labels[key]))
		if err != nil { // not there: the informer is one that has ended
			return resources.List()
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

// latest are the objects as a write of our own last showed them.
func latest(resources *informer.Informer, stored []*unstructured.Unstructured) iter.Seq[*unstructured.Unstructured] {
	return func(yield func(*unstructured.Unstructured) bool) {
		for _, one := range stored {
			if object := resources.Get(client.ObjectKeyFromObject(one)); object != nil && !yield(object) {
				return
			}
		}
	}
}

// tellAskers has the resources looked at again that read what changes. What is there at first is known to them: they read it.
func (e *entry) tellAskers() toolscache.ResourceEventHandler {
	names := e.set.CrossEntries()
	tell := func(before, after *unstructured.Unstructured) {
		for _, who := range e.engine.crossed.Concerned(before, after, names...) {
			e.engine.offerAsker(who, e, before, after)
		}
	}
	return toolscache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(given any, initial bool) {
			if object, ok := informer.Object(given); ok && !initial {
				tell(nil, object)
			}
		},
		UpdateFunc: func(before, after any) {
			old, known := informer.Object(before)
			object, ok := informer.Object(after)
			if known && ok && old.GetResourceVersion() != object.GetResourceVersion() && cross.Differs(old, object) {
				tell(old, object)
			}
		},
		DeleteFunc: func(given any) {
			if object, ok := informer.Object(given); ok {
				tell(object, nil)
			}
		},
	}
}

// offerAsker has a resource looked at again that reads what has changed. A resource that reads itself is told of it as everybody is.
func (e *Engine) offerAsker(who cross.Asker, of *entry, before, after *unstructured.Unstructured) {
	one := e.entry(who.CRD)
	if one == nil {
		return
	}
	if one == of {
		changed := after
		if changed == nil {
			changed = before
		}
		if changed != nil && client.ObjectKeyFromObject(changed) == who.NamespacedName {
			return
		}
	}
	r := one.current()
	switch {
	case r == nil || !r.led.Load():
	case r.resources.Get(who.NamespacedName) == nil:
		e.crossed.Forget(who)
	default:
		r.path.Offer(observe.Occurrence{Resource: who.NamespacedName, Source: queue.SourceWatch})
	}
}

// tellCrossed has those looked at again who read of an entry that came or went.
func (e *entry) tellCrossed() {
	for _, who := range e.engine.crossed.Of(e.set.CrossEntries()...) {
		e.engine.offerAsker(who, e, nil, nil)
	}
}

// crossRetry is how soon an entry looks again whether what it reads is in memory.
const crossRetry = 50 * time.Millisecond

// awaitsCrossed tells whether something that the entry reads is on its way into memory, for which it waits a moment before it starts. Else its
// first cycles would find nothing, and take away what is only there while something is found.
func (e *entry) awaitsCrossed() bool {
	if e.awaits.IsZero() {
		e.awaits = time.Now()
	}
	if time.Since(e.awaits) > observedTimeout {
		return false
	}
	return slices.ContainsFunc(e.set.Boxes(), func(b *box.Box) bool {
		return slices.ContainsFunc(b.Cross, func(one *box.Cross) bool {
			other := e.engine.crossEntry(one.Entry)
			return other != nil && other != e && other.readableSoon()
		})
	})
}

// readableSoon tells whether the resources of the entry are about to be in memory, for the first time.
func (e *entry) readableSoon() bool {
	return e.current() == nil && e.former.Load() == nil && !e.tried.Load() && e.set.CrossAccess
}

// crossMetrics are what the autoscaler of the entry reads of other CRDs: of those that are here, else what another operator says.
func (e *entry) crossMetrics(calls external.Caller) func(context.Context) map[string]any {
	reads := e.set.Autoscale.Cross
	if len(reads) == 0 {
		return nil
	}
	return func(ctx context.Context) map[string]any {
		values := make(map[string]any, len(reads))
		for _, read := range reads {
			metrics := unknownMetrics()
			other := e.engine.crossEntry(read.Entry)
			switch {
			case other != nil && !other.set.CrossAccess:
			case other != nil && other.current() != nil:
				maps.Copy(metrics, other.sample().Values())
			case read.Ask != nil:
				told, _ := e.engine.remote.Get(ctx, calls, read.Ask)[box.MetricsRoot].(map[string]any)
				maps.Copy(metrics, told)
			}
			values[read.Name] = map[string]any{box.MetricsRoot: metrics}
		}
		return values
	}
}

// unknownMetrics are no numbers: else what is not known would be 0, and less than anything.
func unknownMetrics() map[string]any {
	unknown := map[string]any{}
	for name := range roots.Metrics().Properties {
		unknown[name] = "unknown"
	}
	return unknown
}

// withCrossAccess is a declared CRD with what its Katalog says of crossAccess.
func withCrossAccess(katalog *orkv1.Katalog, declared *orkv1.CRD) orkv1.CRD {
	crd := *declared.DeepCopy()
	if crd.CrossAccess == nil {
		crd.CrossAccess = katalog.CrossAccess
	}
	return crd
}
