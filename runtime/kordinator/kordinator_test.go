package kordinator_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr/funcr"
	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/controllers/apply"
	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/health"
	"github.com/orkestra-runtime/orkestra/runtime/kordinator"
	"github.com/orkestra-runtime/orkestra/runtime/metrics"
	"github.com/orkestra-runtime/orkestra/runtime/queue"
	"github.com/orkestra-runtime/orkestra/runtime/work"
)

var (
	gvk  = schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"}
	name = types.NamespacedName{Namespace: "default", Name: "one"}
	item = queue.Item{NamespacedName: name, GVK: gvk}
)

// memory is Resources with at most one resource.
type memory struct{ object *unstructured.Unstructured }

func (m memory) Get(asked types.NamespacedName) *unstructured.Unstructured {
	if m.object == nil || asked.Name != m.object.GetName() || asked.Namespace != m.object.GetNamespace() {
		return nil
	}
	return m.object
}

func resource() *unstructured.Unstructured {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(gvk)
	object.SetNamespace(name.Namespace)
	object.SetName(name.Name)
	return object
}

// fixture is a Kordinator with all that it reports to.
type fixture struct {
	*kordinator.Kordinator
	health   *health.CRD
	registry *prometheus.Registry
}

func newFixture(tb testing.TB, object *unstructured.Unstructured, drain time.Duration, do work.Func) fixture {
	tb.Helper()
	registry, err := controllers.NewRegistry()
	if err != nil {
		tb.Fatal(err)
	}
	katalog := &orkv1.Katalog{}
	katalog.Spec.CRDs = map[string]orkv1.CRD{"widget": {APITypes: orkv1.APITypes{Group: gvk.Group, Version: gvk.Version, Kind: gvk.Kind}}}
	sets, found := box.CompileKatalog(katalog, box.Options{Registry: registry})
	if len(found.Errors) > 0 {
		tb.Fatal(found.Errors.ToAggregate())
	}
	series := prometheus.NewPedanticRegistry()
	recorder, err := metrics.New(series)
	if err != nil {
		tb.Fatal(err)
	}
	f := fixture{health: health.New(2, health.Options{}), registry: series}
	f.health.Started()
	f.Kordinator = kordinator.New(kordinator.Options{
		Set: sets[0], Resources: memory{object}, Reconciler: do, Health: f.health, Metrics: recorder.CRD("widget"), Drain: func() time.Duration { return drain },
		Events: func(queue.Item) queue.Facts { return queue.Facts{Source: queue.SourcePrimary} },
	})
	return f
}

func TestReconcile(t *testing.T) {
	failure := errors.New("no luck")
	child := resource()
	child.SetKind("Part")
	type want struct {
		Result  reconcile.Result
		Err     string
		State   health.State
		Failure string
		Total   int64
		Panics  float64
		Created float64
	}
	cases := map[string]struct {
		reason string
		object *unstructured.Unstructured
		do     work.Func
		want   want
	}{
		"Success": {
			reason: "a success is healthy and asks for nothing",
			object: resource(),
			do:     func(context.Context, work.Work) (work.Outcome, error) { return work.Outcome{}, nil },
			want:   want{State: health.Healthy, Total: 1},
		},
		"Again": {
			reason: "what the reconciler wants to come back for is the controller's to keep",
			object: resource(),
			do: func(context.Context, work.Work) (work.Outcome, error) {
				return work.Outcome{RequeueAfter: time.Minute}, nil
			},
			want: want{Result: reconcile.Result{RequeueAfter: time.Minute}, State: health.Healthy, Total: 1},
		},
		"Changes": {
			reason: "children that were written are counted, also those before an error",
			object: resource(),
			do: func(context.Context, work.Work) (work.Outcome, error) {
				return work.Outcome{Changes: apply.ChangeSet{{Action: apply.Created, Object: child}, {Action: apply.Unchanged, Object: child}}}, failure
			},
			want: want{Err: "no luck", State: health.Pending, Failure: "no luck", Total: 1, Created: 1},
		},
		"Error": {
			reason: "an error is returned without a requeue time, so that the queue backs off",
			object: resource(),
			do: func(context.Context, work.Work) (work.Outcome, error) {
				return work.Outcome{RequeueAfter: time.Minute}, failure
			},
			want: want{Err: "no luck", State: health.Pending, Failure: "no luck", Total: 1},
		},
		"Panic": {
			reason: "a panic is an error, which is counted as both",
			object: resource(),
			do:     func(context.Context, work.Work) (work.Outcome, error) { panic("bang") },
			want:   want{Err: "reconciler panic: bang", State: health.Pending, Failure: "reconciler panic: bang", Total: 1, Panics: 1},
		},
		"Gone": {
			reason: "a resource that is gone is handed on, and is no cycle of a resource",
			do: func(_ context.Context, w work.Work) (work.Outcome, error) {
				if w.Object != nil || w.Box == nil {
					return work.Outcome{}, errors.New("want no object, and a box")
				}
				return work.Outcome{RequeueAfter: time.Minute}, nil
			},
			want: want{State: health.Pending},
		},
		"PanicWhenGone": {
			reason: "a panic is contained also when there is no object any more",
			do:     func(context.Context, work.Work) (work.Outcome, error) { panic("bang") },
			want:   want{Err: "reconciler panic: bang", State: health.Pending, Panics: 1},
		},
	}
	for title, tc := range cases {
		t.Run(title, func(t *testing.T) {
			f := newFixture(t, tc.object, 0, tc.do)
			result, err := f.Reconcile(t.Context(), item)
			got := want{
				Result: result, State: f.health.Snapshot().State, Failure: f.health.Failure(name), Total: f.health.Snapshot().Total,
				Panics: f.value(t, "orkestra_panics_total", ""), Created: f.value(t, "orkestra_apply_changes_total", "created"),
			}
			if err != nil {
				got.Err = err.Error()
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nReconcile(...): -want, +got:\n%s", tc.reason, diff)
			}
			if active := f.value(t, "controller_workers_active", ""); active != 0 {
				t.Errorf("%v workers are active after the cycle, want 0", active)
			}
		})
	}
}

