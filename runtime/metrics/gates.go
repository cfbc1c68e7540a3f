package metrics

import "github.com/prometheus/client_golang/prometheus"

// Gate names a gate in metrics.
type Gate string

// The gates.
const (
	// ObserveGate is that of a declared observation.
	ObserveGate   Gate = "observe"
	EnqueueGate   Gate = "enqueue"
	ReconcileGate Gate = "reconcile"
)

// The reasons for which an event is dropped before the gates.
const (
	DroppedByNamespace = "namespace"
	DroppedByThreshold = "threshold"
	DroppedByLimit     = "limit"
)

// gates holds the series of events on their way to a reconcile.
type gates struct{ decisions, dropped *prometheus.CounterVec }

func newGates() gates {
	return gates{
		decisions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "orkestra_gate_total", Help: "Decisions of gates, by gate (observe, enqueue or reconcile) and result: admitted or refused.",
		}, []string{"crd", "gate", "result"}),
		dropped: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "orkestra_queue_dropped_total", Help: "Events dropped before the queue, by reason: namespace, threshold or limit.",
		}, []string{"crd", "reason"}),
	}
}

// crdGates are the series of one entry.
type crdGates struct {
	admitted, refused map[Gate]prometheus.Counter
	dropped           map[string]prometheus.Counter
}

func (g gates) crd(name string) crdGates {
	c := crdGates{admitted: map[Gate]prometheus.Counter{}, refused: map[Gate]prometheus.Counter{}, dropped: map[string]prometheus.Counter{}}
	for _, gate := range []Gate{ObserveGate, EnqueueGate, ReconcileGate} {
		c.admitted[gate] = g.decisions.WithLabelValues(name, string(gate), "admitted")
		c.refused[gate] = g.decisions.WithLabelValues(name, string(gate), "refused")
	}
	for _, reason := range []string{DroppedByNamespace, DroppedByThreshold, DroppedByLimit} {
		c.dropped[reason] = g.dropped.WithLabelValues(name, reason)
	}
	return c
}

// Decided records the decision of a gate.
func (c *CRD) Decided(gate Gate, admitted bool) {
	if admitted {
		c.gates.admitted[gate].Inc()
		return
	}
	c.gates.refused[gate].Inc()
}

// Dropped records an event that was dropped before the gates, for one of the reasons.
func (c *CRD) Dropped(reason string) { c.gates.dropped[reason].Inc() }
