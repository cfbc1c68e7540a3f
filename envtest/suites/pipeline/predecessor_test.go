package pipeline_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

var _ = Describe("a child whose name is not free yet", func() {
	const steps = `
onCreate:
  configMaps:
    - name: first
      data: {step: "1"}
      when: [{field: status.phase, operator: notExists}]
status:
  fields:
    - {path: phase, value: started, when: [{field: status.phase, operator: notExists}]}
`

	It("left of a deleted resource of the same name is waited for, and no step of a state machine is lost", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		o := operate(ctx, namespace, declared{box: steps})
		w := createWidget(ctx, namespace, `spec: {size: 1}`)
		Eventually(ready(ctx, w)).Should(HaveExactElements("True", "ReconcileSucceeded", ""))
		left := get(ctx, configMap(namespace, "first"))
		o.stop()

		By("making the resource anew while the child of the first one is still there: nobody collects garbage here")
		Expect(cluster.Delete(ctx, w)).To(Succeed())
		o = o.replace(ctx, declared{box: steps})
		w = createWidget(ctx, namespace, `spec: {size: 1}`)
		Eventually(ready(ctx, w)).Should(HaveExactElements("False", "ChildTerminating", ContainSubstring("garbage collection")))
		Eventually(conditionOf(ctx, w, "Reconciling")).Should(HaveExactElements("True", "ChildTerminating", Not(BeEmpty())))
		Expect(conditionOf(ctx, w, "Stalled")()).To(BeNil())
		o.settle()
		Expect(field(ctx, w, "status", "phase")()).To(BeEmpty())
		o.expectConverged(ctx)

		Expect(cluster.Delete(ctx, left)).To(Succeed())
		Eventually(ready(ctx, w)).Should(HaveExactElements("True", "ReconcileSucceeded", ""))
		Expect(metav1.IsControlledBy(get(ctx, configMap(namespace, "first")), w)).To(BeTrue())
		Expect(field(ctx, w, "status", "phase")()).To(Equal(`"started"`))
	})

	It("because its object waits for a finalizer is made anew when that is gone", func(ctx context.Context) {
		o := start(ctx, declared{box: `onReconcile: {configMaps: [{name: kept, data: {a: "1"}}]}`}, `spec: {size: 1}`)
		w := object("Widget", o.namespace, "w", "")
		kept := get(ctx, configMap(o.namespace, "kept"))
		before := kept.UID
		controllerutil.AddFinalizer(kept, "example.com/held")
		Expect(cluster.Update(ctx, kept)).To(Succeed())
		Expect(cluster.Delete(ctx, kept)).To(Succeed())
		Eventually(ready(ctx, w)).Should(HaveExactElements("False", "ChildTerminating", ContainSubstring("is being deleted")))
		patch(ctx, kept, `{"metadata":{"finalizers":null}}`)
		Eventually(func() types.UID {
			if now := configMap(o.namespace, "kept"); exists(ctx, now)() {
				return now.UID
			}
			return before
		}).ShouldNot(Equal(before))
		Eventually(ready(ctx, w)).Should(HaveExactElements("True", "ReconcileSucceeded", ""))
	})
})
