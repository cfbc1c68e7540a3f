package pipeline_test

import (
	"context"
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Defect69: a rollback", func() {
	// The server refuses a key with a space.
	const fragile = `
rollBackOnError: true
onReconcile:
  configMaps:
    - {name: a, data: {v: "{{ .spec.v }}"}}
    - {name: extra, when: [{field: spec.extra, exists: true}]}
  custom:
    - apiVersion: v1
      kind: ConfigMap
      metadata: {name: z}
      data: {fixed: "1"}
      when: [{field: spec.key, notExists: true}]
    - apiVersion: v1
      kind: ConfigMap
      metadata: {name: z}
      data: {"a key": "1"}
      when: [{field: spec.key, exists: true}]
status: {fields: [{path: v, value: "{{ .spec.v }}"}]}
`
	rolledBack := And(ContainElement("True"), ContainElement("PreviousSpecApplied"))
	back := func(ctx context.Context, namespace string) {
		GinkgoHelper()
		Eventually(data(ctx, namespace, "a")).Should(Equal(map[string]string{"v": "1"}))
		Expect(exists(ctx, configMap(namespace, "extra"))()).To(BeFalse())
	}
	events := func(ctx context.Context, namespace, line string) int {
		n := 0
		for _, one := range eventsOf(ctx, namespace)() {
			if one == line {
				n++
			}
		}
		return n
	}

	It("has the children of the spec that succeeded last, until the spec changes", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		o := operate(ctx, namespace, declared{box: fragile})
		w := createWidget(ctx, namespace, `spec: {v: "1"}`)
		Eventually(ready(ctx, w)).Should(ContainElement("True"))
		o.settle()
		Expect(o.take()).To(ContainElement("patch widgets w"), "the spec is recorded")
		o.expectConverged(ctx)

		By("refusing a child of the next spec")
		patch(ctx, w, `{"spec":{"v":"2","extra":"yes","key":"yes"}}`)
		Eventually(conditionOf(ctx, w, "RolledBack")).Should(rolledBack)
		generation := get(ctx, w).GetGeneration()
		back(ctx, namespace)
		Expect(conditionOf(ctx, w, "RolledBack")()[2]).To(HavePrefix(fmt.Sprintf("generation %d failed 3 times in a row: custom[1]: ", generation)))
		Expect(ready(ctx, w)()).To(HaveExactElements("False", Not(BeEmpty()), HavePrefix("custom[1]: ")))
		Expect(conditionOf(ctx, w, "Stalled")()).To(ContainElement("True"))
		Expect(w.GetAnnotations()).To(HaveKeyWithValue("orkestra.konductor.io/rollback-at-generation", fmt.Sprint(generation)))
		Expect(field(ctx, w, "status", "v")()).To(Equal(`"1"`))
		o.expectConverged(ctx)
		o.take()
		cycles := o.cycles()
		Consistently(o.seen).WithTimeout(timeToStorm).Should(BeEmpty())
		Expect(o.cycles()-cycles).To(BeNumerically("<=", 1), "it is not tried again")

		By("undoing what others do to the children")
		patch(ctx, configMap(namespace, "a"), `{"data":{"v":"theirs"}}`)
		Eventually(data(ctx, namespace, "a")).Should(Equal(map[string]string{"v": "1"}))
		Expect(cluster.Delete(ctx, configMap(namespace, "a"))).To(Succeed())
		Eventually(data(ctx, namespace, "a")).Should(Equal(map[string]string{"v": "1"}))

		By("bearing with what others do to the resource")
		patch(ctx, w, `{"metadata":{"labels":{"theirs":"1"},"annotations":{"orkestra.konductor.io/rollback-at-generation":null,"orkestra.konductor.io/previous-spec":null}}}`)
		patchStatus(ctx, w, `{"status":{"theirs":"1"}}`)
		Eventually(func() map[string]string { return get(ctx, w).GetAnnotations() }).Should(And(
			HaveKeyWithValue("orkestra.konductor.io/rollback-at-generation", fmt.Sprint(generation)), HaveKey("orkestra.konductor.io/previous-spec")))
		o.expectConverged(ctx)

		By("starting anew")
		o.stop()
		o = operate(ctx, namespace, declared{box: fragile})
		patch(ctx, configMap(namespace, "a"), `{"data":{"v":"theirs"}}`)
		Eventually(data(ctx, namespace, "a")).Should(Equal(map[string]string{"v": "1"}))
		Expect(conditionOf(ctx, w, "RolledBack")()).To(rolledBack)
		Expect(ready(ctx, w)()).To(HaveExactElements("False", Not(BeEmpty()), HavePrefix("custom[1]: ")))
		o.expectConverged(ctx)
		back(ctx, namespace)
		Expect(events(ctx, namespace, "Warning RolledBack")).To(Equal(1))

		By("mending the spec")
		patch(ctx, w, `{"spec":{"v":"3","key":null}}`)
		Eventually(ready(ctx, w)).Should(ContainElement("True"))
		Expect(data(ctx, namespace, "a")()).To(Equal(map[string]string{"v": "3"}))
		Expect(exists(ctx, configMap(namespace, "extra"))()).To(BeTrue())
		Expect(conditionOf(ctx, w, "RolledBack")()).To(BeNil())
		Expect(conditionOf(ctx, w, "Stalled")()).To(BeNil())
		Expect(w.GetAnnotations()).NotTo(HaveKey("orkestra.konductor.io/rollback-at-generation"))
		o.expectConverged(ctx)
	}, NodeTimeout(time.Minute))

	It("goes back from a field that cannot be changed in place, and lets the resource be deleted", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		o := operate(ctx, namespace, declared{box: `
finalizers: [example.com/own]
rollback: {trigger: {consecutiveFailures: 5, withinDuration: 1m}}
onReconcile:
  configMaps: [{name: "c-{{ .spec.v }}"}]
  custom: [{apiVersion: v1, kind: Secret, metadata: {name: s}, type: "example.com/{{ .spec.v }}"}]
`})
		w := createWidget(ctx, namespace, `spec: {v: "1"}`)
		Eventually(ready(ctx, w)).Should(ContainElement("True"))
		patch(ctx, w, `{"spec":{"v":"2"}}`)
		Eventually(conditionOf(ctx, w, "RolledBack")).Should(rolledBack)
		Expect(ready(ctx, w)()).To(ContainElement("ChildImmutable"))
		Expect(exists(ctx, configMap(namespace, "c-1"))()).To(BeTrue())
		Expect(exists(ctx, configMap(namespace, "c-2"))()).To(BeFalse())
		o.settle()
		Expect(cluster.Delete(ctx, w)).To(Succeed())
		Eventually(exists(ctx, w)).Should(BeFalse())
	}, NodeTimeout(time.Minute))

	It("applies onRollback in place of the children, and takes it away when it ends", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		o := operate(ctx, namespace, declared{box: `
rollback:
  onRollback:
    configMaps: [{name: a, data: {v: "{{ .previous.spec.v }}"}}, {name: notice, data: {failed: "{{ .spec.v }}"}}]
onReconcile:
  configMaps: [{name: a, data: {v: "{{ .spec.v }}"}}]
  custom: [{apiVersion: v1, kind: ConfigMap, metadata: {name: "z{{ .spec.suffix }}"}, data: {v: "{{ .spec.v }}"}}]
`})
		w := createWidget(ctx, namespace, `spec: {v: "1"}`)
		Eventually(ready(ctx, w)).Should(ContainElement("True"))
		patch(ctx, w, `{"spec":{"v":"2","suffix":" is no name"}}`)
		Eventually(conditionOf(ctx, w, "RolledBack")).Should(rolledBack)
		Expect(data(ctx, namespace, "a")()).To(Equal(map[string]string{"v": "1"}))
		Expect(data(ctx, namespace, "notice")()).To(Equal(map[string]string{"failed": "2"}))
		Expect(data(ctx, namespace, "z")()).To(Equal(map[string]string{"v": "1"}))
		o.expectConverged(ctx)
		patch(ctx, w, `{"spec":{"suffix":null}}`)
		Eventually(data(ctx, namespace, "a")).Should(Equal(map[string]string{"v": "2"}))
		Eventually(exists(ctx, configMap(namespace, "notice"))).Should(BeFalse())
		o.expectConverged(ctx)
	}, NodeTimeout(time.Minute))

	It("does not begin for a first spec that fails", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		operate(ctx, namespace, declared{box: fragile})
		w := createWidget(ctx, namespace, `spec: {v: "1", key: "yes"}`)
		Eventually(conditionOf(ctx, w, "RolledBack")).Should(HaveExactElements("False", "NoPreviousSpec", Not(BeEmpty())))
		patch(ctx, w, `{"spec":{"key":null}}`)
		Eventually(ready(ctx, w)).Should(ContainElement("True"))
		Expect(conditionOf(ctx, w, "RolledBack")()).To(BeNil())
	}, NodeTimeout(time.Minute))
})
