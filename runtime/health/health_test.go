package health_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	"github.com/orkestra-runtime/orkestra/runtime/health"
)

var (
	a         = types.NamespacedName{Namespace: "default", Name: "a"}
	b         = types.NamespacedName{Namespace: "default", Name: "b"}
	errNoLuck = errors.New("no luck")
)

// note is something that happens to an entry.
type note func(*health.CRD)

func started(h *health.CRD)  { h.Started() }
func stopped(h *health.CRD)  { h.Stopped(false) }
func vanished(h *health.CRD) { h.Stopped(true) }

func waits(reason string) note { return func(h *health.CRD) { h.Waiting(reason) } }

func succeeds(name types.NamespacedName) note { return func(h *health.CRD) { h.Observe(name, nil) } }

func forgets(name types.NamespacedName) note { return func(h *health.CRD) { h.Forget(name) } }

func gates(name types.NamespacedName) note { return func(h *health.CRD) { h.Gated(name, "closed") } }

func fails(name types.NamespacedName, times int) note {
	return func(h *health.CRD) {
		for range times {
			h.Observe(name, errNoLuck)
		}
	}
}

func TestState(t *testing.T) {
	type want struct {
		State            health.State
		Missing          bool
		Waiting          string
		Total, Failed    int64
		Failing, Retries int
		LastError        string
		// Recovered is how often the state became healthy.
		Recovered int
	}
	cases := map[string]struct {
		reason    string
		threshold int
		notes     []note
		want      want
	}{
		"New":     {reason: "nothing has happened yet", want: want{State: health.NotStarted}},
		"Waiting": {reason: "what an entry waits for is told", notes: []note{waits("CRD x")}, want: want{State: health.NotStarted, Waiting: "CRD x"}},
		"Started": {reason: "workers without a success are pending, and wait for nothing", notes: []note{waits("CRD x"), started}, want: want{State: health.Pending}},
		"Success": {
			reason: "one success is healthy", notes: []note{started, succeeds(a), succeeds(b)},
			want: want{State: health.Healthy, Total: 2, Recovered: 1},
		},
		"BelowThreshold": {
			reason: "fewer failures than the threshold do not matter yet", threshold: 3, notes: []note{started, succeeds(b), fails(a, 2)},
			want: want{State: health.Healthy, Total: 3, Failed: 2, Retries: 1, LastError: "no luck", Recovered: 1},
		},
		"AtThreshold": {
			reason: "as many failures in a row as the threshold degrade, once", threshold: 3, notes: []note{started, succeeds(b), fails(a, 5)},
			want: want{State: health.Degraded, Total: 6, Failed: 5, Failing: 1, Retries: 1, LastError: "no luck", Recovered: 1},
		},
		"OtherSuccess": {
			reason: "the success of one resource does not hide that another fails", threshold: 3, notes: []note{started, fails(a, 3), succeeds(b), fails(a, 1), succeeds(b)},
			want: want{State: health.Degraded, Total: 6, Failed: 4, Failing: 1, Retries: 1, LastError: "no luck"},
		},
		"Interrupted": {
			reason: "failures that a success interrupts are not in a row", threshold: 3, notes: []note{started, fails(a, 2), succeeds(a), fails(a, 2)},
			want: want{State: health.Healthy, Total: 5, Failed: 4, Retries: 1, LastError: "no luck", Recovered: 1},
		},
		"Recovered": {
			reason: "one success of the one that failed is enough; the last error is kept", threshold: 3, notes: []note{started, fails(a, 3), succeeds(a)},
			want: want{State: health.Healthy, Total: 4, Failed: 3, LastError: "no luck", Recovered: 1},
		},
		"Forgotten": {
			reason: "the end of the one that failed makes an entry healthy that was, and tells it", threshold: 3,
			notes: []note{started, fails(a, 3), succeeds(b), forgets(a)},
			want:  want{State: health.Healthy, Total: 4, Failed: 3, LastError: "no luck", Recovered: 1},
		},
		"ForgottenUnknown": {
			reason: "to forget what never failed changes nothing", threshold: 1, notes: []note{started, fails(a, 1), forgets(b)},
			want: want{State: health.Degraded, Total: 1, Failed: 1, Failing: 1, Retries: 1, LastError: "no luck"},
		},
		"TwoFail": {
			reason: "each resource that fails counts once", threshold: 2, notes: []note{started, fails(a, 3), fails(b, 2), succeeds(a)},
			want: want{State: health.Degraded, Total: 6, Failed: 5, Failing: 1, Retries: 1, LastError: "no luck"},
		},
		"NoThreshold": {
			reason: "without a threshold failures never degrade", threshold: 0, notes: []note{started, fails(a, 9), succeeds(b)},
			want: want{State: health.Healthy, Total: 10, Failed: 9, Retries: 1, LastError: "no luck", Recovered: 1},
		},
		"Missing": {
			reason: "a definition that is deleted degrades, and failures end with the resources", threshold: 1, notes: []note{started, fails(a, 1), vanished},
			want: want{State: health.Degraded, Missing: true, Total: 1, Failed: 1, LastError: "CRD missing at runtime"},
		},
		"MissingWaits": {
			reason: "waiting for the definition does not end the degradation", notes: []note{started, succeeds(a), vanished, waits("CRD x")},
			want: want{State: health.Degraded, Missing: true, Waiting: "CRD x", Total: 1, LastError: "CRD missing at runtime", Recovered: 1},
		},
		"Back": {
			reason: "a definition that comes back starts anew", notes: []note{started, succeeds(a), vanished, started},
			want: want{State: health.Pending, Total: 1, LastError: "CRD missing at runtime", Recovered: 1},
		},
		"BackAndWell": {
			reason: "the first success after that is a recovery", notes: []note{started, succeeds(a), vanished, started, succeeds(a)},
			want: want{State: health.Healthy, Total: 2, LastError: "CRD missing at runtime", Recovered: 2},
		},
		"Gated": {
			reason: "a reconcile that is held back is told until the next one", notes: []note{started, succeeds(a), gates(b)},
			want: want{State: health.Gated, Total: 1, Recovered: 1},
		},
		"GatedNoMore": {
			reason: "one of another resource ends it, too; who depends on the entry need not be told, for it was well",
			notes:  []note{started, succeeds(a), gates(b), succeeds(a)},
			want:   want{State: health.Healthy, Total: 2, Recovered: 1},
		},
		"GatedAndWellAgain": {
			reason: "what failed is gone while a gate holds another back: who waits for the entry is told", threshold: 1,
			notes: []note{started, succeeds(b), fails(a, 1), gates(b), forgets(a)},
			want:  want{State: health.Gated, Total: 2, Failed: 1, LastError: "no luck", Recovered: 2},
		},
		"GatedAndFailing": {
			reason: "a failure is worse than a gate", threshold: 1, notes: []note{started, fails(a, 1), gates(b)},
			want: want{State: health.Degraded, Total: 1, Failed: 1, Failing: 1, Retries: 1, LastError: "no luck"},
		},
		"Stopped": {
			reason: "an entry that is stopped on purpose is not degraded", threshold: 1, notes: []note{started, succeeds(b), fails(a, 1), stopped},
			want: want{State: health.NotStarted, Total: 2, Failed: 1, LastError: "no luck", Recovered: 1},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			recovered := 0
			h := health.New(tc.threshold, health.Options{OnHealthy: func() { recovered++ }})
			for _, one := range tc.notes {
				one(h)
			}
			s := h.Snapshot()
			got := want{
				State: s.State, Missing: s.Missing, Waiting: s.Waiting, Total: s.Total, Failed: s.Failed,
				Failing: s.Failing, Retries: s.Retrying, LastError: s.LastError, Recovered: recovered,
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nSnapshot(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestFailure(t *testing.T) {
	h := health.New(3, health.Options{})
	h.Observe(a, errNoLuck)
	if got := h.Failure(a); got != "no luck" {
		t.Errorf("Failure(a) = %q after a failure, want its text", got)
	}
	if got := h.Failure(b); got != "" {
		t.Errorf("Failure(b) = %q without a cycle, want none", got)
	}
	h.Observe(a, nil)
	if got := h.Failure(a); got != "" {
		t.Errorf("Failure(a) = %q after a success, want none", got)
	}
}

func TestTimes(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	h := health.New(3, health.Options{Now: func() time.Time { return now }})
	h.Started()
	now = now.Add(time.Minute)
	h.Observe(a, errNoLuck)
	got := h.Snapshot()
	if !got.StartedAt.Equal(now.Add(-time.Minute)) || !got.LastCycle.Equal(now) {
		t.Errorf("started at %s, last cycle %s; want %s and %s", got.StartedAt, got.LastCycle, now.Add(-time.Minute), now)
	}
}

// Whoever is told of a recovery may ask for the state: the lock is not held.
func TestRecoveryMayAsk(t *testing.T) {
	var h *health.CRD
	var seen health.State
	h = health.New(1, health.Options{OnHealthy: func() { seen = h.Snapshot().State }})
	h.Started()
	h.Observe(a, nil)
	if seen != health.Healthy {
		t.Errorf("state is %q when its recovery is told, want %q", seen, health.Healthy)
	}
}

func BenchmarkObserve(b *testing.B) {
	h := health.New(5, health.Options{})
	h.Started()
	b.ReportAllocs()
	for b.Loop() {
		h.Observe(a, nil)
	}
}

// What is not observed yet is told, and changes nothing of the state: resources are reconciled all the same.
func TestObserving(t *testing.T) {
	h := health.New(1, health.Options{})
	h.Started()
	h.Observing([]string{"watch of Late: kind Late of v1 is not installed"})
	if got := h.Snapshot(); got.State != health.Pending || len(got.PendingObservation) != 1 {
		t.Errorf("Snapshot() = %+v, want one pending observation and the state pending", got)
	}
	h.Observing(nil)
	if got := h.Snapshot().PendingObservation; len(got) != 0 {
		t.Errorf("%v are pending, want none", got)
	}
}
