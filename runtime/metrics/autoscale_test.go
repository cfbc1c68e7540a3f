package metrics_test

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
)

var autoscaleSeries = []string{
	"orkestra_autoscale_override_active", "orkestra_autoscale_workers_current", "orkestra_autoscale_overrides_total", "orkestra_autoscale_restores_total",
}

func TestAutoscaleSeries(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	recorder := recorder(t, registry)
	recorder.CRD("tenant") // declares no autoscaler
	crd := recorder.CRD("website")
	crd.Autoscaled(3)
	expect(t, registry, `
# HELP orkestra_autoscale_override_active 1 while the autoscaler overrides, else 0.
# TYPE orkestra_autoscale_override_active gauge
orkestra_autoscale_override_active{crd="website"} 0
# HELP orkestra_autoscale_overrides_total Overrides that the autoscaler began.
# TYPE orkestra_autoscale_overrides_total counter
orkestra_autoscale_overrides_total{crd="website"} 0
# HELP orkestra_autoscale_restores_total Overrides that the autoscaler ended.
# TYPE orkestra_autoscale_restores_total counter
orkestra_autoscale_restores_total{crd="website"} 0
# HELP orkestra_autoscale_workers_current Workers that the autoscaler allows.
# TYPE orkestra_autoscale_workers_current gauge
orkestra_autoscale_workers_current{crd="website"} 3
`, autoscaleSeries...)

	crd.Overridden(9)
	crd.Restored(3)
	crd.Overridden(12)
	expect(t, registry, `
# HELP orkestra_autoscale_override_active 1 while the autoscaler overrides, else 0.
# TYPE orkestra_autoscale_override_active gauge
orkestra_autoscale_override_active{crd="website"} 1
# HELP orkestra_autoscale_overrides_total Overrides that the autoscaler began.
# TYPE orkestra_autoscale_overrides_total counter
orkestra_autoscale_overrides_total{crd="website"} 2
# HELP orkestra_autoscale_restores_total Overrides that the autoscaler ended.
# TYPE orkestra_autoscale_restores_total counter
orkestra_autoscale_restores_total{crd="website"} 1
# HELP orkestra_autoscale_workers_current Workers that the autoscaler allows.
# TYPE orkestra_autoscale_workers_current gauge
orkestra_autoscale_workers_current{crd="website"} 12
`, autoscaleSeries...)
}

// An entry that has no autoscaler any more leaves no series, also when another takes its name before it is removed.
func TestAutoscaleSeriesEnd(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	recorder := recorder(t, registry)
	first := recorder.CRD("website")
	first.Autoscaled(3)
	second := recorder.CRD("website")
	second.Autoscaled(5)
	series := func(want int) {
		t.Helper()
		if got, err := testutil.GatherAndCount(registry, autoscaleSeries...); err != nil || got != want {
			t.Errorf("%d series (%v), want %d", got, err, want)
		}
	}
	first.Remove()
	series(4)
	third := recorder.CRD("website")
	second.Remove()
	series(0)
	third.Overridden(7) // has none, and makes none
	second.Restored(7)
	series(0)
}
