package kordinator_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/orkestra-runtime/orkestra/controllers/apply"
	"github.com/orkestra-runtime/orkestra/internal/golden"
	"github.com/orkestra-runtime/orkestra/runtime/kordinator"
	"github.com/orkestra-runtime/orkestra/runtime/queue"
	"github.com/orkestra-runtime/orkestra/runtime/work"
)

// step is one item's cycle: what is known of its events, and what the reconciler comes to.
type step struct {
	source queue.Source
	gone   bool
	does   func() (work.Outcome, error)
}

func succeeds(actions ...apply.Action) func() (work.Outcome, error) {
	return func() (work.Outcome, error) {
		var changes apply.ChangeSet
		for _, action := range actions {
			child := resource()
			child.SetKind("Part")
			changes = append(changes, apply.Change{Action: action, Object: child})
		}
		return work.Outcome{Changes: changes}, nil
	}
}

func fails(text string) func() (work.Outcome, error) {
	return func() (work.Outcome, error) { return work.Outcome{}, errors.New(text) }
}

// Each story is a golden file with a line for every cycle: events, item, box, changes, fate of the item, health.
func TestTrace(t *testing.T) {
	stories := map[string][]step{
		"life": {
			{source: queue.SourceInitial, does: succeeds(apply.Created, apply.Created)},
			{source: queue.SourceChild, does: succeeds(apply.Configured, apply.Unchanged)},
			{source: queue.SourceResync, does: succeeds(apply.Unchanged, apply.Unchanged)},
			{source: queue.SourcePrimary, does: func() (work.Outcome, error) { return work.Outcome{RequeueAfter: time.Minute}, nil }},
			{source: queue.SourcePrimary | queue.SourceRequeue, does: succeeds(apply.Pruned)},
			{source: queue.SourcePrimary, gone: true, does: succeeds()},
		},
		"failures": {
			{source: queue.SourcePrimary, does: fails("no luck")},
			{source: queue.SourcePrimary | queue.SourceRequeue, does: fails("no luck again")},
			{source: queue.SourcePrimary | queue.SourceRequeue, does: func() (work.Outcome, error) { panic("bang") }},
			{source: queue.SourcePrimary, does: succeeds(apply.Created)},
			{source: queue.SourceChild, does: fails("no luck")},
			{source: queue.SourcePrimary, gone: true, does: succeeds()},
		},
	}
	for story, steps := range stories {
		t.Run(story, func(t *testing.T) {
			var trace strings.Builder
			f := newFixture(t, nil, 0, nil)
			for _, one := range steps {
				f.Resources = memory{resource()}
				if one.gone {
					f.Resources = memory{}
				}
				f.Events = func(queue.Item) queue.Facts { return queue.Facts{Source: one.source} }
				f.Reconciler = work.Func(func(_ context.Context, w work.Work) (work.Outcome, error) {
					fmt.Fprintf(&trace, "%s -> %s -> box %q", w.Events.Source, w.Item, w.Box.Target)
					if w.Object == nil {
						trace.WriteString(" -> gone")
					}
					outcome, err := one.does()
					for _, change := range outcome.Changes {
						fmt.Fprintf(&trace, " -> %s", change)
					}
					return outcome, err
				})
				trace.WriteString(fate(t, f.Kordinator))
				snapshot := f.health.Snapshot()
				fmt.Fprintf(&trace, " -> %s, %d of %d failed\n", snapshot.State, snapshot.Failed, snapshot.Total)
			}
			golden.Compare(t, filepath.Join("testdata", story+".trace.golden"), trace.String())
		})
	}
}

// fate runs a cycle and tells what the controller does with the item then.
func fate(t *testing.T, k *kordinator.Kordinator) string {
	t.Helper()
	result, err := k.Reconcile(t.Context(), item)
	switch {
	case err != nil:
		return " -> back off: " + err.Error()
	case result.RequeueAfter > 0:
		return " -> again after " + result.RequeueAfter.String()
	default:
		return " -> forget"
	}
}
