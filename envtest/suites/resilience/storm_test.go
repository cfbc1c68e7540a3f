package resilience_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var _ = Describe("A storm of edits on one resource", func() {
	It("leaves the others their workers, and ends in what was said last", func(ctx SpecContext) {
		const group, fewest, calm = "storm.example.com", 100, 50
		install(ctx, widgets(group))
		o := start(katalogText("storm", entryText("storm", group, `
      labels: {team: blue}`)+`
        status:
          fields:
            - {path: size, value: "{{ .spec.size }}"}
`))
		o.awaitRunning("storm")
		space := namespace(ctx)
		stormed := widget(group, space, "stormed", map[string]any{"size": "0"})
		create(ctx, stormed)
		Eventually(ready(ctx, stormed), 30*time.Second).Should(BeTrue())

		ending, end := context.WithCancel(ctx)
		defer end()
		writes := []func(n int64) error{
			func(n int64) error { return edit(ctx, stormed.DeepCopy(), fmt.Sprintf(`{"size":"%d"}`, n)) },
			func(n int64) error {
				return admin.Patch(ctx, stormed.DeepCopy(), merge(`{"metadata":{"labels":{"team":"red","edit":"%d"}}}`, n))
			},
			func(n int64) error {
				return admin.Status().Patch(ctx, stormed.DeepCopy(), merge(`{"status":{"size":"wrong","theirs":"%d"}}`, n))
			},
		}
		edits := make([]atomic.Int64, len(writes))
		var writers sync.WaitGroup
		for i, write := range writes {
			writers.Go(func() {
				defer GinkgoRecover()
				wait.NonSlidingUntilWithContext(ending, func(context.Context) { Expect(write(edits[i].Add(1))).To(Succeed()) }, 10*time.Millisecond)
			})
		}

		var latencies []time.Duration
		// Each of the others becomes ready while the storm goes on, or this never ends.
		for i := 0; i < calm || edits[0].Load() <= fewest; i++ {
			latencies = append(latencies, latency(ctx, group, space, fmt.Sprintf("calm-%03d", i)))
		}
		end()
		writers.Wait()
		slices.Sort(latencies)
		p99 := latencies[len(latencies)*99/100]
		AddReportEntry("storm", fmt.Sprintf("%d edits of the spec; %d others, p99 %s", edits[0].Load(), len(latencies), p99))

		By("converging afterwards")
		Eventually(func() (map[string]string, error) { return sizes(ctx, space) }, 30*time.Second).
			Should(HaveKeyWithValue("stormed", fmt.Sprint(edits[0].Load())))
		Eventually(ready(ctx, stormed), 30*time.Second).Should(BeTrue(), condition(ctx, stormed))
		Eventually(func() string {
			_ = admin.Get(ctx, client.ObjectKeyFromObject(stormed), stormed)
			return fmt.Sprint(stormed.GetLabels()["team"], " ", stormed.Object["status"].(map[string]any)["size"])
		}, 30*time.Second).Should(Equal(fmt.Sprint("blue ", edits[0].Load())))
	}, NodeTimeout(3*time.Minute))
})

func merge(patch string, values ...any) client.Patch {
	return client.RawPatch("application/merge-patch+json", fmt.Appendf(nil, patch, values...))
}

// latency is the time from the creation of a resource to that of its ConfigMap.
func latency(ctx context.Context, group, space, name string) time.Duration {
	GinkgoHelper()
	begin := time.Now()
	Expect(admin.Create(ctx, widget(group, space, name, map[string]any{"size": "1"}))).To(Succeed())
	Eventually(func() error {
		return admin.Get(ctx, client.ObjectKey{Namespace: space, Name: name}, &corev1.ConfigMap{})
	}, 10*time.Second, 2*time.Millisecond).Should(Succeed())
	return time.Since(begin)
}
