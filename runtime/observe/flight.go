package observe

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/orkestra-runtime/orkestra/conditions/sentinel"
	"github.com/orkestra-runtime/orkestra/runtime/flight"
	"github.com/orkestra-runtime/orkestra/runtime/queue"
)

// seen notes an event that was queued.
func (p *Path) seen(o *Occurrence, item queue.Item, sentinels map[string]bool) {
	p.Flight.Record(o.Resource, flight.Record{Kind: flight.Seen, Message: o.text(), EventID: item.EventID, Sentinels: heard(sentinels)})
}

// refused notes an event that was not.
func (p *Path) refused(o *Occurrence, why string, sentinels map[string]bool) {
	p.Flight.Record(o.Resource, flight.Record{Kind: flight.Dropped, Message: o.text() + ": " + why, Sentinels: heard(sentinels)})
}

// text says what happened, for people.
func (o *Occurrence) text() string {
	switch {
	case o.Child != nil:
		return "child " + nameOf(o.Child)
	case o.Observed != nil && o.Observed.Object != nil:
		return "watch " + nameOf(o.Observed.Object)
	case o.Observed != nil:
		for name := range o.Observed.Event {
			return "event " + name
		}
	case o.Source == queue.SourcePrimary && o.Before == nil && o.After != nil:
		return "created"
	case o.Source == queue.SourcePrimary && o.After == nil && o.Before != nil:
		return "gone"
	case o.Source == queue.SourcePrimary && o.Before != nil && !leaving(o.Before) && leaving(o.After):
		return "deletion"
	case o.Source == queue.SourcePrimary:
		return "changed"
	}
	return o.Source.String()
}

func nameOf(object *unstructured.Unstructured) string {
	return object.GetKind() + " " + object.GetName()
}

// inOrder are all sentinels by their names, sorted once and not with each event.
var inOrder = slices.Sorted(slices.Values(sentinel.Names()))

// heard are the names of the sentinels that are true, in order.
func heard(sentinels map[string]bool) []string {
	var names []string
	for _, name := range inOrder {
		if sentinels[string(name)] {
			names = append(names, string(name))
		}
	}
	return names
}
