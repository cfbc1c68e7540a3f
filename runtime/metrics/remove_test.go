package metrics_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/runtime/metrics"
)

// crds lists the entries that have series, with the number of these.
func crds(t *testing.T, registry prometheus.Gatherer) map[string]int {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			for _, label := range metric.GetLabel() {
				if label.GetName() == "crd" {
					found[label.GetValue()]++
				}
			}
		}
	}
	return found
}

func TestRemove(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	r := recorder(t, registry)
	website, tenant := r.CRD("website"), r.CRD("tenant")
	website.Reconciled(time.Second, errors.New("no luck"))
	website.Rejected("spec.replicas", "rules[0]")
	website.Track(func() (resources, depth int) { return 1, 1 })
	website.Remove()
	website.Track(nil) // its controller ends late
	if got := crds(t, registry); got["website"] != 0 || got["tenant"] == 0 {
		t.Errorf("series %v, want none of website and those of tenant", got)
	}
	tenant.Remove()
	if got := crds(t, registry); len(got) != 0 {
		t.Errorf("series %v, want none", got)
	}

	t.Log("an entry that comes back begins at 0")
	r.CRD("website")
	expect(t, registry, `
# HELP controller_reconcile_total Cycles by result: success or error.
# TYPE controller_reconcile_total counter
controller_reconcile_total{crd="website",result="error"} 0
controller_reconcile_total{crd="website",result="success"} 0
`, "controller_reconcile_total")
}

func TestRemoveLeavesOtherEngines(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	first, second := recorder(t, registry).CRD("website"), recorder(t, registry).CRD("website")
	first.Remove()
	if got := crds(t, registry); got["website"] == 0 {
		t.Error("the series of another engine's entry are gone")
	}
	second.Remove()
	if got := crds(t, registry); len(got) != 0 {
		t.Errorf("series %v, want none", got)
	}
}

// Names are as Prometheus wants them, but for those that are older than this project and part of its contract.
func TestNames(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	recorder(t, registry).CRD("website").Rejected("spec.a", "rules[0]")
	problems, err := testutil.GatherAndLint(registry)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range problems {
		if one.Metric != "controller_resource_count" {
			t.Errorf("%s: %s", one.Metric, one.Text)
		}
	}
}

// 83. The label crd is the name of the entry in every series.
func TestDefect83LabelIsTheName(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	crd := recorder(t, registry).CRD("website")
	crd.Rejected("spec.a", "rules[0]")
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			labels := map[string]string{}
			for _, label := range metric.GetLabel() {
				labels[label.GetName()] = label.GetValue()
			}
			if labels["crd"] != "website" {
				t.Errorf("%s: labels %v, want crd=website", family.GetName(), labels)
			}
		}
	}
}

func TestValidated(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	crd := recorder(t, registry).CRD("website")
	crd.Validated(metrics.ValidationPassed)
	crd.Validated(metrics.ValidationRejected)
	crd.Validated("nonsense")
	crd.Rejected("spec.replicas", "at-most")
	expect(t, registry, `
# HELP controller_validation_rejected_total Violations in a cycle of rules that deny.
# TYPE controller_validation_rejected_total counter
controller_validation_rejected_total{crd="website",field="spec.replicas",rule="at-most"} 1
# HELP controller_validation_total Validations in a cycle by result: passed, rejected or warned.
# TYPE controller_validation_total counter
controller_validation_total{crd="website",result="passed"} 1
controller_validation_total{crd="website",result="rejected"} 1
controller_validation_total{crd="website",result="warned"} 0
`, "controller_validation_rejected_total", "controller_validation_total")
}

func TestP95(t *testing.T) {
	cases := map[string]struct {
		reason string
		took   func() []time.Duration
		want   time.Duration
	}{
		"None":    {"no cycle", func() []time.Duration { return nil }, 0},
		"One":     {"one is all there is", func() []time.Duration { return []time.Duration{7} }, 7},
		"Hundred": {"95 of 100", func() []time.Duration { return upTo(100) }, 95},
		"Twenty":  {"19 of 20", func() []time.Duration { return upTo(20) }, 19},
		"Slides":  {"what is long ago does not count", func() []time.Duration { return append(slices.Repeat([]time.Duration{time.Hour}, 50), upTo(128)...) }, 122},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			crd := recorder(t, prometheus.NewRegistry()).CRD("website")
			for _, took := range tc.took() {
				crd.Reconciled(took, nil)
			}
			if got := crd.P95(); got != tc.want {
				t.Errorf("\n%s\nP95() = %d, want %d", tc.reason, got, tc.want)
			}
		})
	}
}

// upTo are the durations from 1 to n, in no order.
func upTo(n int) []time.Duration {
	all := make([]time.Duration, n)
	for i := range all {
		all[i*7919%n] = time.Duration(i + 1)
	}
	return all
}

func TestValuesAreTheKnownOnes(t *testing.T) {
	got := slices.Sorted(maps.Keys(metrics.Sample{}.Values()))
	if diff := cmp.Diff(slices.Sorted(maps.Keys(roots.Metrics().Properties)), got); diff != "" {
		t.Errorf("-roots.Metrics(), +Values():\n%s", diff)
	}
}

// 80. However the limit of workers changes, shares stay between 0 and 100.
func TestDefect80SharesStayInBounds(t *testing.T) {
	for _, s := range []metrics.Sample{{}, {Workers: 1, Busy: 5}, {Workers: 4, Busy: -1}, {Workers: 0, Busy: 3}, {Workers: 3, Busy: 2}} {
		for what, got := range map[string]float64{"busy": s.BusyPercent(), "idle": s.IdlePercent()} {
			if got < 0 || got > 100 {
				t.Errorf("%+v: %s = %v", s, what, got)
			}
		}
		if s.Workers > 0 && s.BusyPercent()+s.IdlePercent() != 100 {
			t.Errorf("%+v: busy and idle are %v and %v, want 100 together", s, s.BusyPercent(), s.IdlePercent())
		}
	}
}

// 81. A rate is in percent wherever it stands.
func TestDefect81RatesArePercent(t *testing.T) {
	values := metrics.Sample{Total: 8, Failed: 2}.Values()
	want := map[string]any{"errorRatePercent": 25.0, "errorRate": 25.0, "successRate": 75.0}
	for key, rate := range want {
		if values[key] != rate {
			t.Errorf("%s = %v, want %v", key, values[key], rate)
		}
	}
	if got := fmt.Sprint(metrics.Sample{}.Values()["successRate"]); strings.Contains(got, "NaN") {
		t.Errorf("successRate of no cycle = %s", got)
	}
}
