package resilience_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"go.uber.org/goleak"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/orkestra-runtime/orkestra/runtime/engine"
)

var _ = Describe("The end of an operator", func() {
	// Row 123.
	It("lets the cycles that have begun finish, and begins no other", func(ctx SpecContext) {
		const group = "drain.example.com"
		install(ctx, widgets(group))
		o := start(katalogText("drain", entryText("drain", group, "")))
		o.awaitRunning("drain")
		space := namespace(ctx)
		slow := slowdown{text: "/namespaces/" + space + "/configmaps", delay: 1500 * time.Millisecond}
		o.network.hold(slow.wait)
		createMany(ctx, 10, func(i int) client.Object {
			return widget(group, space, fmt.Sprintf("one-%d", i), map[string]any{"size": "1"})
		})
		Eventually(slow.begun.Load, 5*time.Second, time.Millisecond).Should(BeEquivalentTo(3), "as many as there are workers")

		begin := time.Now()
		o.stop()
		Expect(time.Since(begin)).To(BeNumerically("<", 10*time.Second))
		Expect(slow.begun.Load()).To(BeEquivalentTo(3))
		Expect(slow.cancelled.Load()).To(BeZero())
		found, err := sizes(ctx, space)
		Expect(err).NotTo(HaveOccurred())
		Expect(found).To(HaveLen(3))
		for name := range found {
			Expect(ready(ctx, widget(group, space, name, nil))()).To(BeTrue(), "the cycle of %s came to its end, the status", name)
		}
		Expect(o.logbook.errors()).To(BeEmpty())
	})

	It("cancels a cycle that takes longer than it may", func(ctx SpecContext) {
		const group = "patience.example.com"
		install(ctx, widgets(group))
		o := setup{engines: []engine.Options{{
			Katalogs: parse(katalogText("patience", entryText("patience", group, ""))), Drain: 300 * time.Millisecond,
		}}}.start()
		o.awaitRunning("patience")
		space := namespace(ctx)
		slow := slowdown{text: "/namespaces/" + space + "/configmaps", delay: time.Minute}
		o.network.hold(slow.wait)
		create(ctx, widget(group, space, "one", map[string]any{"size": "1"}))
		Eventually(slow.begun.Load, 5*time.Second, time.Millisecond).Should(BeEquivalentTo(1))
		begin := time.Now()
		o.stop()
		Expect(time.Since(begin)).To(And(BeNumerically(">", 300*time.Millisecond), BeNumerically("<", 3*time.Second)))
		Expect(slow.cancelled.Load()).To(BeEquivalentTo(1))
	})

	It("leaves no goroutine, however often it starts and stops", func(ctx SpecContext) {
		const group = "again.example.com"
		install(ctx, widgets(group))
		space := namespace(ctx)
		create(ctx, widget(group, space, "one", map[string]any{"size": "1"}))
		again := func() {
			GinkgoHelper()
			o := start(katalogText("again", entryText("again", group, ""), entryText("never", "never.example.com", "")))
			o.awaitRunning("again")
			o.stop()
		}
		again() // what belongs to the process is there from here on
		before := goleak.IgnoreCurrent()
		for range 20 {
			again()
		}
		Eventually(func() error { return goleak.Find(before, ignoreOwnConnections()) }, 10*time.Second, 500*time.Millisecond).Should(Succeed())
	})
})

// slowdown delays requests that create something below a path.
type slowdown struct {
	text             string
	delay            time.Duration
	begun, cancelled atomic.Int32
}

func (s *slowdown) wait(request *http.Request) error {
	if request.Method != http.MethodPost || !strings.HasSuffix(request.URL.Path, s.text) {
		return nil
	}
	s.begun.Add(1)
	timer := time.NewTimer(s.delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-request.Context().Done():
		s.cancelled.Add(1)
		return request.Context().Err()
	}
}

// ignoreOwnConnections leaves out the goroutines of HTTP connections, which a transport keeps for the next request.
func ignoreOwnConnections() goleak.Option {
	return goleak.IgnoreAnyFunction("golang.org/x/net/http2.(*clientConnReadLoop).run")
}
