package engine_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/health"
	"github.com/orkestra-runtime/orkestra/runtime/kordinator"
	"github.com/orkestra-runtime/orkestra/runtime/metrics"
	"github.com/orkestra-runtime/orkestra/runtime/observe"
	"github.com/orkestra-runtime/orkestra/runtime/queue"
	"github.com/orkestra-runtime/orkestra/runtime/work"
)

// line is all that an event of a CRD comes through up to its reconciler, without an API server.
type line struct {
	*observe.Path
	gvk schema.GroupVersionKind
	// latest are the resources, by their numbers, as the last event left them.
	latest []atomic.Pointer[unstructured.Unstructured]
}

// startLine starts the controller of a CRD with so many resources and 3 workers.
func startLine(b *testing.B, name string, resources int, do work.Func) *line {
	b.Helper()
	l := &line{
		gvk:    schema.GroupVersionKind{Group: name + ".example.com", Version: "v1", Kind: "Widget"},
		latest: make([]atomic.Pointer[unstructured.Unstructured], resources),
	}
	kinds, err := controllers.NewRegistry()
	if err != nil {
		b.Fatal(err)
	}
	katalog := &orkv1.Katalog{}
	katalog.Spec.CRDs = map[string]orkv1.CRD{name: {APITypes: orkv1.APITypes{Group: l.gvk.Group, Version: l.gvk.Version, Kind: l.gvk.Kind}}}
	sets, found := box.CompileKatalog(katalog, box.Options{Registry: kinds})
	if len(found.Errors) > 0 {
		b.Fatal(found.Errors.ToAggregate())
	}
	recorder, err := metrics.New(prometheus.NewRegistry())
	if err != nil {
		b.Fatal(err)
	}
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[queue.Item](5*time.Millisecond, time.Second)
	l.Path = &observe.Path{
		Set: sets[0], Resources: l, Health: health.New(3, health.Options{}), Metrics: recorder.CRD(name),
		Queue: queue.New(name, limiter, queue.Options{Workers: 3, MetricsProvider: queue.ControllerRuntimeMetrics()}),
	}
	k := kordinator.New(kordinator.Options{
		Set: l.Set, Resources: l, Reconciler: do, Events: l.Queue.Facts, Health: l.Health, Metrics: l.Metrics,
	})
	c, err := controller.NewTypedUnmanaged(name, controller.TypedOptions[queue.Item]{
		Reconciler: k, MaxConcurrentReconciles: 3, RateLimiter: limiter, SkipNameValidation: new(true),
		NewQueue: func(string, workqueue.TypedRateLimiter[queue.Item]) workqueue.TypedRateLimitingInterface[queue.Item] {
			return l.Queue
		},
		LogConstructor: func(*queue.Item) logr.Logger { return logr.Discard() },
	})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(b.Context()))
	var running sync.WaitGroup
	running.Go(func() {
		if err := c.Start(ctx); err != nil {
			b.Error(err)
		}
	})
	b.Cleanup(func() { cancel(); running.Wait() })
	return l
}

// Get is a resource as the last event left it.
func (l *line) Get(name types.NamespacedName) *unstructured.Unstructured {
	return l.latest[numberOf(name)].Load()
}

// edit gives a resource a generation, and offers the event of that.
func (l *line) edit(number int, generation int64) {
	name := types.NamespacedName{Namespace: "default", Name: fmt.Sprintf("%04d", number)}
	after := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{
		"namespace": name.Namespace, "name": name.Name, "generation": generation,
	}}}
	after.SetGroupVersionKind(l.gvk)
	before := l.latest[number].Swap(after)
	l.Offer(observe.Occurrence{Resource: name, Source: queue.SourcePrimary, Before: before, After: after})
}

func numberOf(name types.NamespacedName) int {
	number := 0
	for _, digit := range name.Name {
		number = 10*number + int(digit-'0')
	}
	return number
}

// rest waits until nothing waits or is under way.
func (l *line) rest() {
	for {
		ready, out, delayed := l.Queue.Pending()
		if ready+out+delayed == 0 {
			return
		}
		pause(time.Millisecond)
	}
}

// pause lets real time pass: this is about how much can be done in it.
func pause(d time.Duration) { <-time.After(d) }

