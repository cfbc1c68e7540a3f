package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// provided holds the series of providers. The labels provider and kind are words of the Katalog.
type provided struct {
	reconciles, deletes *prometheus.CounterVec
	duration            *prometheus.HistogramVec
}

func newProvided() provided {
	return provided{
		reconciles: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "orkestra_provider_reconcile_total", Help: "Calls that asked a provider for declarations of a kind, by result: success or error.",
		}, []string{"crd", "provider", "kind", "result"}),
		deletes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "orkestra_provider_delete_total", Help: "Calls that had a provider delete declarations of a kind, by result: success or error.",
		}, []string{"crd", "provider", "kind", "result"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "orkestra_provider_reconcile_duration_seconds", Help: "Duration of a call that asked a provider for declarations of a kind, and maybe of others.",
			Buckets: prometheus.ExponentialBuckets(0.001, 2, 17),
		}, []string{"crd", "provider", "kind"}),
	}
}

// Asked records a call of a provider as far as it is about one kind of declaration.
func (c *CRD) Asked(provider, kind string, deletes bool, took time.Duration, failed bool) {
	series, result := c.recorder.provided, "success"
	if failed {
		result = "error"
	}
	if deletes {
		series.deletes.WithLabelValues(c.name, provider, kind, result).Inc()
		return
	}
	series.reconciles.WithLabelValues(c.name, provider, kind, result).Inc()
	series.duration.WithLabelValues(c.name, provider, kind).Observe(took.Seconds())
}