// value reads a series; with an action, that of the action.
func (f fixture) value(t *testing.T, metric, action string) float64 {
	t.Helper()
	families, err := f.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() != metric {
			continue
		}
		for _, one := range family.GetMetric() {
			if action == "" || one.GetLabel()[0].GetValue() == action {
				return one.GetCounter().GetValue() + one.GetGauge().GetValue()
			}
		}
	}
	t.Fatalf("no series %s %s", metric, action)
	return 0
}

func TestReconcileHandsOnWhatItKnows(t *testing.T) {
	object := resource()
	var got work.Work
	f := newFixture(t, object, 0, func(_ context.Context, w work.Work) (work.Outcome, error) {
		got = w
		return work.Outcome{}, nil
	})
	if _, err := f.Reconcile(t.Context(), item); err != nil {
		t.Fatal(err)
	}
	if got.Object != object || got.Item != item || got.Set != f.Set || got.Box != f.Set.Effective("") || got.Events.Source != queue.SourcePrimary {
		t.Errorf("the reconciler got %+v", got)
	}
}

// Each panic is told, and the stack of one in a second: it takes longer to write than a cycle.
func TestStackOfPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said []string
		logger := funcr.New(func(_, args string) { said = append(said, args) }, funcr.Options{})
		f := newFixture(t, resource(), 0, func(context.Context, work.Work) (work.Outcome, error) { panic("bang") })
		var stacks []bool
		for _, wait := range []time.Duration{0, 0, time.Millisecond, time.Second, 0} {
			time.Sleep(wait) //nolint:forbidigo // of the bubble
			said = nil
			if _, err := f.Reconcile(logf.IntoContext(t.Context(), logger), item); err == nil {
				t.Fatal("the panic is no error")
			}
			all := strings.Join(said, "\n")
			if !strings.Contains(all, "contained a panic") || !strings.Contains(all, "bang") {
				t.Errorf("the panic is not told: %s", all)
			}
			stacks = append(stacks, strings.Contains(all, "kordinator_test.go"))
		}
		if want := []bool{true, false, false, true, false}; !slices.Equal(want, stacks) {
			t.Errorf("stacks were told %v, want %v", stacks, want)
		}
	})
}

func TestForgetsFailuresOfWhatIsGone(t *testing.T) {
	failing := func(context.Context, work.Work) (work.Outcome, error) { return work.Outcome{}, errors.New("no luck") }
	f := newFixture(t, resource(), 0, failing)
	for range 2 {
		_, _ = f.Reconcile(t.Context(), item)
	}
	if state := f.health.Snapshot().State; state != health.Degraded {
		t.Fatalf("state is %s after as many failures as the threshold, want %s", state, health.Degraded)
	}
	f.Resources = memory{}
	f.Reconciler = work.Func(func(context.Context, work.Work) (work.Outcome, error) { return work.Outcome{}, nil })
	if _, err := f.Reconcile(t.Context(), item); err != nil {
		t.Fatal(err)
	}
	if snapshot := f.health.Snapshot(); snapshot.Failing != 0 || snapshot.Retrying != 0 {
		t.Errorf("a resource that is gone still counts: %+v", snapshot)
	}
}