// pace waits until it is time for the event of a number.
func pace(begin time.Time, number, perSecond int) {
	due := begin.Add(time.Duration(number) * time.Second / time.Duration(perSecond))
	if wait := time.Until(due); wait > time.Millisecond {
		pause(wait)
	}
}

// BenchmarkOffered offers 10,000 events a second for 1000 resources, of which 3 workers with cycles of 1 ms can do less than a third: the
// queue must not grow beyond the resources, and each one must be reconciled as its last event left it.
func BenchmarkOffered(b *testing.B) {
	const resources, perSecond = 1000, 10_000
	var seen [resources]atomic.Int64
	var cycles atomic.Int64
	l := startLine(b, "offered", resources, func(_ context.Context, w work.Work) (work.Outcome, error) {
		pause(time.Millisecond)
		seen[numberOf(w.Item.NamespacedName)].Store(w.Object.GetGeneration())
		cycles.Add(1)
		return work.Outcome{}, nil
	})
	deepest, number, begin := 0, 0, time.Now()
	for b.Loop() {
		pace(begin, number, perSecond)
		l.edit(number%resources, int64(number/resources+1))
		number++
		deepest = max(deepest, l.Queue.Depth())
	}
	took := time.Since(begin)
	l.rest()
	if deepest > resources {
		b.Errorf("%d items waited, want at most one of each resource", deepest)
	}
	for i := range seen {
		if last := l.latest[i].Load(); last != nil && seen[i].Load() != last.GetGeneration() {
			b.Errorf("resource %d: generation %d was reconciled last, want %d", i, seen[i].Load(), last.GetGeneration())
		}
	}
	b.ReportMetric(float64(number)/took.Seconds(), "events/s")
	b.ReportMetric(float64(cycles.Load())/time.Since(begin).Seconds(), "cycles/s")
	b.ReportMetric(float64(deepest), "deepest")
}

// BenchmarkNeighbour has a CRD with 1000 events a second beside others whose reconcilers take a second or panic. An operation is an event;
// they come in turns of 100: alone, beside the slow one, beside the one that panics. The ratios are of the times from an event to the end
// of its cycle that 99 of 100 don't exceed, to those alone.
func BenchmarkNeighbour(b *testing.B) {
	const resources, perSecond, turn = 100, 1000, 100
	const alone, slow, panics = 0, 1, 2
	var mode atomic.Int64
	var offered [resources]atomic.Int64 // when, in nanoseconds since the begin
	var mu sync.Mutex                   // guards took
	var took [3][]time.Duration
	begin := time.Now()
	watched := startLine(b, "watched", resources, func(_ context.Context, w work.Work) (work.Outcome, error) {
		pause(time.Millisecond)
		since := time.Since(begin) - time.Duration(offered[numberOf(w.Item.NamespacedName)].Load())
		mu.Lock()
		defer mu.Unlock()
		at := mode.Load()
		took[at] = append(took[at], since)
		return work.Outcome{}, nil
	})
	slowOne := startLine(b, "slow", resources, func(ctx context.Context, _ work.Work) (work.Outcome, error) {
		if mode.Load() == slow {
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}
		return work.Outcome{}, nil
	})
	panicking := startLine(b, "panicking", resources, func(context.Context, work.Work) (work.Outcome, error) {
		if mode.Load() == panics {
			panic("a reconciler's own")
		}
		return work.Outcome{}, nil
	})
	number, start := 0, time.Now()
	for b.Loop() {
		pace(start, number, perSecond)
		now := int64(number / turn % 3)
		mode.Store(now)
		offered[number%resources].Store(int64(time.Since(begin)))
		generation := int64(number + 1)
		watched.edit(number%resources, generation)
		switch now {
		case slow:
			slowOne.edit(number%resources, generation)
		case panics:
			panicking.edit(number%resources, generation)
		}
		number++
	}
	mode.Store(alone)
	watched.rest()
	mu.Lock()
	defer mu.Unlock()
	p99 := func(mode int) float64 {
		if len(took[mode]) == 0 {
			return 0
		}
		slices.Sort(took[mode])
		return took[mode][len(took[mode])*99/100].Seconds() * 1000
	}
	b.ReportMetric(p99(alone), "p99-ms")
	if base := p99(alone); base > 0 {
		b.ReportMetric(p99(slow)/base, "slow/alone")
		b.ReportMetric(p99(panics)/base, "panics/alone")
	}
}
