package metrics

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/orkestra-runtime/orkestra/internal/series"
)

// Recorder holds the series of all CRDs.
type Recorder struct {
	reconciles        *prometheus.CounterVec
	duration          *prometheus.HistogramVec
	now               *now
	active            *prometheus.GaugeVec
	activations       *prometheus.CounterVec
	activationLatency *prometheus.HistogramVec
	panics            *prometheus.CounterVec
	children          *prometheus.CounterVec
	rollbacks         *prometheus.CounterVec
	gates             gates
	observed          *prometheus.CounterVec
	validations       *prometheus.CounterVec
	rejections        *prometheus.CounterVec
	scaling           *scaling
	calls             calls
	provided          provided
	fetches           fetches
	builds            builds
}

// New makes the series and registers them. Series that are registered already, by another engine of the process, are shared.
func New(registerer prometheus.Registerer) (*Recorder, error) {
	r := &Recorder{
		reconciles: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "controller_reconcile_total", Help: "Cycles by result: success or error.",
		}, []string{"crd", "result"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "controller_reconcile_duration_seconds", Help: "Duration of one cycle.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 2, 16),
		}, []string{"crd"}),
		now: newNow(), scaling: newScaling(), calls: newCalls(), provided: newProvided(), fetches: newFetches(), builds: newBuilds(),
		active: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "controller_workers_active", Help: "Workers in a cycle.",
		}, []string{"crd"}),
		activations: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "controller_crd_activation_total", Help: "Starts of a CRD's controller by result: success or error.",
		}, []string{"crd", "result"}),
		activationLatency: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "controller_crd_activation_latency_seconds", Help: "Time from the decision to start to running workers.",
			Buckets: prometheus.ExponentialBuckets(0.01, 2, 12),
		}, []string{"crd"}),
		panics: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "orkestra_panics_total", Help: "Cycles that ended in a panic, which was contained.",
		}, []string{"crd"}),
		children: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "orkestra_apply_changes_total", Help: "Children written, by action: created, configured, adopted or pruned.",
		}, []string{"crd", "action"}),
		rollbacks: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "orkestra_rollback_total", Help: "Resources that went back to the spec that succeeded last.",
		}, []string{"crd"}),
		gates:    newGates(),
		observed: newObserved(),
		validations: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "controller_validation_total", Help: "Validations in a cycle by result: passed, rejected or warned.",
		}, []string{"crd", "result"}),
		rejections: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "controller_validation_rejected_total", Help: "Violations in a cycle of rules that deny.",
		}, []string{"crd", "field", "rule"}),
	}
	for _, register := range []func() error{
		series.Share(registerer, &r.reconciles), series.Share(registerer, &r.duration), series.Share(registerer, &r.now),
		series.Share(registerer, &r.active), series.Share(registerer, &r.activations),
		series.Share(registerer, &r.activationLatency), series.Share(registerer, &r.panics), series.Share(registerer, &r.children),
		series.Share(registerer, &r.rollbacks), series.Share(registerer, &r.gates.decisions), series.Share(registerer, &r.gates.dropped),
		series.Share(registerer, &r.observed), series.Share(registerer, &r.validations), series.Share(registerer, &r.rejections),
		series.Share(registerer, &r.scaling), series.Share(registerer, &r.calls.total), series.Share(registerer, &r.calls.failures),
		series.Share(registerer, &r.calls.duration), series.Share(registerer, &r.provided.reconciles), series.Share(registerer, &r.provided.deletes),
		series.Share(registerer, &r.provided.duration), series.Share(registerer, &r.fetches.total), series.Share(registerer, &r.fetches.duration),
		series.Share(registerer, &r.builds.total), series.Share(registerer, &r.builds.duration), series.Share(registerer, &r.builds.running),
	} {
		if err := register(); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// CRD returns the series of one entry, which exist from here on with the value 0, until Remove.
func (r *Recorder) CRD(name string) *CRD {
	r.now.mu.Lock() // no Remove of another engine may come in between
	defer r.now.mu.Unlock()
	c := &CRD{
		recorder:          r,
		success:           r.reconciles.WithLabelValues(name, "success"),
		failure:           r.reconciles.WithLabelValues(name, "error"),
		duration:          r.duration.WithLabelValues(name),
		now:               r.now,
		name:              name,
		Active:            r.active.WithLabelValues(name),
		activated:         r.activations.WithLabelValues(name, "success"),
		notActivated:      r.activations.WithLabelValues(name, "error"),
		activationLatency: r.activationLatency.WithLabelValues(name),
		Panics:            r.panics.WithLabelValues(name),
		Rollbacks:         r.rollbacks.WithLabelValues(name),
		children:          map[string]prometheus.Counter{},
		gates:             r.gates.crd(name),
		validations:       map[string]prometheus.Counter{},
	}
	for _, action := range []string{"created", "configured", "adopted", "pruned"} {
		c.children[action] = r.children.WithLabelValues(name, action)
	}
	for _, result := range []string{ValidationPassed, ValidationRejected, ValidationWarned} {
		c.validations[result] = r.validations.WithLabelValues(name, result)
	}
	r.now.knownLocked(name)
	return c
}

// Remove ends the series of the entry, unless another engine of the process has an entry of the name as well. Further calls do nothing.
func (c *CRD) Remove() { c.removed.Do(c.remove) }

func (c *CRD) remove() {
	c.unscaled()
	r := c.recorder
	r.now.mu.Lock()
	defer r.now.mu.Unlock()
	if !r.now.forgetLocked(c.name) {
		return
	}
	for _, vector := range []interface {
		DeletePartialMatch(labels prometheus.Labels) int
	}{
		r.reconciles, r.duration, r.active, r.activations, r.activationLatency, r.panics, r.children, r.rollbacks, r.validations, r.rejections,
		r.gates.decisions, r.gates.dropped, r.observed, r.calls.total, r.calls.failures, r.calls.duration,
		r.provided.reconciles, r.provided.deletes, r.provided.duration, r.fetches.total, r.fetches.duration,
		r.builds.total, r.builds.duration, r.builds.running,
	} {
		vector.DeletePartialMatch(prometheus.Labels{"crd": c.name})
	}
}

// CRD holds the series of one entry.
type CRD struct {
	Active    prometheus.Gauge
	Panics    prometheus.Counter
	Rollbacks prometheus.Counter

	name     string
	recorder *Recorder
	now      *now
	window   window
	gates    crdGates
	scales   bool // guarded by the mutex of scaling
	removed  sync.Once

	success, failure, activated, notActivated prometheus.Counter
	duration, activationLatency               prometheus.Observer
	children, validations                     map[string]prometheus.Counter
}

// The results of a validation.
const (
	ValidationPassed   = "passed"
	ValidationRejected = "rejected"
	ValidationWarned   = "warned"
)

// Reconciled records one cycle.
func (c *CRD) Reconciled(took time.Duration, err error) {
	c.duration.Observe(took.Seconds())
	c.window.add(took)
	if err != nil {
		c.failure.Inc()
		return
	}
	c.success.Inc()
}

// Activated records one start of the controller.
func (c *CRD) Activated(took time.Duration, err error) {
	if err != nil {
		c.notActivated.Inc()
		return
	}
	c.activated.Inc()
	c.activationLatency.Observe(took.Seconds())
}

// Wrote records one written child. An action that is none of the known ones is not counted.
func (c *CRD) Wrote(action string) {
	if counter, ok := c.children[action]; ok {
		counter.Inc()
	}
}

// P95 is the duration that 95 of 100 of the last cycles did not exceed, 0 before the first.
func (c *CRD) P95() time.Duration { return c.window.p95() }

// Validated records one validation. A result that is none of the known ones is not counted.
func (c *CRD) Validated(result string) {
	if counter, ok := c.validations[result]; ok {
		counter.Inc()
	}
}

// Rejected records one violation of a rule that denies. Both names are those that the Katalog has: a value of a resource is none.
func (c *CRD) Rejected(field, rule string) {
	c.recorder.rejections.WithLabelValues(c.name, field, rule).Inc()
}
