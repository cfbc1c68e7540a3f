package metrics

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// scaling collects what autoscalers do. Entries without one have no series.
type scaling struct {
	active, workers, overrides, restores *prometheus.Desc

	mu   sync.Mutex // guards crds and what is in it
	crds map[string]*scaled
}

// scaled is one entry with an autoscaler.
type scaled struct {
	// holders is how many engines of the process have it.
	holders                              int
	active, workers, overrides, restores float64
}

func newScaling() *scaling {
	describe := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc("orkestra_autoscale_"+name, help, []string{"crd"}, nil)
	}
	return &scaling{
		active:    describe("override_active", "1 while the autoscaler overrides, else 0."),
		workers:   describe("workers_current", "Workers that the autoscaler allows."),
		overrides: describe("overrides_total", "Overrides that the autoscaler began."),
		restores:  describe("restores_total", "Overrides that the autoscaler ended."),
		crds:      map[string]*scaled{},
	}
}

// Describe implements prometheus.Collector.
func (s *scaling) Describe(descriptions chan<- *prometheus.Desc) {
	for _, one := range []*prometheus.Desc{s.active, s.workers, s.overrides, s.restores} {
		descriptions <- one
	}
}

// Collect implements prometheus.Collector.
func (s *scaling) Collect(series chan<- prometheus.Metric) {
	s.mu.Lock()
	now := make(map[string]scaled, len(s.crds))
	for name, one := range s.crds {
		now[name] = *one
	}
	s.mu.Unlock()
	for name, one := range now {
		series <- prometheus.MustNewConstMetric(s.active, prometheus.GaugeValue, one.active, name)
		series <- prometheus.MustNewConstMetric(s.workers, prometheus.GaugeValue, one.workers, name)
		series <- prometheus.MustNewConstMetric(s.overrides, prometheus.CounterValue, one.overrides, name)
		series <- prometheus.MustNewConstMetric(s.restores, prometheus.CounterValue, one.restores, name)
	}
}

// Autoscaled makes the series of the entry's autoscaler, which end with Remove. Workers is how many there are without an override. It
// is called once.
func (c *CRD) Autoscaled(workers int) {
	s := c.recorder.scaling
	s.mu.Lock()
	defer s.mu.Unlock()
	c.scales = true
	if s.crds[c.name] == nil {
		s.crds[c.name] = &scaled{workers: float64(workers)}
	}
	s.crds[c.name].holders++
}

// Scaling notes how many workers there are when the entry's autoscaler begins, which is without an override.
func (c *CRD) Scaling(workers int) {
	s := c.recorder.scaling
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.crds[c.name]; one != nil {
		one.active, one.workers = 0, float64(workers)
	}
}

// unscaled ends the series of the entry's autoscaler, unless another engine of the process has the entry as well.
func (c *CRD) unscaled() {
	s := c.recorder.scaling
	s.mu.Lock()
	defer s.mu.Unlock()
	if !c.scales {
		return
	}
	c.scales = false
	if s.crds[c.name].holders--; s.crds[c.name].holders == 0 {
		delete(s.crds, c.name)
	}
}

// Overridden records an override, and how many workers there are from then on.
func (c *CRD) Overridden(workers int) {
	c.rescaled(func(s *scaled) { s.active, s.workers, s.overrides = 1, float64(workers), s.overrides+1 })
}

// Restored records the end of an override, and how many workers there are from then on.
func (c *CRD) Restored(workers int) {
	c.rescaled(func(s *scaled) { s.active, s.workers, s.restores = 0, float64(workers), s.restores+1 })
}

func (c *CRD) rescaled(change func(*scaled)) {
	s := c.recorder.scaling
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.scales {
		change(s.crds[c.name])
	}
}
