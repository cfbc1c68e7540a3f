package resilience_test

import (
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/orkestra-runtime/orkestra/runtime/engine"
	"github.com/orkestra-runtime/orkestra/runtime/health"
)

var _ = Describe("A dependency", func() {
	It("is waited for as its condition says, and what depends on it keeps running", func(ctx SpecContext) {
		const base, started, healthy = "base.example.com", "started.example.com", "healthy.example.com"
		first := widgets(base)
		install(ctx, widgets(started), widgets(healthy))
		// The names are such that the order of the alphabet would be wrong.
		o := start(katalogText("dependencies",
			entryText("z-base", base, ""),
			entryText("b-started", started, "\n      dependsOn: {z-base: started}"),
			entryText("a-healthy", healthy, "\n      dependsOn: {z-base: healthy}")))
		waiting := func(entry string) func() string {
			return func() string { return o.state(entry).Health.Waiting }
		}
		Eventually(waiting("b-started"), 5*time.Second).Should(Equal("dependency z-base has not started"))
		Eventually(waiting("a-healthy"), 5*time.Second).Should(Equal("dependency z-base has not started"))

		install(ctx, first)
		o.awaitRunning("z-base", "b-started")
		Expect(o.state("z-base").Health.StartedAt).To(BeTemporally("<=", o.state("b-started").Health.StartedAt))
		Eventually(waiting("a-healthy"), 5*time.Second).Should(Equal("dependency z-base is not healthy"))

		By("not counting a dependency as healthy whose only resource fails")
		space := namespace(ctx)
		one := widget(base, space, "one", map[string]any{"size": "1"})
		o.network.hold(refuse("POST", "/namespaces/"+space+"/configmaps"))
		create(ctx, one)
		Eventually(func() health.State { return o.state("z-base").Health.State }, 5*time.Second).Should(Equal(health.Degraded))
		Consistently(o.running("a-healthy"), time.Second).Should(BeFalse())

		By("starting when it succeeds")
		o.network.hold(nil)
		o.awaitRunning("a-healthy")

		By("running on when the definition of the dependency goes")
		uninstall(ctx, first)
		Eventually(o.running("z-base"), 5*time.Second).Should(BeFalse())
		Consistently(func() bool { return o.running("a-healthy")() && o.running("b-started")() }, time.Second).Should(BeTrue())
	})
})

var _ = Describe("Two engines of one process", func() {
	It("run their Katalogs side by side, on one Manager or two", func(ctx SpecContext) {
		groups := []string{"left.example.com", "right.example.com", "third.example.com"}
		options := make([]engine.Options, 0, len(groups))
		for i, group := range groups {
			install(ctx, widgets(group))
			options = append(options, engine.Options{Katalogs: parse(katalogText(fmt.Sprintf("side-%d", i), entryText("widget", group, "")))})
		}
		pair := setup{engines: options[:2]}.start()
		single := setup{engines: options[2:]}.start()
		space := namespace(ctx)
		for i, group := range groups {
			one := widget(group, space, fmt.Sprintf("one-%d", i), map[string]any{"size": fmt.Sprint(i)})
			create(ctx, one)
			Eventually(ready(ctx, one), 10*time.Second).Should(BeTrue(), condition(ctx, one))
		}
		Expect(sizes(ctx, space)).To(Equal(map[string]string{"one-0": "0", "one-1": "1", "one-2": "2"}))
		for _, o := range []*operator{pair, single} {
			Expect(o.logbook.errors()).To(BeEmpty())
		}
	})
})
