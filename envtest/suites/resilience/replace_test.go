package resilience_test

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"go.uber.org/goleak"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var _ = Describe("Other Katalogs in the place of those that run", func() {
	It("end what is gone, start what is new, and leave alone what is the same", func(ctx SpecContext) {
		const stays, goes, comes = "stays.example.com", "goes.example.com", "comes.example.com"
		install(ctx, widgets(stays), widgets(goes), widgets(comes))
		space := namespace(ctx)
		o := start(katalogText("replaced", entryText("stays", stays, "")))
		o.awaitRunning("stays")
		since := o.state("stays").Health.StartedAt
		create(ctx, widget(goes, space, "gone", map[string]any{"size": "1"}))

		before := goleak.IgnoreCurrent()
		Expect(o.replace(katalogText("replaced", entryText("stays", stays, ""), entryText("goes", goes, "")))).To(Succeed())
		o.awaitRunning("stays", "goes")
		Eventually(ready(ctx, widget(goes, space, "gone", nil)), 10*time.Second).Should(BeTrue())

		By("changing nothing when one is wrong")
		Expect(o.replace(katalogText("replaced", entryText("stays", stays, ""), entryText("wrong", "wrong.example.com", "\n      labels: {a: \"{{ nonsense }}\"}")))).
			To(MatchError(ContainSubstring(`unknown function "nonsense"`)))
		Expect(o.running("goes")()).To(BeTrue())

		By("leaving no goroutine of an entry that is gone")
		Expect(o.replace(katalogText("replaced", entryText("stays", stays, "")))).To(Succeed())
		Expect(o.engines[0].States()).To(HaveLen(1))
		Eventually(func() error { return goleak.Find(before, ignoreOwnConnections()) }, 10*time.Second, 200*time.Millisecond).Should(Succeed())
		Expect(edit(ctx, widget(goes, space, "gone", nil), `{"size":"2"}`)).To(Succeed())
		Consistently(func() (map[string]string, error) { return sizes(ctx, space) }, time.Second).Should(HaveKeyWithValue("gone", "1"))

		By("starting what is new and what changed")
		Expect(o.replace(katalogText("replaced",
			entryText("stays", stays, ""), entryText("goes", goes, "\n      labels: {changed: \"yes\"}"), entryText("comes", comes, "")))).To(Succeed())
		o.awaitRunning("stays", "goes", "comes")
		Eventually(func() (map[string]string, error) { return sizes(ctx, space) }, 10*time.Second).Should(HaveKeyWithValue("gone", "2"))
		Expect(o.state("stays").Health.StartedAt).To(Equal(since), "the entry that stayed was not disturbed")
		Expect(o.logbook.errors()).To(BeEmpty())
	})
})

var _ = Describe("A resource whose entry waits for a dependency", func() {
	It("can be deleted", func(ctx SpecContext) {
		const base, dependent = "absent.example.com", "deletable.example.com"
		install(ctx, widgets(dependent))
		space := namespace(ctx)
		one := widget(dependent, space, "one", map[string]any{"size": "1"})
		one.SetFinalizers([]string{"orkestra.konductor.io/cleanup"})
		create(ctx, one)
		o := start(katalogText("waiting", entryText("base", base, ""), entryText("dependent", dependent, "\n      dependsOn: {base: started}")))
		Eventually(func() string { return o.state("dependent").Health.Waiting }, 5*time.Second).Should(Equal("dependency base has not started"))
		Consistently(func() (map[string]string, error) { return sizes(ctx, space) }, time.Second).Should(BeEmpty(), "nothing is made for it")

		Expect(admin.Delete(ctx, one)).To(Succeed())
		Eventually(func() error { return admin.Get(ctx, client.ObjectKeyFromObject(one), one) }, 5*time.Second).Should(MatchError(ContainSubstring("not found")))
		Expect(o.running("dependent")()).To(BeFalse())
	})
})

// replace gives the first engine other Katalogs.
func (o *operator) replace(katalogs ...string) error {
	return o.engines[0].Replace(parse(katalogs...)...)
}
