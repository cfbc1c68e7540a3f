package pipeline_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("creation", func() {
	const two = `
onReconcile:
  configMaps:
    - name: "{{ .metadata.name }}-a"
      data: {size: "{{ .spec.size }}"}
    - name: "{{ .metadata.name }}-b"
      data: {size: "{{ .spec.size }}"}
`

	It("costs one POST per child and one PATCH of the status", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		o := operate(ctx, namespace, declared{box: two})
		o.take()
		w := createWidget(ctx, namespace, `spec: {size: 3}`)
		Eventually(ready(ctx, w)).Should(Equal([]string{"True", "ReconcileSucceeded", ""}))
		o.settle()
		Expect(o.take()).To(Equal([]string{"create configmaps", "create configmaps", "update widgets/status w"}))
		Expect(o.cycles()).To(Equal(1), "own writes trigger no cycle")
		Expect(data(ctx, namespace, "w-a")()).To(Equal(map[string]string{"size": "3"}))
		Expect(o.takeEvents()).To(BeEmpty(), "a resource is born to be ready")
	})

	It("costs one more PATCH for labels and finalizers together", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		o := operate(ctx, namespace, declared{
			entry: `labels: {team: "{{ .spec.team }}"}`,
			box:   "finalizers: [example.com/kept]\n" + two,
		})
		o.take()
		w := createWidget(ctx, namespace, `
metadata: {labels: {mine: "1"}, finalizers: [example.com/foreign]}
spec: {team: blue, size: 1}`)
		Eventually(ready(ctx, w)).Should(HaveExactElements("True", "ReconcileSucceeded", ""))
		o.settle()
		Expect(o.take()).To(Equal([]string{"patch widgets w", "create configmaps", "create configmaps", "update widgets/status w"}))
		// An event that changes labels may hide an edit of somebody else, so it is looked at once more.
		Expect(o.cycles()).To(BeNumerically("<=", 2))
		Expect(w.GetLabels()).To(Equal(map[string]string{"mine": "1", "team": "blue"}))
		Expect(w.GetFinalizers()).To(Equal([]string{"example.com/foreign", "example.com/kept"}))
		o.expectConverged(ctx)

		By("keeping a label that somebody changes")
		patch(ctx, w, `{"metadata":{"labels":{"team":"red"}}}`)
		Eventually(field(ctx, w, "metadata", "labels", "team")).Should(Equal(`"blue"`))
		o.settle()
		Expect(o.take()).To(Equal([]string{"patch widgets w"}))
		patch(ctx, w, `{"metadata":{"finalizers":null}}`)
	})
})
