package resilience_test

import (
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/orkestra-runtime/orkestra/runtime/engine"
	"github.com/orkestra-runtime/orkestra/runtime/health"
)

var _ = Describe("The definitions of a chain of entries", Ordered, func() {
	const base, started, healthy, apart = "chainbase.example.com", "chainstarted.example.com", "chainhealthy.example.com", "chainapart.example.com"
	var (
		o     *operator
		space string
		one   *unstructured.Unstructured
	)
	BeforeAll(func(ctx SpecContext) {
		install(ctx, widgets(started), widgets(healthy), widgets(apart))
		o = start(katalogText("chain",
			entryText("base", base, ""),
			entryText("started", started, "\n      dependsOn: {base: started}"),
			entryText("healthy", healthy, "\n      dependsOn: {base: healthy}"),
			entryText("apart", apart, "")))
		space = namespace(ctx)
		one = widget(base, space, "one", map[string]any{"size": "1"})
	})
	of := func(entry string) func() health.Snapshot {
		return func() health.Snapshot { return o.state(entry).Health }
	}
	ok := func(missing, unhealthy bool, state health.State) OmegaMatcher {
		return And(HaveField("Missing", missing), HaveField("HasUnhealthyDeps", unhealthy), HaveField("State", state))
	}

	// Row 12.
	It("do not keep those that depend on nothing from starting", func(ctx SpecContext) {
		o.awaitRunning("apart")
		Expect(o.running("base")()).To(BeFalse())
		Expect(of("base")()).To(ok(false, false, health.NotStarted))
	})

	It("Defect72: are noticed without polling", func(ctx SpecContext) {
		install(ctx, widgets(base))
		// The server puts the first watch of a new kind off by a second.
		Eventually(func() bool { return o.running("base")() && o.running("started")() }, 5*time.Second, 20*time.Millisecond).Should(BeTrue())
	})

	It("are waited for until the first success where the dependency is healthy", func(ctx SpecContext) {
		Consistently(o.running("healthy"), 500*time.Millisecond).Should(BeFalse())
		Expect(of("healthy")().Waiting).To(Equal("dependency base is not healthy"))
		create(ctx, one)
		o.awaitRunning("healthy")
		Expect(of("base")()).To(ok(false, false, health.Healthy))
		Eventually(of("healthy")).Should(HaveField("HasUnhealthyDeps", false))
	})

	// Row 14.
	It("Defect71: are missing when they are gone, and only then", func(ctx SpecContext) {
		uninstall(ctx, widgets(base))
		Eventually(of("base"), 5*time.Second).Should(ok(true, false, health.Degraded))
		Expect(of("base")().LastError).To(Equal("CRD missing at runtime"))
		Expect(of("apart")()).To(HaveField("Missing", false))
	})

	It("Defect75: do not stop what depends on them, which says so", func(ctx SpecContext) {
		Expect(of("healthy")()).To(ok(false, true, health.Degraded))
		Expect(of("started")()).To(ok(false, true, health.Pending))
		dependent := widget(healthy, space, "dependent", map[string]any{"size": "1"})
		create(ctx, dependent)
		Eventually(ready(ctx, dependent), 5*time.Second).Should(BeTrue())
	})

	// Row 14.
	It("Defect73: can come back, and the queue is in use again", func(ctx SpecContext) {
		install(ctx, widgets(base))
		o.awaitRunning("base")
		one = widget(base, space, "two", map[string]any{"size": "2"})
		create(ctx, one)
		Eventually(ready(ctx, one), 10*time.Second).Should(BeTrue())
		Expect(edit(ctx, one, `{"size":"3"}`)).To(Succeed())
		Eventually(func() (map[string]string, error) { return sizes(ctx, space) }, 5*time.Second).Should(HaveKeyWithValue("two", "3"))
	})

	// Row 14.
	It("Defect79: leave nothing degraded once they are back", func() {
		Eventually(of("base"), 5*time.Second).Should(ok(false, false, health.Healthy))
		Eventually(of("healthy")).Should(ok(false, false, health.Healthy))
		Eventually(of("started")).Should(HaveField("HasUnhealthyDeps", false))
		Expect(o.logbook.errors()).To(BeEmpty())
	})
})

