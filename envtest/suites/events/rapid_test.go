package events_test

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/go-logr/logr"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	"github.com/orkestra-runtime/orkestra/controllers/builtin"
	"github.com/orkestra-runtime/orkestra/controllers/informer"
	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/health"
	"github.com/orkestra-runtime/orkestra/runtime/kordinator"
	"github.com/orkestra-runtime/orkestra/runtime/metrics"
	"github.com/orkestra-runtime/orkestra/runtime/observe"
	"github.com/orkestra-runtime/orkestra/runtime/queue"
	"github.com/orkestra-runtime/orkestra/runtime/work"
)

var _ = Describe("two hundred rapid edits of one resource", func() {
	const edits = 200
	// edited makes them, each third one of the spec and the others of a label, and tells which sentinels are true for each.
	edited := func(ctx context.Context, namespace string) []change {
		GinkgoHelper()
		w := create(ctx, namespace, "w", "")
		want := []change{{generation: true, labels: true}} // of a new one
		for i := range edits {
			if i%3 == 0 {
				patch(ctx, w, fmt.Sprintf(`{"spec":{"a":"%d"}}`, i))
			} else {
				patch(ctx, w, fmt.Sprintf(`{"metadata":{"labels":{"a":"%d"}}}`, i))
			}
			want = append(want, change{generation: i%3 == 0, labels: i%3 != 0})
		}
		return want
	}

	// Rows 41 and 43.
	It("lead to one cycle each with eventAware, with their own sentinels, in their order, and never two at once", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		o := observeWork(ctx, namespace, true)
		want := edited(ctx, namespace)
		Eventually(o.changes).Should(HaveLen(len(want)))
		Expect(o.changes()).To(Equal(want))
		Expect(o.most).To(Equal(1), "cycles at once")
	})

	// Row 42.
	It("wait as one without it, and no change of the generation is lost", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		o := observeWork(ctx, namespace, false)
		edited(ctx, namespace)
		Eventually(func() int { return o.queue.Len() + o.working() }).Should(BeZero())
		got := o.changes()
		Expect(len(got)).To(And(BeNumerically(">=", 2), BeNumerically("<=", edits+1)))
		Expect(o.most).To(Equal(1), "cycles at once")
		Expect(o.deepest).To(BeNumerically("<=", 1), "items that wait")
		last := int64(0)
		for i, one := range got {
			if one.seen > last { // what is in memory may be ahead of its event, which is the next one then
				told := one.generation || i+1 < len(got) && got[i+1].generation
				Expect(told).To(BeTrue(), "a cycle that sees generation %d, or the next one, is told of it", one.seen)
			}
			last = one.seen
		}
		Expect(last).To(BeEquivalentTo(1+(edits+2)/3), "the last generation is seen")
	})
})

// change is what a cycle is told of its event: the sentinels that are true. seen is the generation that it finds.
type change struct {
	generation, labels bool
	seen               int64
}

// observed is the work on the Widgets of a namespace.
type observed struct {
	queue *queue.Queue

	mu            sync.Mutex // guards the rest
	told          []change
	now, most     int
	deepest       int
	withoutValues bool
}

// observeWork watches the Widgets of a namespace, with workers whose cycles take 20 ms and note what they are told. The gate admits all.
func observeWork(ctx context.Context, namespace string, aware bool) *observed {
	GinkgoHelper()
	text := katalogOf(namespace, "", fmt.Sprintf(`
preReconcile:
  sentinels: [generationChanged, labelsChanged]
  reconcileGate: {eventAware: %t, sentinels: [generationChanged, labelsChanged]}`, aware))
	result, err := katalog.Parse(katalog.Options{}, "katalog.yaml", []byte(text))
	Expect(err).NotTo(HaveOccurred(), text)
	kinds, err := builtin.Registry()
	Expect(err).NotTo(HaveOccurred())
	sets, found := box.CompileKatalog(result.Documents[0].Katalog, box.Options{Registry: kinds})
	Expect(found.Errors).To(BeEmpty())
	dynamicClient, err := dynamic.NewForConfig(env.Config())
	Expect(err).NotTo(HaveOccurred())
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	resources, err := informer.Start(running, dynamicClient, informer.Options{
		Resource: schema.GroupVersionResource{Group: group, Version: "v1", Resource: "widgets"}, Namespace: namespace,
	})
	Expect(err).NotTo(HaveOccurred())
	recorder, err := metrics.New(prometheus.NewRegistry())
	Expect(err).NotTo(HaveOccurred())

	limiter := workqueue.DefaultTypedControllerRateLimiter[queue.Item]()
	o := &observed{queue: queue.New(namespace, limiter, queue.Options{}), withoutValues: aware}
	path := &observe.Path{
		Set: sets[0], Queue: o.queue, Resources: resources, Health: health.New(3, health.Options{}), Metrics: recorder.CRD(namespace),
	}
	k := kordinator.New(kordinator.Options{
		Set: sets[0], Resources: resources, Reconciler: work.Func(o.work), Events: o.queue.Facts, Health: path.Health, Metrics: path.Metrics,
	})
	c, err := controller.NewTypedUnmanaged(namespace, controller.TypedOptions[queue.Item]{
		Reconciler: k, MaxConcurrentReconciles: 4, RateLimiter: limiter, SkipNameValidation: new(true),
		NewQueue: func(string, workqueue.TypedRateLimiter[queue.Item]) workqueue.TypedRateLimitingInterface[queue.Item] {
			return o.queue
		},
		LogConstructor: func(*queue.Item) logr.Logger { return GinkgoLogr },
	})
	Expect(err).NotTo(HaveOccurred())
	Expect(c.Watch(&observe.Primary{Path: path, Resources: resources})).To(Succeed())
	ended := make(chan error, 1)
	go func() { ended <- c.Start(running) }()
	DeferCleanup(func() { cancel(); Expect(<-ended).To(Succeed()); resources.Stop() })
	Expect(resources.WaitForSync(ctx)).To(Succeed())
	return o
}

func (o *observed) work(ctx context.Context, w work.Work) (work.Outcome, error) {
	o.mu.Lock()
	o.now++
	o.most = max(o.most, o.now)
	o.deepest = max(o.deepest, o.queue.Len())
	one := change{generation: w.Events.Sentinels["generationChanged"], labels: w.Events.Sentinels["labelsChanged"]}
	if !o.withoutValues {
		one.seen = w.Object.GetGeneration()
	}
	o.told = append(o.told, one)
	o.mu.Unlock()
	select {
	case <-ctx.Done():
	case <-time.After(20 * time.Millisecond):
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.now--
	return work.Outcome{}, nil
}

func (o *observed) changes() []change {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]change(nil), o.told...)
}

// working is how many cycles there are at the moment.
func (o *observed) working() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.now
}
