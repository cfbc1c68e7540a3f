package kordinator_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/work"
)

// The first failures of a resource come with a time for the next try and do not count; the last one does, and so does each after it until
// one succeeds, so that the queue backs off from them.
func TestRetry(t *testing.T) {
	results := []error{errors.New("1"), errors.New("2"), errors.New("3"), errors.New("4"), nil, errors.New("5"), reconcile.TerminalError(errors.New("6"))}
	cycle := 0
	f := newFixture(t, resource(), 0, func(context.Context, work.Work) (work.Outcome, error) {
		cycle++
		return work.Outcome{}, results[cycle-1]
	})
	set := *f.Set
	set.Retry = &box.Retry{Initial: 500 * time.Millisecond, Max: 30 * time.Second, Multiplier: 2, Attempts: 3}
	f.Set = &set
	type told struct {
		After  time.Duration
		Err    bool
		Failed int64
	}
	var got []told
	for range results {
		result, err := f.Reconcile(t.Context(), item)
		got = append(got, told{result.RequeueAfter, err != nil, f.Health.Snapshot().Failed})
	}
	want := []told{
		{500 * time.Millisecond, false, 0},
		{time.Second, false, 0},
		{0, true, 1},
		{0, true, 2},
		{0, false, 2},
		{500 * time.Millisecond, false, 2},
		{0, true, 3},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("cycles: -want, +got:\n%s", diff)
	}
}
