package metrics

import (
	"maps"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// now collects what is counted only when somebody asks: how much there is at the moment.
type now struct {
	resources, depth *prometheus.Desc

	mu     sync.Mutex // guards the rest
	counts map[string]func() (resources, depth int)
	// holders is how many engines of the process have an entry of the name.
	holders map[string]int
}

func newNow() *now {
	return &now{
		resources: prometheus.NewDesc("controller_resource_count", "Resources in memory.", []string{"crd"}, nil),
		depth:     prometheus.NewDesc("controller_queue_depth", "Resources that wait for a worker.", []string{"crd"}, nil),
		counts:    map[string]func() (resources, depth int){},
		holders:   map[string]int{},
	}
}

// none counts for an entry that does not run.
func none() (resources, depth int) { return 0, 0 }

// Track names the function that counts the entry's resources in memory and in its queue. Nil: there are none.
func (c *CRD) Track(count func() (resources, depth int)) {
	if count == nil {
		count = none
	}
	c.now.mu.Lock()
	defer c.now.mu.Unlock()
	if c.now.holders[c.name] > 0 {
		c.now.counts[c.name] = count
	}
}

// knownLocked makes the series of an entry, unless another engine of the process has made them.
func (n *now) knownLocked(crd string) {
	n.holders[crd]++
	if _, ok := n.counts[crd]; !ok {
		n.counts[crd] = none
	}
}

// forgetLocked tells whether nobody has an entry of the name any more.
func (n *now) forgetLocked(crd string) (last bool) {
	if n.holders[crd]--; n.holders[crd] > 0 {
		return false
	}
	delete(n.holders, crd)
	delete(n.counts, crd)
	return true
}

// Describe implements prometheus.Collector.
func (n *now) Describe(descriptions chan<- *prometheus.Desc) {
	descriptions <- n.resources
	descriptions <- n.depth
}

// Collect implements prometheus.Collector.
func (n *now) Collect(series chan<- prometheus.Metric) {
	n.mu.Lock()
	counts := maps.Clone(n.counts)
	n.mu.Unlock()
	for crd, count := range counts {
		resources, depth := count()
		series <- prometheus.MustNewConstMetric(n.resources, prometheus.GaugeValue, float64(resources), crd)
		series <- prometheus.MustNewConstMetric(n.depth, prometheus.GaugeValue, float64(depth), crd)
	}
}