var _ = Describe("The end of entries that depend on each other", func() {
	// Row 123.
	It("comes first for what depends, and what it depends on works until then", func(ctx SpecContext) {
		const base, dependent = "endbase.example.com", "enddependent.example.com"
		install(ctx, widgets(base), widgets(dependent))
		o := start(katalogText("end", entryText("base", base, ""), entryText("dependent", dependent, "\n      dependsOn: {base: started}")))
		o.awaitRunning("base", "dependent")
		space, slowSpace := namespace(ctx), namespace(ctx)
		one := widget(base, space, "one", map[string]any{"size": "1"})
		create(ctx, one)
		Eventually(ready(ctx, one), 5*time.Second).Should(BeTrue())
		slow := slowdown{text: "/namespaces/" + slowSpace + "/configmaps", delay: 3 * time.Second}
		o.network.hold(slow.wait)
		other := widget(dependent, slowSpace, "other", map[string]any{"size": "1"})
		create(ctx, other)
		Eventually(slow.begun.Load, 5*time.Second, time.Millisecond).Should(BeEquivalentTo(1))

		var ended atomic.Bool
		stopped := make(chan struct{})
		go func() {
			defer GinkgoRecover()
			defer close(stopped)
			o.stop()
			ended.Store(true)
		}()
		Expect(edit(ctx, one, `{"size":"2"}`)).To(Succeed())
		Eventually(func() (map[string]string, error) { return sizes(ctx, space) }, 2*time.Second, 20*time.Millisecond).Should(HaveKeyWithValue("one", "2"))
		Expect(ended.Load()).To(BeFalse(), "the cycle of the dependent goes on")
		Eventually(stopped, 10*time.Second).Should(BeClosed())
		Expect(slow.cancelled.Load()).To(BeZero())
		Expect(ready(ctx, other)()).To(BeTrue(), "the cycle that had begun came to its end")
		Expect(o.logbook.errors()).To(BeEmpty())
	})

	It("is within one limit, however many there are", func(ctx SpecContext) {
		const base, dependent = "limitbase.example.com", "limitdependent.example.com"
		install(ctx, widgets(base), widgets(dependent))
		o := setup{engines: []engine.Options{{
			Katalogs: parse(katalogText("limit", entryText("base", base, ""), entryText("dependent", dependent, "\n      dependsOn: {base: started}"))),
			Drain:    time.Second,
		}}}.start()
		o.awaitRunning("base", "dependent")
		space := namespace(ctx)
		slow := slowdown{text: "/namespaces/" + space + "/configmaps", delay: time.Minute}
		o.network.hold(slow.wait)
		create(ctx, widget(base, space, "one", map[string]any{"size": "1"}), widget(dependent, space, "two", map[string]any{"size": "1"}))
		Eventually(slow.begun.Load, 5*time.Second, time.Millisecond).Should(BeEquivalentTo(2))
		begin := time.Now()
		o.stop()
		Expect(time.Since(begin)).To(And(BeNumerically(">", 900*time.Millisecond), BeNumerically("<", 1900*time.Millisecond)))
		Expect(slow.cancelled.Load()).To(BeEquivalentTo(2))
	})
})

var _ = Describe("Another Katalog in the place of one", func() {
	It("neither interrupts a cycle of an entry that stays, nor loses what is queued", func(ctx SpecContext) {
		const stays, comes = "undisturbed.example.com", "disturbing.example.com"
		install(ctx, widgets(stays), widgets(comes))
		katalog := func(more string) string {
			return katalogText("undisturbed", entryText("stays", stays, "\n      workers: 1"), entryText("comes", comes, more))
		}
		o := start(katalog(""))
		o.awaitRunning("stays", "comes")
		space := namespace(ctx)
		slow := slowdown{text: "/namespaces/" + space + "/configmaps", delay: time.Second}
		o.network.hold(slow.wait)
		for _, name := range []string{"one", "two", "three"} {
			create(ctx, widget(stays, space, name, map[string]any{"size": name}))
		}
		Eventually(slow.begun.Load, 5*time.Second, time.Millisecond).Should(BeEquivalentTo(1))
		Eventually(func() int { return o.state("stays").Busy }).Should(Equal(3))
		Expect(o.replace(katalog("\n      labels: {changed: \"yes\"}"))).To(Succeed())
		Expect(o.state("stays").Busy).To(BeNumerically(">=", 2))
		Eventually(func() (map[string]string, error) { return sizes(ctx, space) }, 10*time.Second).Should(HaveLen(3))
		Expect(slow.cancelled.Load()).To(BeZero())
		Expect(slow.begun.Load()).To(BeEquivalentTo(3), "each is made once")
	})
})
