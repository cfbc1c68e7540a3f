package resilience_test

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/orkestra-runtime/orkestra/runtime/engine"
)

var _ = Describe("An operator that starts", func() {
	It("handles a new edit before the five hundred resources that it finds", func(ctx SpecContext) {
		const group, count = "order.example.com", 500
		install(ctx, widgets(group))
		space := namespace(ctx)
		createMany(ctx, count, func(i int) client.Object {
			return widget(group, space, fmt.Sprintf("one-%03d", i), map[string]any{"size": "1"})
		})

		slow := slowdown{text: "/namespaces/" + space + "/configmaps", delay: 10 * time.Millisecond}
		s := setup{engines: []engine.Options{{Katalogs: parse(katalogText("order", entryText("order", group, `
      workers: 1`)))}}}
		o := s.start()
		o.network.hold(slow.wait)
		o.awaitRunning("order")
		Eventually(slow.begun.Load, 5*time.Second, time.Millisecond).Should(BeNumerically(">", 0))

		edited := widget(group, space, fmt.Sprintf("one-%03d", count-1), nil)
		Expect(edit(ctx, edited, `{"size":"edited"}`)).To(Succeed())
		Eventually(ready(ctx, edited), 2*time.Second, 5*time.Millisecond).Should(BeTrue())
		Expect(o.state("order").Busy).To(BeNumerically(">", count/2), "the others are still waiting")
		Expect(sizes(ctx, space)).To(HaveKeyWithValue(edited.GetName(), "edited"))
	})

	It("takes over from a leader that stops, and does not do its work again", func(ctx SpecContext) {
		const group = "leader.example.com"
		install(ctx, widgets(group))
		replica := func() *operator {
			GinkgoHelper()
			return setup{
				manager: ctrl.Options{
					LeaderElection: true, LeaderElectionID: "orkestra-konductor", LeaderElectionNamespace: "default",
					LeaderElectionReleaseOnCancel: true,
					LeaseDuration:                 new(3 * time.Second), RenewDeadline: new(2 * time.Second), RetryPeriod: new(200 * time.Millisecond),
				},
				engines: []engine.Options{{Katalogs: parse(katalogText("leader", entryText("leader", group, "")))}},
			}.start()
		}
		first := replica()
		first.awaitRunning("leader")
		second := replica()
		space := namespace(ctx)
		one := widget(group, space, "one", map[string]any{"size": "1"})
		create(ctx, one)
		Eventually(ready(ctx, one), 5*time.Second).Should(BeTrue())
		Consistently(second.running("leader"), time.Second).Should(BeFalse())

		first.stop()
		Expect(edit(ctx, one, `{"size":"2"}`)).To(Succeed())
		second.awaitRunning("leader")
		Eventually(ready(ctx, one), 5*time.Second).Should(BeTrue())
		Expect(sizes(ctx, space)).To(Equal(map[string]string{"one": "2"}))
		Expect(second.network.count(http.MethodPost, "/configmaps")).To(BeZero(), "the ConfigMap is the first one's, changed")
	})
})

var _ = Describe("Memory", func() {
	It("does not grow with cycles that fail", func(ctx SpecContext) {
		const group, count = "memory.example.com", 50
		install(ctx, widgets(group))
		o := start(katalogText("memory", entryText("memory", group, "")))
		o.awaitRunning("memory")
		space := namespace(ctx)
		o.network.hold(refuse(http.MethodPost, "/namespaces/"+space+"/configmaps"))
		createMany(ctx, count, func(i int) client.Object {
			return widget(group, space, fmt.Sprintf("one-%02d", i), map[string]any{"size": "0"})
		})
		// An edit is handled at once, whatever its resource has failed before.
		failEach := func(rounds int) {
			GinkgoHelper()
			for range rounds {
				goal := o.state("memory").Health.Failed + count
				inParallel(count, func(i int) {
					one := widget(group, space, fmt.Sprintf("one-%02d", i), nil)
					Expect(edit(ctx, one, fmt.Sprintf(`{"size":"%d-%s"}`, goal, strings.Repeat("x", 1000)))).To(Succeed())
				})
				Eventually(func() int64 { return o.state("memory").Health.Failed }, 5*time.Second, 5*time.Millisecond).Should(BeNumerically(">=", goal))
			}
		}
		failEach(10)
		before := heap()
		failEach(40)
		Expect(heap()-before).To(BeNumerically("<", 4<<20), "bytes")
	})
})

// heap is how many bytes are in use after a collection.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}
