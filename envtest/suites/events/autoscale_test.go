package events_test

import (
	"context"
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/operator"
)

// autoscaled runs an operator of the Widgets of a namespace until the spec ends. Each cycle takes at least half a second.
func autoscaled(ctx context.Context, namespace, reconciler, autoscale string) {
	GinkgoHelper()
	text := fmt.Sprintf(`
apiVersion: orkestra.orkspace.io/v1
kind: Katalog
metadata: {name: events}
spec:
  crds:
    %s:
      apiTypes: {group: %s, version: v1, kind: Widget, plural: widgets}
      namespace: %[1]s
      operatorBox:
        reconciler: %[3]s
        autoscale: %[4]s
        onReconcile:
          configMaps: [{name: "{{ .metadata.name }}", sleep: 500ms, data: {size: "{{ .spec.size }}"}}]
`, namespace, group, reconciler, autoscale)
	result, err := katalog.Parse(katalog.Options{}, "katalog.yaml", []byte(text))
	Expect(err).NotTo(HaveOccurred(), text)
	o, err := operator.Start(ctx, env.Config(), result.Documents[0].Katalog, namespace)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(o.Stop()).To(Succeed()) })
}

// measured is the sum of the series that a metric has of the CRD, for an Eventually. The CRD is called as the namespace is. -1: there is no such series.
func measured(name, crd string) func() int {
	return func() int {
		families, err := ctrlmetrics.Registry.Gather()
		Expect(err).NotTo(HaveOccurred())
		value := -1
		for _, family := range families {
			for _, metric := range family.GetMetric() {
				for _, label := range metric.GetLabel() {
					if family.GetName() == name && label.GetName() == "crd" && label.GetValue() == crd {
						value = max(value, 0) + int(metric.GetCounter().GetValue()+metric.GetGauge().GetValue())
					}
				}
			}
		}
		return value
	}
}

// crowd makes as many Widgets.
func crowd(ctx context.Context, namespace string, n int) {
	GinkgoHelper()
	for i := range n {
		Expect(cluster.Create(ctx, widget(namespace, fmt.Sprintf("w-%02d", i), "size: 1"))).To(Succeed())
	}
}

var _ = Describe("the autoscaler of an operator", func() {
	It("overrides at once while there is much to do, and restores after the cooldown", func(ctx context.Context) {
		const cooldown = 4 * time.Second
		namespace := newNamespace(ctx)
		autoscaled(ctx, namespace, `{workers: 1, resync: 1h}`, fmt.Sprintf(
			`{interval: 250ms, cooldown: %s, conditions: {when: [{field: metrics.queueDepth, greaterThan: "5"}]}, do: {workers: 6}}`, cooldown))
		active, workers := measured("orkestra_autoscale_override_active", namespace), measured("orkestra_autoscale_workers_current", namespace)
		busy, depth := measured("controller_workers_active", namespace), measured("controller_queue_depth", namespace)
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
		Expect(measured("orkestra_autoscale_overrides_total", namespace)()).To(Equal(1))
		Expect(measured("orkestra_autoscale_restores_total", namespace)()).To(Equal(1))
	}, NodeTimeout(2*time.Minute))

	It("has profiles whose numbers are relative to what is declared", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		autoscaled(ctx, namespace, `{workers: 2, resync: 1h, queue: {maxDepth: 10}}`, `{profile: burst}`)
		workers, busy := measured("orkestra_autoscale_workers_current", namespace), measured("controller_workers_active", namespace)
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
		Eventually(measured("orkestra_autoscale_override_active", namespace)).Should(Equal(1))
		cycles := measured("controller_reconcile_total", namespace)
		before := cycles()
		Eventually(cycles).Should(BeNumerically(">=", before+3), "nothing changes, and yet it is looked at")
	}, NodeTimeout(2*time.Minute))
})
