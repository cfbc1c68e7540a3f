package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// fetches holds the series of repositories.
type fetches struct {
	total    *prometheus.CounterVec
	duration *prometheus.HistogramVec
}

func newFetches() fetches {
	return fetches{
		total: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "orkestra_git_fetch_total", Help: "Looks at repositories by result: changed, unchanged or error.",
		}, []string{"crd", "result"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "orkestra_git_fetch_duration_seconds", Help: "Duration of one look at a repository, with what is transferred.",
			Buckets: prometheus.ExponentialBuckets(0.005, 2, 15),
		}, []string{"crd"}),
	}
}

// The results of a look at a repository.
const (
	FetchChanged   = "changed"
	FetchUnchanged = "unchanged"
	FetchError     = "error"
)

// Fetched records one look at a repository.
func (c *CRD) Fetched(result string, took time.Duration) {
	c.recorder.fetches.total.WithLabelValues(c.name, result).Inc()
	c.recorder.fetches.duration.WithLabelValues(c.name).Observe(took.Seconds())
}
