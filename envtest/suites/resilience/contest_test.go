package resilience_test

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var _ = Describe("Another writer of a child", func() {
	It("that puts its value back each time is named, and does not make the operator write without end", func(ctx SpecContext) {
		const group = "contest.example.com"
		install(ctx, widgets(group))
		o := start(katalogText("contest", entryText("contest", group, "")))
		o.awaitRunning("contest")
		space := namespace(ctx)
		contested, calm := widget(group, space, "contested", map[string]any{"size": "1"}), widget(group, space, "calm", map[string]any{"size": "1"})
		create(ctx, contested, calm)
		Eventually(ready(ctx, contested), 30*time.Second).Should(BeTrue())
		Eventually(ready(ctx, calm), 30*time.Second).Should(BeTrue())

		ending, end := context.WithCancel(ctx)
		defer end()
		fighting := make(chan struct{})
		go func() {
			defer GinkgoRecover()
			defer close(fighting)
			wait.NonSlidingUntilWithContext(ending, func(context.Context) {
				var child corev1.ConfigMap
				Expect(admin.Get(ctx, client.ObjectKeyFromObject(contested), &child)).To(Succeed())
				if child.Data["size"] != "theirs" {
					Expect(admin.Patch(ctx, &child, merge(`{"data":{"size":"theirs"}}`), client.FieldOwner("rival"))).To(Succeed())
				}
			}, 10*time.Millisecond)
		}()
		Eventually(condition(ctx, contested), 30*time.Second).Should(Equal(
			"False ChildContested: ConfigMap contested: data.size is changed by field manager rival each time it is written, " +
				"more than 10 times in a minute; it is written again only after a while: have one of both leave it"))

		By("leaving it to the other one for a while")
		writes := func() int { return o.network.count("PATCH", "/configmaps/contested") }
		before := writes()
		Consistently(writes, 5*time.Second).Should(BeNumerically("<=", before+1))
		Expect(ready(ctx, calm)()).To(BeTrue())

		By("having it back as soon as the resource changes, and keeping it once the other one leaves it")
		end()
		<-fighting
		Expect(edit(ctx, contested, `{"size":"2"}`)).To(Succeed())
		Eventually(ready(ctx, contested), 10*time.Second).Should(BeTrue(), condition(ctx, contested))
		Eventually(func() (map[string]string, error) { return sizes(ctx, space) }, 5*time.Second).Should(HaveKeyWithValue("contested", "2"))
	}, NodeTimeout(2*time.Minute))
})
