package events_test

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = DescribeTable("Row 49: retryBackoff spaces the tries of a cycle before its failure counts", func(ctx context.Context, backoff string, attempts int, pauses ...time.Duration) {
	namespace, s := newNamespace(ctx), newService()
	s.answer(503, "")
	o := calling(ctx, namespace, "", `
reconciler: {resync: 1h, queue: {retryBackoff: `+backoff+`}}
onReconcile: {external: [{name: plan, url: "URL/"}]}`, s, thisMachine)
	create(ctx, namespace, "w", "")
	for made := 1; made < attempts; made++ {
		Eventually(s.calls).Should(BeNumerically(">=", made))
		Expect(o.State().Health.ConsecutiveFails).To(BeZero(), "try %d is not the last one", made)
	}
	Eventually(func() int { return o.State().Health.ConsecutiveFails }).Should(BeNumerically(">=", 1))
	s.answer(200, "")
	times := s.times()
	Expect(len(times)).To(BeNumerically(">=", attempts))
	for i, pause := range pauses {
		Expect(times[i+1].Sub(times[i])).To(And(BeNumerically(">=", pause), BeNumerically("<", pause+400*time.Millisecond)), "pause %d", i+1)
	}
	Eventually(func() int { return o.State().Health.ConsecutiveFails }).Should(BeZero())
},
	Entry("a time alone: three tries, each pause twice as long", "500ms", 3, 500*time.Millisecond, time.Second),
	Entry("everything declared", "{initial: 100ms, multiplier: 3.0, max: 500ms, maxAttempts: 4}", 4, 100*time.Millisecond, 300*time.Millisecond, 500*time.Millisecond),
)
