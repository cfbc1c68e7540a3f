package metrics

import "github.com/prometheus/client_golang/prometheus"

// The sources of an Observation.
const (
	SourceWatch = "watch"
	SourceEvent = "event"
)

func newObserved() *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "orkestra_observe_events_total",
		Help: "Changes of observed objects, by result: queued for each resource that was offered, dropped where the declaration leaves the change out, unrouted where it leads to no resource.",
	}, []string{"crd", "source", "name", "result"})
}

// Observation counts what one declared observation sees.
type Observation struct {
	Queued, Dropped, Unrouted prometheus.Counter
}

// Observed returns the series of a declared observation: its source, and the kind of a watch or the name of an event. They exist from here
// on with the value 0.
func (c *CRD) Observed(source, name string) Observation {
	with := func(result string) prometheus.Counter {
		return c.all.observed.WithLabelValues(c.name, source, name, result)
	}
	return Observation{Queued: with("queued"), Dropped: with("dropped"), Unrouted: with("unrouted")}
}

// ForgetObserved removes the series of all observations of the entry.
func (c *CRD) ForgetObserved() { c.all.observed.DeletePartialMatch(prometheus.Labels{"crd": c.name}) }
