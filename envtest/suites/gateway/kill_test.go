package gateway_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// strictly has rules, and an API server that stores nothing without them.
const strictly = `apiVersion: orkestra.orkspace.io/v1
kind: Katalog
metadata: {name: strictly}
gateway: {endpoint: "http://gateway"}
security: {webhooks: {admission: {enabled: true}, failurePolicy: Fail}}
spec:
  crds:
    lot:
      apiTypes: {group: gateway.example.com, version: v1, kind: Lot, plural: lots}
      mutation: {rules: [{field: spec.size, default: 1, valueType: int}]}
      validation: {rules: [{field: spec.size, max: "5", message: too large}]}
`

var _ = Describe("A replica that is killed", Ordered, func() {
	It("takes no request with it but those that are on their way to it, and what is stored has passed the rules", func(ctx SpecContext) {
		namespace, in := newNamespace(ctx), newNamespace(ctx)
		install(ctx, "Lot", "lots")
		s, replicas := serve(ctx, namespace, strictly)
		tooLarge := func() error {
			return cluster.Create(ctx, resource("v1", "Lot", in, "probe", "{size: 9}"), client.DryRunAll)
		}
		for range 10 { // each replica
			Eventually(tooLarge).Should(MatchError(ContainSubstring("too large")))
		}
		const workers = 8
		var created atomic.Int64
		var mu sync.Mutex // guards failed
		var failed []error
		var all sync.WaitGroup
		deadline := time.Now().Add(6 * time.Second)
		for worker := range workers {
			all.Go(func() {
				for i := 0; time.Now().Before(deadline); i++ {
					if err := cluster.Create(ctx, resource("v1", "Lot", in, fmt.Sprintf("lot-%d-%d", worker, i), "{}")); err != nil {
						mu.Lock()
						failed = append(failed, err)
						mu.Unlock()
						continue
					}
					created.Add(1)
				}
			})
		}
		time.Sleep(2 * time.Second) //nolint:forbidigo // the load goes on for a while
		before := created.Load()
		s.kill(replicas[0].address)
		all.Wait()
		AddReportEntry("figures", fmt.Sprintf("%d created before and %d after, %d failed", before, created.Load()-before, len(failed)))
		Expect(len(failed)).To(BeNumerically("<=", workers), "%v", failed)
		Expect(created.Load()-before).To(BeNumerically(">", 50), "after the replica was killed")
		Expect(tooLarge()).To(MatchError(ContainSubstring("too large")))
	})

	It("leaves what failurePolicy says when it was the last one, and all else as it is", func(ctx SpecContext) {
		namespace, in := newNamespace(ctx), newNamespace(ctx)
		install(ctx, "Plot", "plots")
		s, replicas := serve(ctx, namespace, strictly)
		Eventually(func() error {
			return cluster.Create(ctx, resource("v1", "Lot", in, "probe", "{size: 9}"), client.DryRunAll)
		}).Should(MatchError(ContainSubstring("too large")))
		for _, one := range replicas {
			s.kill(one.address)
		}
		Eventually(func() error { return cluster.Create(ctx, resource("v1", "Lot", in, "a", "{}")) }).Should(MatchError(ContainSubstring("failed calling webhook")))
		Expect(cluster.Create(ctx, resource("v1", "Plot", in, "a", "{}"))).To(Succeed(), "of no Katalog")
		s.put(replicas[0].address, replicas[1].address)
		Eventually(func() error { return cluster.Create(ctx, resource("v1", "Lot", in, "a", "{}")) }).Should(Succeed())
	})
})
