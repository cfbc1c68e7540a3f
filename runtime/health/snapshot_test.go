package health_test

import (
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/runtime/health"
)

func notes(name types.NamespacedName, cycle health.Cycle) note {
	return func(h *health.CRD) { h.Note(name, cycle) }
}

// What is counted of the resources follows from their cycles alone.
func TestCounts(t *testing.T) {
	type want struct{ Resources, Ready, RolledBack, Rollbacks, Row int }
	failed := health.Cycle{Err: errNoLuck}
	cases := map[string]struct {
		reason string
		notes  []note
		want   want
	}{
		"None":     {reason: "nothing was seen", notes: []note{started}},
		"Ready":    {reason: "a success is ready", notes: []note{started, succeeds(a), succeeds(b), succeeds(a)}, want: want{Resources: 2, Ready: 2}},
		"Waits":    {reason: "one that waits is no failure and not ready", notes: []note{started, succeeds(a), notes(a, health.Cycle{})}, want: want{Resources: 1}},
		"Fails":    {reason: "one that fails is not ready", notes: []note{started, succeeds(a), succeeds(b), fails(a, 2)}, want: want{Resources: 2, Ready: 1, Row: 2}},
		"Gone":     {reason: "one that is gone counts no more", notes: []note{started, succeeds(a), succeeds(b), forgets(a), forgets(a)}, want: want{Resources: 1, Ready: 1}},
		"Worst":    {reason: "of several rows the longest counts", notes: []note{started, fails(a, 3), fails(b, 5)}, want: want{Resources: 2, Row: 5}},
		"WorstEnd": {reason: "and when it ends, the next", notes: []note{started, fails(a, 3), fails(b, 5), succeeds(b)}, want: want{Resources: 2, Ready: 1, Row: 3}},
		"Rollback": {
			reason: "a resource goes back once, however many cycles it stays there",
			notes: []note{
				started, notes(a, health.Cycle{Err: errNoLuck, RolledBack: true}), notes(a, health.Cycle{RolledBack: true}),
			},
			want: want{Resources: 1, RolledBack: 1, Rollbacks: 1},
		},
		"Forward": {
			reason: "and may go back again after it went on",
			notes: []note{
				started, notes(a, health.Cycle{RolledBack: true}), succeeds(a), notes(a, failed), notes(a, health.Cycle{RolledBack: true}), forgets(a),
			},
			want: want{Rollbacks: 2},
		},
		"Stopped": {reason: "an entry that ends has no resources", notes: []note{started, succeeds(a), fails(b, 2), stopped}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			h := health.New(0, health.Options{})
			for _, one := range tc.notes {
				one(h)
			}
			s := h.Snapshot()
			got := want{s.Resources, s.Ready, s.RolledBack, int(s.Rollbacks), s.ConsecutiveFails}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nSnapshot(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// A text that reads a field which nobody gives would be empty for ever, and one that is given and not known could not be read.
func TestValuesAreTheKnownOnes(t *testing.T) {
	got := slices.Sorted(maps.Keys(health.New(1, health.Options{}).Snapshot().Values(time.Now())))
	if diff := cmp.Diff(slices.Sorted(maps.Keys(roots.Health().Properties)), got); diff != "" {
		t.Errorf("-roots.Health(), +Values():\n%s", diff)
	}
}

func TestValues(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.FixedZone("CET", 3600))
	h := health.New(2, health.Options{Now: func() time.Time { return now }})
	h.Started()
	h.Observe(a, nil)
	h.Observe(b, errNoLuck)
	h.Observe(b, errNoLuck)
	snapshot := h.Snapshot()
	snapshot.HasUnhealthyDeps = true
	got := snapshot.Values(now.Add(90*time.Second + time.Millisecond))
	want := map[string]any{
		"state": "degraded", "status": "degraded", "statusCode": int64(503), "healthy": false, "pending": false, "degraded": true, "started": true,
		"gated": false, "gatedReason": "", "totalReconciles": int64(3), "failedReconciles": int64(2), "consecutiveFails": int64(2),
		"errorRatePercent": float64(200) / 3, "lastReconcile": "2025-12-31T23:00:00Z", "lastError": "no luck", "uptime": "1m30s",
		"readyCount": int64(1), "totalCount": int64(2), "rollbackActive": false, "rollbackTotal": int64(0), "hasUnhealthyDeps": true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Values(): -want, +got:\n%s", diff)
	}
}

// 58. Failures are counted for each resource: a good neighbour hides none, and one bad resource does not count for others.
func TestDefect58FailuresOfOneResourceAreItsOwn(t *testing.T) {
	h := health.New(3, health.Options{})
	h.Started()
	for range 2 { // four failures in a row of the CRD, two of each
		h.Observe(a, errNoLuck)
		h.Observe(b, errNoLuck)
	}
	if got := h.Snapshot().State; got == health.Degraded {
		t.Error("degraded, though no resource failed three times")
	}
	h.Observe(a, nil)
	h.Observe(b, errNoLuck)
	h.Observe(a, nil)
	if got := h.Snapshot(); got.State != health.Degraded || got.Failing != 1 {
		t.Errorf("%s with %d failing, want degraded with 1: the success of a neighbour hides nothing", got.State, got.Failing)
	}
}

// 71. Missing is true while the definition is not there, and at no other time.
func TestDefect71MissingIsNotInverted(t *testing.T) {
	h := health.New(1, health.Options{})
	for i, step := range []struct {
		do   note
		want bool
	}{{started, false}, {succeeds(a), false}, {vanished, true}, {waits("CRD"), true}, {started, false}} {
		if step.do(h); h.Snapshot().Missing != step.want {
			t.Errorf("step %d: missing = %t, want %t", i, h.Snapshot().Missing, step.want)
		}
	}
}

// 79. Whatever degraded an entry, one success of what failed makes it healthy.
func TestDefect79DegradedRecovers(t *testing.T) {
	for name, notes := range map[string][]note{
		"Failures":          {started, fails(a, 3), succeeds(a)},
		"FailuresThenGone":  {started, succeeds(b), fails(a, 3), forgets(a)},
		"Missing":           {started, succeeds(a), vanished, started, succeeds(a)},
		"FailingAndMissing": {started, fails(a, 3), vanished, started, succeeds(b)},
		"RestartedDegraded": {started, fails(a, 3), stopped, started, succeeds(a)},
	} {
		t.Run(name, func(t *testing.T) {
			h := health.New(3, health.Options{})
			for _, one := range notes {
				one(h)
			}
			if got := h.Snapshot().State; got != health.Healthy {
				t.Errorf("%s, want healthy", got)
			}
		})
	}
}

// Whoever reads a snapshot while cycles are noted sees one moment: the counts agree.
func TestSnapshotIsOneMoment(t *testing.T) {
	h := health.New(1, health.Options{})
	h.Started()
	var cycles sync.WaitGroup
	cycles.Go(func() {
		for range 1000 {
			h.Observe(a, errNoLuck)
			h.Observe(a, nil)
		}
	})
	for range 1000 {
		if s := h.Snapshot(); (s.Failing == 1) != (s.State == health.Degraded) || s.Total > 0 && s.Ready+s.Retrying != 1 {
			t.Fatalf("torn: %+v", s)
		}
	}
	cycles.Wait()
}

func BenchmarkSnapshot(b *testing.B) {
	h := health.New(5, health.Options{})
	h.Started()
	b.ReportAllocs()
	for b.Loop() {
		_ = h.Snapshot()
	}
}
