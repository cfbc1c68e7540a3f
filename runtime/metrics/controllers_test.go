package metrics_test

import (
	"context"
	"slices"
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/orkestra-runtime/orkestra/runtime/metrics"
	"github.com/orkestra-runtime/orkestra/runtime/queue"
)

// seriesOf are the metrics of controller-runtime with a series of the controller.
func seriesOf(t *testing.T, name string) []string {
	t.Helper()
	families, err := ctrlmetrics.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			for _, label := range metric.GetLabel() {
				if label.GetValue() == name && !slices.Contains(found, family.GetName()) {
					found = append(found, family.GetName())
				}
			}
		}
	}
	return found
}

// runController runs a controller through one cycle.
func runController(t *testing.T, name string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	q := queue.New(name, nil, queue.Options{MetricsProvider: queue.ControllerRuntimeMetrics()})
	c, err := controller.NewTypedUnmanaged(name, controller.TypedOptions[queue.Item]{
		SkipNameValidation: new(true),
		LogConstructor:     func(*queue.Item) logr.Logger { return logr.Discard() },
		NewQueue: func(string, workqueue.TypedRateLimiter[queue.Item]) workqueue.TypedRateLimitingInterface[queue.Item] {
			return q
		},
		Reconciler: reconcile.TypedFunc[queue.Item](func(context.Context, queue.Item) (reconcile.Result, error) {
			cancel()
			return reconcile.Result{}, nil
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	q.Add(queue.Item{})
	if err := c.Start(ctx); err != nil {
		t.Fatal(err)
	}
}

func TestRemoveControllers(t *testing.T) {
	r, err := metrics.New(ctrlmetrics.Registry)
	if err != nil {
		t.Fatal(err)
	}
	stays := r.CRD("removestays")
	defer stays.Remove()
	for _, name := range []string{"removestays", "removegoes", "removeother"} {
		runController(t, name)
	}
	if got := seriesOf(t, "removegoes"); len(got) < 10 {
		t.Fatalf("series of the controller: %v, want those of the controller and of its queue", got)
	}
	r.RemoveControllers(ctrlmetrics.Registry, "removegoes", "removestays")
	if got := seriesOf(t, "removegoes"); len(got) > 0 {
		t.Errorf("series %v of a controller that is gone", got)
	}
	for _, name := range []string{"removestays", "removeother"} {
		if got := seriesOf(t, name); len(got) < 10 {
			t.Errorf("series %v of %s, which an entry still has or nobody asked to remove", got, name)
		}
	}
}
