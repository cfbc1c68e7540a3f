package events_test

import (
	"context"
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// autoscaled runs an operator of the Widgets of a namespace until the spec ends. Each cycle takes at least half a second.
func autoscaled(ctx context.Context, namespace, reconciler, autoscale string) {
	GinkgoHelper()
	operate(ctx, namespace, "", fmt.Sprintf(`
reconciler: %s
autoscale: %s
onReconcile:
  configMaps: [{name: "{{ .metadata.name }}", sleep: 500ms, data: {size: "{{ .spec.size }}"}}]
`, reconciler, autoscale))
}

// crowd makes as many Widgets.
func crowd(ctx context.Context, namespace string, n int) {
	GinkgoHelper()
	for i := range n {
		Expect(cluster.Create(ctx, widget(namespace, fmt.Sprintf("w-%02d", i), "size: 1"))).To(Succeed())
	}
}

var _ = Describe("the autoscaler of an operator", func() {
	// Rows 119 and 120.
	It("overrides at once while there is much to do, and restores after the cooldown", func(ctx context.Context) {
		const cooldown = 4 * time.Second
		namespace := newNamespace(ctx)
		autoscaled(ctx, namespace, `{workers: 1, resync: 1h}`, fmt.Sprintf(
			`{interval: 250ms, cooldown: %s, conditions: {when: [{field: metrics.queueDepth, greaterThan: "5"}]}, do: {workers: 6}}`, cooldown))
		active, workers := counted("orkestra_autoscale_override_active", namespace, nil), counted("orkestra_autoscale_workers_current", namespace, nil)
		busy, depth := counted("controller_workers_active", namespace, nil), counted("controller_queue_depth", namespace, nil)
		Expect([]int{active(), workers()}).To(Equal([]int{0, 1}), "it starts with what is declared")

		crowd(ctx, namespace, 40)
		Eventually(active).Should(Equal(1))
		Expect(workers()).To(Equal(6))
		Eventually(busy).Should(And(BeNumerically(">", 1), BeNumerically("<=", 6)))

		By("the work being done")
		Eventually(func() int {
			Expect(busy()).To(BeNumerically("<=", 6))
			return depth()
		}).Should(BeNumerically("<=", 5))
		quiet := time.Now()
		Eventually(func() int {
			made := &corev1.ConfigMapList{}
			Expect(cluster.List(ctx, made, client.InNamespace(namespace), client.HasLabels{"orkestra-owner"})).To(Succeed())
			return len(made.Items)
		}).Should(Equal(40), "nothing is lost")
		Eventually(active).Should(Equal(0))
		Expect(time.Since(quiet)).To(BeNumerically(">", cooldown/2), "the override outlives the conditions")
		Expect(workers()).To(Equal(1))
		Expect(counted("orkestra_autoscale_overrides_total", namespace, nil)()).To(Equal(1))
		Expect(counted("orkestra_autoscale_restores_total", namespace, nil)()).To(Equal(1))
	}, NodeTimeout(2*time.Minute))

	// Row 121.
	It("has profiles whose numbers are relative to what is declared", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		autoscaled(ctx, namespace, `{workers: 2, resync: 1h, queue: {maxDepth: 10}}`, `{profile: burst}`)
		workers, busy := counted("orkestra_autoscale_workers_current", namespace, nil), counted("controller_workers_active", namespace, nil)
		Expect(workers()).To(Equal(2))
		// More than 6 wait for more than the 5 seconds between two evaluations.
		crowd(ctx, namespace, 60)
		Eventually(workers).Should(Equal(8))
		Eventually(busy).Should(And(BeNumerically(">", 2), BeNumerically("<=", 8)))
	}, NodeTimeout(2*time.Minute))

	It("can have every resource looked at more often", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		autoscaled(ctx, namespace, `{workers: 1, resync: 1h}`,
			`{interval: 250ms, conditions: {when: [{field: metrics.totalReconciles, greaterThan: "0"}]}, do: {resync: 1s}}`)
		crowd(ctx, namespace, 1)
		Eventually(counted("orkestra_autoscale_override_active", namespace, nil)).Should(Equal(1))
		cycles := counted("controller_reconcile_total", namespace, nil)
		before := cycles()
		Eventually(cycles).Should(BeNumerically(">=", before+3), "nothing changes, and yet it is looked at")
	}, NodeTimeout(2*time.Minute))
})
