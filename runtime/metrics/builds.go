package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// builds holds the series of images that are built.
type builds struct {
	total    *prometheus.CounterVec
	duration *prometheus.HistogramVec
	running  *prometheus.GaugeVec
}

func newBuilds() builds {
	return builds{
		total: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "orkestra_docker_build_total", Help: "Builds of images by result: success, error or canceled.",
		}, []string{"crd", "result"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "orkestra_docker_build_duration_seconds", Help: "Duration of a build of an image, the push included.",
			Buckets: prometheus.ExponentialBuckets(0.1, 2, 14),
		}, []string{"crd"}),
		running: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "orkestra_docker_builds_running", Help: "Images that are being built.",
		}, []string{"crd"}),
	}
}

// BuildBegan records that an image is being built.
func (c *CRD) BuildBegan() { c.recorder.builds.running.WithLabelValues(c.name).Inc() }

// BuildEnded records the end of a build.
func (c *CRD) BuildEnded(took time.Duration, result string) {
	series := c.recorder.builds
	series.running.WithLabelValues(c.name).Dec()
	series.total.WithLabelValues(c.name, result).Inc()
	series.duration.WithLabelValues(c.name).Observe(took.Seconds())
}
