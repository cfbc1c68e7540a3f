package kordinator_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/health"
	"github.com/orkestra-runtime/orkestra/runtime/queue"
	"github.com/orkestra-runtime/orkestra/runtime/work"
)

// gated compiles an entry with a reconcile gate.
func gated(t *testing.T, preReconcile orkv1.PreReconcile) *box.Set {
	t.Helper()
	registry, err := controllers.NewRegistry()
	if err != nil {
		t.Fatal(err)
	}
	katalog := &orkv1.Katalog{}
	katalog.Spec.CRDs = map[string]orkv1.CRD{"widget": {
		APITypes:    orkv1.APITypes{Group: gvk.Group, Version: gvk.Version, Kind: gvk.Kind},
		OperatorBox: orkv1.OperatorBox{PreReconcile: &preReconcile},
	}}
	sets, found := box.CompileKatalog(katalog, box.Options{Registry: registry})
	if len(found.Errors) > 0 {
		t.Fatal(found.Errors.ToAggregate())
	}
	return sets[0]
}

func enabled(o *unstructured.Unstructured) { o.Object["spec"] = map[string]any{"enabled": "true"} }

// The reconcile gate is asked before any reconciler, whatever it is of, and what it holds back is dropped until the next event.
func TestDefect08ReconcileGate(t *testing.T) {
	yes := orkv1.Template("true")
	byEnabled := orkv1.PreReconcile{ReconcileGate: &orkv1.ReconcileGate{Gate: orkv1.Gate{
		Conditions: orkv1.Conditions{When: []orkv1.Condition{{Field: "spec.enabled", Equals: &yes}}},
	}}}
	bySentinel := orkv1.PreReconcile{Sentinels: []string{"generationChanged"}, ReconcileGate: &orkv1.ReconcileGate{
		Gate: orkv1.Gate{Sentinels: []string{"generationChanged"}},
	}}
	type want struct {
		Reconciled bool
		State      health.State
		Reason     string
		Total      int64
	}
	held := want{State: health.Gated, Reason: `when: "spec.enabled" = "", want "true"`}
	done := want{Reconciled: true, State: health.Healthy, Total: 1}
	cases := map[string]struct {
		reason string
		gates  orkv1.PreReconcile
		facts  queue.Facts
		change func(*unstructured.Unstructured)
		gone   bool
		want   want
	}{
		"Held":   {reason: "work that is held back is no failure and no cycle", gates: byEnabled, want: held},
		"Passes": {reason: "the condition holds", gates: byEnabled, change: enabled, want: done},
		"Deleting": {
			reason: "a deletion is never held back", gates: byEnabled,
			change: func(o *unstructured.Unstructured) { o.SetDeletionTimestamp(&metav1.Time{Time: time.Unix(1, 0)}) }, want: done,
		},
		"Gone":         {reason: "nor is a resource that is gone", gates: byEnabled, gone: true, want: want{Reconciled: true, State: health.Pending}},
		"SentinelTrue": {reason: "a sentinel of the item is true", gates: bySentinel, facts: queue.Facts{Sentinels: map[string]bool{"generationChanged": true}}, want: done},
		"SentinelFalse": {
			reason: "none is", gates: bySentinel, facts: queue.Facts{Sentinels: map[string]bool{"generationChanged": false}},
			want: want{State: health.Gated, Reason: "sentinels: none is true"},
		},
		"Defect02NotComputed": {reason: "a new resource has none, and is reconciled", gates: bySentinel, facts: queue.Facts{Uncomputed: true}, want: done},
		"OnlyEventAware":      {reason: "a gate without conditions passes every item", gates: orkv1.PreReconcile{ReconcileGate: &orkv1.ReconcileGate{EventAware: true}}, want: done},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			reconciled := false
			f := newFixture(t, nil, 0, func(context.Context, work.Work) (work.Outcome, error) {
				reconciled = true
				return work.Outcome{}, nil
			})
			object := resource()
			if tc.change != nil {
				tc.change(object)
			}
			f.Set, f.Resources = gated(t, tc.gates), memory{object}
			if tc.gone {
				f.Resources = memory{}
			}
			f.Events = func(queue.Item) queue.Facts { return tc.facts }
			result, err := f.Reconcile(t.Context(), item)
			if err != nil || result != (reconcile.Result{}) {
				t.Errorf("\n%s\nReconcile(...) = %v, %v; want nothing: the item is forgotten", tc.reason, result, err)
			}
			s := f.health.Snapshot()
			if diff := cmp.Diff(tc.want, want{reconciled, s.State, s.GatedReason, s.Total}); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
			if s.Failed != 0 || s.Failing != 0 {
				t.Errorf("\n%s\n%d failures, want none", tc.reason, s.Failed)
			}
		})
	}
}

// What is held back is told until the next reconcile that passes, whatever resource it is of.
func TestGatedEnds(t *testing.T) {
	f := newFixture(t, nil, 0, func(context.Context, work.Work) (work.Outcome, error) { return work.Outcome{}, nil })
	yes := orkv1.Template("true")
	f.Set = gated(t, orkv1.PreReconcile{ReconcileGate: &orkv1.ReconcileGate{Gate: orkv1.Gate{
		Conditions: orkv1.Conditions{When: []orkv1.Condition{{Field: "spec.enabled", Equals: &yes}}},
	}}})
	on, off := resource(), resource()
	enabled(on)
	for i, step := range []struct {
		object *unstructured.Unstructured
		want   health.State
	}{{off, health.Gated}, {on, health.Healthy}, {off, health.Gated}, {on, health.Healthy}} {
		f.Resources = memory{step.object}
		if _, err := f.Reconcile(t.Context(), item); err != nil {
			t.Fatal(err)
		}
		if got := f.health.Snapshot().State; got != step.want {
			t.Errorf("step %d: %s, want %s", i, got, step.want)
		}
		if held := f.health.Held(types.NamespacedName{Namespace: name.Namespace, Name: name.Name}); (held != "") != (step.want == health.Gated) {
			t.Errorf("step %d: held back: %q", i, held)
		}
	}
	if n, err := testutil.GatherAndCount(f.registry, "orkestra_gate_total"); err != nil || n != 6 {
		t.Errorf("%d series (%v), want 6", n, err)
	}
}
