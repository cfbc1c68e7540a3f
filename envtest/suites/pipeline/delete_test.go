package pipeline_test

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("onDelete", func() {
	It("deletes what it names before the resource goes, and leaves the rest to garbage collection", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		o := operate(ctx, namespace, declared{box: `
onReconcile:
  configMaps: [{name: first, data: {a: b}}, {name: other, data: {a: b}}]
onDelete:
  configMaps: [{name: first}, {name: "{{ .spec.size | toInt | repeat 3 }}"}]
  secrets: [{name: never, when: [{field: spec.size, equals: "2"}]}]`})
		w := createWidget(ctx, namespace, `spec: {size: 1}`)
		Eventually(ready(ctx, w)).Should(HaveExactElements("True", "ReconcileSucceeded", ""))
		Expect(w.GetFinalizers()).To(Equal([]string{"orkestra.konductor.io/cleanup"}))
		patch(ctx, configMap(namespace, "first"), `{"metadata":{"finalizers":["example.com/held"]}}`)
		o.settle()
		o.take()

		Expect(cluster.Delete(ctx, w)).To(Succeed())
		o.settle()
		Expect(o.take()).To(Equal([]string{"delete configmaps first", "update widgets/status w"}))
		Expect(ready(ctx, w)()).To(HaveExactElements("False", "Deleting", "waits for ConfigMap first"))
		Consistently(exists(ctx, w)).WithTimeout(time.Second).Should(BeTrue(), "the child is not gone yet")
		patch(ctx, configMap(namespace, "first"), `{"metadata":{"finalizers":null}}`)
		Eventually(exists(ctx, w)).Should(BeFalse())
		Expect(o.take()).To(Equal([]string{"patch widgets w"}))
		Expect(data(ctx, namespace, "other")()).NotTo(BeNil())
		Eventually(eventsOf(ctx, namespace)).Should(ConsistOf("Normal Deleting", "Normal Deleted"))
	})
})
