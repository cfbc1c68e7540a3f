package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// calls holds the series of external calls. The label url is the host as the Katalog spells it, never more of a URL, nor anything that a
// resource tells.
type calls struct {
	total, failures *prometheus.CounterVec
	duration        *prometheus.HistogramVec
}

func newCalls() calls {
	return calls{
		total: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "orkestra_external_calls_total", Help: "Tries of external calls by result: success or error.",
		}, []string{"crd", "name", "url", "result"}),
		failures: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "orkestra_external_call_errors_total",
			Help: "Failed tries of external calls, by error_type: network, http_<status>, address, credential or request.",
		}, []string{"crd", "name", "url", "error_type"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "orkestra_external_call_duration_seconds", Help: "Duration of one try of an external call.",
			Buckets: prometheus.ExponentialBuckets(0.001, 2, 15),
		}, []string{"crd", "name", "url"}),
	}
}

// Called records one try of an external call. The failure is empty after a success.
func (c *CRD) Called(name, site string, took time.Duration, failure string) {
	series, result := c.recorder.calls, "success"
	if failure != "" {
		result = "error"
		series.failures.WithLabelValues(c.name, name, site, failure).Inc()
	}
	series.total.WithLabelValues(c.name, name, site, result).Inc()
	series.duration.WithLabelValues(c.name, name, site).Observe(took.Seconds())
}
