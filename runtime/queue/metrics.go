package queue

import (
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
)

// samplePeriod is how often the age of unfinished work is reported while there is any.
const samplePeriod = 500 * time.Millisecond

// ControllerRuntimeMetrics returns the provider of controller-runtime's own workqueue metrics (workqueue_depth and so on, in
// its registry), so that queues of this package appear beside all others. Our depth has no value for the priority label.
func ControllerRuntimeMetrics() workqueue.MetricsProvider {
	// The provider's package is internal, but a queue that is made without one fills its options with it. Without a name that
	// queue has no series of its own.
	var defaults *priorityqueue.Opts[Item]
	priorityqueue.New("", func(o *priorityqueue.Opts[Item]) { defaults = o }).ShutDown()
	return defaults.MetricProvider
}

// metrics reports on one queue. The queue's mutex guards it: what a provider makes are counters, which neither block nor call back.
// A nil *metrics reports nothing.
type metrics struct {
	depth        workqueue.GaugeMetric
	adds         workqueue.CounterMetric
	latency      workqueue.HistogramMetric
	workDuration workqueue.HistogramMetric
	unfinished   workqueue.SettableGaugeMetric
	longest      workqueue.SettableGaugeMetric
	retries      workqueue.CounterMetric

	// reported is the value of depth, which can only be counted up and down.
	reported int
	// started holds when each item that is with a worker was handed out.
	started map[Item]time.Time
	// sampler runs while started holds something.
	sampler *time.Timer
}

func newMetrics(name string, provider workqueue.MetricsProvider) *metrics {
	if provider == nil {
		return nil
	}
	return &metrics{
		depth:        provider.NewDepthMetric(name),
		adds:         provider.NewAddsMetric(name),
		latency:      provider.NewLatencyMetric(name),
		workDuration: provider.NewWorkDurationMetric(name),
		unfinished:   provider.NewUnfinishedWorkSecondsMetric(name),
		longest:      provider.NewLongestRunningProcessorSecondsMetric(name),
		retries:      provider.NewRetriesMetric(name),
		started:      map[Item]time.Time{},
	}
}

// retry counts an add with a delay.
func (m *metrics) retry() {
	if m != nil {
		m.retries.Inc()
	}
}

// becameReady counts the items of a mailbox that were not ready before. Those are the last ones: items arrive at the end, and a
// mailbox is ready or delayed as a whole.
func (m *metrics) becameReady(box *mailbox) {
	if m == nil {
		return
	}
	now := time.Now()
	for i := len(box.waiting) - 1; i >= 0 && box.waiting[i].readySince.IsZero(); i-- {
		box.waiting[i].readySince = now
		m.adds.Inc()
	}
}

// setDepth reports how many items are ready.
func (m *metrics) setDepth(ready int) {
	if m == nil {
		return
	}
	for ; m.reported < ready; m.reported++ {
		m.depth.Inc()
	}
	for ; m.reported > ready; m.reported-- {
		m.depth.Dec()
	}
}

// took reports an item that q handed out.
func (m *metrics) took(q *Queue, e *entry) {
	if m == nil {
		return
	}
	now := time.Now()
	m.latency.Observe(now.Sub(e.readySince).Seconds())
	m.started[e.item] = now
	m.setDepth(q.ready)
	switch {
	case m.sampler == nil:
		m.sampler = time.AfterFunc(samplePeriod, q.sampleUnfinished)
	case len(m.started) == 1:
		m.sampler.Reset(samplePeriod)
	}
}

// done reports an item that its worker has finished.
func (m *metrics) done(item Item) {
	if m == nil {
		return
	}
	m.workDuration.Observe(time.Since(m.started[item]).Seconds())
	delete(m.started, item)
	if len(m.started) == 0 {
		m.sampler.Stop()
		m.sample()
	}
}

// sample reports the age of unfinished work.
func (m *metrics) sample() {
	var total, longest time.Duration
	now := time.Now()
	for _, start := range m.started {
		total += now.Sub(start)
		longest = max(longest, now.Sub(start))
	}
	m.unfinished.Set(total.Seconds())
	m.longest.Set(longest.Seconds())
}

// sampleUnfinished samples and comes back while there is something to sample.
func (q *Queue) sampleUnfinished() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.metrics.sample()
	if len(q.metrics.started) > 0 {
		q.metrics.sampler.Reset(samplePeriod)
	}
}
