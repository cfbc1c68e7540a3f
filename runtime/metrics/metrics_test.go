package metrics_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/orkestra-runtime/orkestra/runtime/metrics"
)

func recorder(t *testing.T, registry prometheus.Registerer) *metrics.Recorder {
	t.Helper()
	r, err := metrics.New(registry)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// expect compares all series of the named metrics.
func expect(t *testing.T, registry prometheus.Gatherer, text string, names ...string) {
	t.Helper()
	if err := testutil.GatherAndCompare(registry, strings.NewReader(text), names...); err != nil {
		t.Error(err)
	}
}

// Queries and alerts must find a series before the first event, and its first event must be an increase.
func TestSeriesExistFromTheStart(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	recorder(t, registry).CRD("website")
	expect(t, registry, `
# HELP controller_crd_activation_total Starts of a CRD's controller by result: success or error.
# TYPE controller_crd_activation_total counter
controller_crd_activation_total{crd="website",result="error"} 0
controller_crd_activation_total{crd="website",result="success"} 0
# HELP controller_queue_depth Resources that wait for a worker.
# TYPE controller_queue_depth gauge
controller_queue_depth{crd="website"} 0
# HELP controller_reconcile_total Cycles by result: success or error.
# TYPE controller_reconcile_total counter
controller_reconcile_total{crd="website",result="error"} 0
controller_reconcile_total{crd="website",result="success"} 0
# HELP controller_resource_count Resources in memory.
# TYPE controller_resource_count gauge
controller_resource_count{crd="website"} 0
# HELP controller_workers_active Workers in a cycle.
# TYPE controller_workers_active gauge
controller_workers_active{crd="website"} 0
# HELP orkestra_apply_changes_total Children written, by action: created, configured, adopted or pruned.
# TYPE orkestra_apply_changes_total counter
orkestra_apply_changes_total{action="adopted",crd="website"} 0
orkestra_apply_changes_total{action="configured",crd="website"} 0
orkestra_apply_changes_total{action="created",crd="website"} 0
orkestra_apply_changes_total{action="pruned",crd="website"} 0
# HELP orkestra_panics_total Cycles that ended in a panic, which was contained.
# TYPE orkestra_panics_total counter
orkestra_panics_total{crd="website"} 0
# HELP orkestra_rollback_total Resources that went back to the spec that succeeded last.
# TYPE orkestra_rollback_total counter
orkestra_rollback_total{crd="website"} 0
`, "controller_crd_activation_total", "controller_queue_depth", "controller_reconcile_total", "controller_resource_count",
		"controller_workers_active", "orkestra_apply_changes_total", "orkestra_panics_total",
		"orkestra_rollback_total")
	for _, name := range []string{"controller_reconcile_duration_seconds", "controller_crd_activation_latency_seconds"} {
		if count, err := testutil.GatherAndCount(registry, name); err != nil || count != 1 {
			t.Errorf("%d series %s from the start (%v), want 1", count, name, err)
		}
	}
}

func TestRecords(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	crd := recorder(t, registry).CRD("website")
	crd.Reconciled(time.Second, nil)
	crd.Reconciled(time.Second, errors.New("no luck"))
	crd.Reconciled(time.Second, errors.New("no luck"))
	crd.Activated(time.Second, nil)
	crd.Activated(time.Second, errors.New("no luck"))
	crd.Wrote("created")
	crd.Wrote("unchanged")
	expect(t, registry, `
# HELP controller_crd_activation_total Starts of a CRD's controller by result: success or error.
# TYPE controller_crd_activation_total counter
controller_crd_activation_total{crd="website",result="error"} 1
controller_crd_activation_total{crd="website",result="success"} 1
# HELP controller_reconcile_total Cycles by result: success or error.
# TYPE controller_reconcile_total counter
controller_reconcile_total{crd="website",result="error"} 2
controller_reconcile_total{crd="website",result="success"} 1
# HELP orkestra_apply_changes_total Children written, by action: created, configured, adopted or pruned.
# TYPE orkestra_apply_changes_total counter
orkestra_apply_changes_total{action="adopted",crd="website"} 0
orkestra_apply_changes_total{action="configured",crd="website"} 0
orkestra_apply_changes_total{action="created",crd="website"} 1
orkestra_apply_changes_total{action="pruned",crd="website"} 0
`, "controller_crd_activation_total", "controller_reconcile_total", "orkestra_apply_changes_total")
}

// Two engines of one process have one set of series.
func TestEnginesShareSeries(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	first, second := recorder(t, registry), recorder(t, registry)
	first.CRD("website").Reconciled(time.Second, nil)
	second.CRD("website").Reconciled(time.Second, nil)
	first.CRD("website").Track(func() (resources, depth int) { return 7, 2 })
	second.CRD("website") // knows nothing of the resources, and hides nobody's
	second.CRD("tenant").Track(func() (resources, depth int) { return 3, 0 })
	expect(t, registry, `
# HELP controller_queue_depth Resources that wait for a worker.
# TYPE controller_queue_depth gauge
controller_queue_depth{crd="tenant"} 0
controller_queue_depth{crd="website"} 2
# HELP controller_reconcile_total Cycles by result: success or error.
# TYPE controller_reconcile_total counter
controller_reconcile_total{crd="tenant",result="error"} 0
controller_reconcile_total{crd="tenant",result="success"} 0
controller_reconcile_total{crd="website",result="error"} 0
controller_reconcile_total{crd="website",result="success"} 2
# HELP controller_resource_count Resources in memory.
# TYPE controller_resource_count gauge
controller_resource_count{crd="tenant"} 3
controller_resource_count{crd="website"} 7
`, "controller_queue_depth", "controller_reconcile_total", "controller_resource_count")

	first.CRD("website").Track(nil)
	expect(t, registry, `
# HELP controller_resource_count Resources in memory.
# TYPE controller_resource_count gauge
controller_resource_count{crd="tenant"} 3
controller_resource_count{crd="website"} 0
`, "controller_resource_count")
}

func TestNameOfAnotherMetric(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(prometheus.NewCounter(prometheus.CounterOpts{Name: "orkestra_panics_total", Help: "Something else."}))
	if _, err := metrics.New(registry); err == nil || !strings.Contains(err.Error(), "register metrics: ") {
		t.Errorf("New(...) = %v, want an error: the name belongs to another metric", err)
	}
}

func TestObserved(t *testing.T) {
	registry := prometheus.NewRegistry()
	recorder, err := metrics.New(registry)
	if err != nil {
		t.Fatal(err)
	}
	one, other := recorder.CRD("one"), recorder.CRD("other")
	one.Observed(metrics.SourceWatch, "ConfigMap").Queued.Inc()
	one.Observed(metrics.SourceEvent, "ready").Unrouted.Inc()
	other.Observed(metrics.SourceEvent, "ready")
	const head = `# HELP orkestra_observe_events_total Changes of observed objects, by result: queued for each resource that was offered, dropped where the declaration leaves the change out, unrouted where it leads to no resource.
# TYPE orkestra_observe_events_total counter
`
	const others = `orkestra_observe_events_total{crd="other",name="ready",result="dropped",source="event"} 0
orkestra_observe_events_total{crd="other",name="ready",result="queued",source="event"} 0
orkestra_observe_events_total{crd="other",name="ready",result="unrouted",source="event"} 0
`
	expect := func(want string) {
		t.Helper()
		if err := testutil.GatherAndCompare(registry, strings.NewReader(head+want), "orkestra_observe_events_total"); err != nil {
			t.Error(err)
		}
	}
	expect(`orkestra_observe_events_total{crd="one",name="ConfigMap",result="dropped",source="watch"} 0
orkestra_observe_events_total{crd="one",name="ConfigMap",result="queued",source="watch"} 1
orkestra_observe_events_total{crd="one",name="ConfigMap",result="unrouted",source="watch"} 0
orkestra_observe_events_total{crd="one",name="ready",result="dropped",source="event"} 0
orkestra_observe_events_total{crd="one",name="ready",result="queued",source="event"} 0
orkestra_observe_events_total{crd="one",name="ready",result="unrouted",source="event"} 1
` + others)
	one.ForgetObserved()
	expect(others)
}