// A cycle that has begun outlives the controller's context, for as long as it may drain.
func TestDrain(t *testing.T) {
	cases := map[string]struct {
		reason string
		drain  time.Duration
		takes  time.Duration
		want   error
	}{
		"Finishes":  {reason: "a cycle that ends in time is not disturbed", drain: 10 * time.Second, takes: 9 * time.Second},
		"Cancelled": {reason: "a cycle that takes longer is cancelled", drain: 10 * time.Second, takes: 11 * time.Second, want: context.Canceled},
		"AtOnce":    {reason: "without time to drain a cycle ends with the controller", takes: time.Second, want: context.Canceled},
	}
	for title, tc := range cases {
		t.Run(title, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFixture(t, resource(), tc.drain, func(ctx context.Context, _ work.Work) (work.Outcome, error) {
					select {
					case <-time.After(tc.takes):
						return work.Outcome{}, nil
					case <-ctx.Done():
						return work.Outcome{}, ctx.Err()
					}
				})
				ctx, cancel := context.WithCancel(t.Context())
				cancel()
				begin := time.Now()
				_, err := f.Reconcile(ctx, item)
				if !errors.Is(err, tc.want) {
					t.Errorf("%s\nReconcile(...) = %v, want %v", tc.reason, err, tc.want)
				}
				if took := time.Since(begin); took != min(tc.drain, tc.takes) {
					t.Errorf("%s\nit took %s, want %s", tc.reason, took, min(tc.drain, tc.takes))
				}
			})
		})
	}
}

// The context keeps what the controller put into it, such as the logger.
func TestDrainKeepsValues(t *testing.T) {
	type key struct{}
	f := newFixture(t, resource(), time.Second, func(ctx context.Context, _ work.Work) (work.Outcome, error) {
		if ctx.Value(key{}) != "there" {
			return work.Outcome{}, errors.New("the value is lost")
		}
		return work.Outcome{}, nil
	})
	if _, err := f.Reconcile(context.WithValue(t.Context(), key{}, "there"), item); err != nil {
		t.Error(err)
	}
}

func TestDurationIsMeasured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, resource(), 0, func(context.Context, work.Work) (work.Outcome, error) {
			<-time.After(3 * time.Second)
			return work.Outcome{}, nil
		})
		if _, err := f.Reconcile(t.Context(), item); err != nil {
			t.Fatal(err)
		}
		if count := testutil.CollectAndCount(f.registry, "controller_reconcile_duration_seconds"); count != 1 {
			t.Errorf("%d series of durations, want 1", count)
		}
		if seconds := f.durations(t); seconds != 3 {
			t.Errorf("the cycle took %v seconds by the metric, want 3", seconds)
		}
	})
}

func (f fixture) durations(t *testing.T) float64 {
	t.Helper()
	families, err := f.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() == "controller_reconcile_duration_seconds" {
			return family.GetMetric()[0].GetHistogram().GetSampleSum()
		}
	}
	return 0
}

// What the Kordinator adds to a cycle that finds nothing to do.
func BenchmarkReconcile(b *testing.B) {
	f := newFixture(b, resource(), 20*time.Second, func(context.Context, work.Work) (work.Outcome, error) { return work.Outcome{}, nil })
	ctx := b.Context()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := f.Reconcile(ctx, item); err != nil {
			b.Fatal(err)
		}
	}
}

// What people read of an error does not say how it is tried again.
func TestHealthOfATerminalError(t *testing.T) {
	f := newFixture(t, resource(), 0, func(context.Context, work.Work) (work.Outcome, error) {
		return work.Outcome{}, reconcile.TerminalError(errors.New("no luck"))
	})
	if _, err := f.Reconcile(t.Context(), item); !errors.Is(err, reconcile.TerminalError(nil)) {
		t.Errorf("Reconcile(...) = %v, want it marked for the controller", err)
	}
	if got := f.health.Failure(name); got != "no luck" {
		t.Errorf("Failure(...) = %q", got)
	}
}

func TestHeld(t *testing.T) {
	going := resource()
	going.SetDeletionTimestamp(&metav1.Time{Time: time.Unix(1, 0)})
	cases := map[string]struct {
		reason string
		object *unstructured.Unstructured
		held   bool
		want   bool
	}{
		"Held":     {reason: "what the entry depends on is not there yet", object: resource(), held: true},
		"Released": {reason: "it is there", object: resource(), want: true},
		"Going":    {reason: "a deletion waits for nothing, or a finalizer of ours would keep the resource", object: going, held: true, want: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			done := false
			f := newFixture(t, tc.object, 0, func(context.Context, work.Work) (work.Outcome, error) {
				done = true
				return work.Outcome{}, nil
			})
			f.Held = func() bool { return tc.held }
			result, err := f.Reconcile(t.Context(), item)
			if err != nil || result != (reconcile.Result{}) {
				t.Errorf("Reconcile(...) = %v, %v", result, err)
			}
			if done != tc.want {
				t.Errorf("\n%s\nthe resource was reconciled: %t, want %t", tc.reason, done, tc.want)
			}
			if total := f.health.Snapshot().Total; total != 0 && !tc.want {
				t.Errorf("%d cycles are counted of a resource that is held", total)
			}
		})
	}
}
