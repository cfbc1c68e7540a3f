package pipeline_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/envtest"
)

var _ = Describe("custom", func() {
	It("keeps the types of values", func(ctx context.Context) {
		o := start(ctx, declared{box: `
onReconcile:
  custom:
    - apiVersion: test.example.com/v1
      kind: Part
      metadata: {name: w}
      spec:
        count: "{{ .spec.count }}"
        ratio: "{{ .spec.ratio }}"
        enabled: "{{ .spec.enabled }}"
        name: "{{ .spec.count }} of {{ .spec.count }}"
        tags: "{{ .spec.tags }}"
        nested: "{{ .spec.nested }}"
        steps: [{id: a, weight: "{{ .spec.count }}"}]
`}, `spec: {count: 3, ratio: 0.5, enabled: true, tags: [x, z], nested: {depth: 2}}`)
		part := object("Part", o.namespace, "w", "")
		Expect(read(ctx, part)()["spec"]).To(Equal(map[string]any{
			"count": int64(3), "ratio": 0.5, "enabled": true, "name": "3 of 3", "mode": "plain",
			"tags": []any{"x", "z"}, "nested": map[string]any{"depth": int64(2)},
			"steps": []any{map[string]any{"id": "a", "weight": int64(3)}},
		}))
		o.expectConverged(ctx)
		Expect(o.edit(ctx, `{"tags":["x"]}`)).To(ConsistOf("get parts w", "patch parts w", "apply parts w", "update widgets/status w"))
		Expect(field(ctx, part, "spec", "tags")()).To(Equal(`["x"]`))
		o.expectConverged(ctx)
	})

	It("refuses a field that the kind does not have, from the first write on", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		operate(ctx, namespace, declared{box: `
onReconcile: {custom: [{apiVersion: test.example.com/v1, kind: Part, metadata: {name: w}, spec: {unknown: 1}}]}`})
		w := createWidget(ctx, namespace, ``)
		Eventually(ready(ctx, w)).Should(HaveExactElements("False", "InvalidDeclaration", ContainSubstring(`unknown field "spec.unknown"`)))
	})

	It("asks once for what the server finds invalid, and again when something changed", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		o := operate(ctx, namespace, declared{box: `
onReconcile:
  custom: [{apiVersion: test.example.com/v1, kind: Part, metadata: {name: w}, spec: {enabled: "{{ .spec.enabled }}", mode: "{{ .spec.name }}", count: "{{ .spec.name }}"}}]
`})
		w := createWidget(ctx, namespace, `spec: {enabled: true, name: many}`)
		Eventually(ready(ctx, w)).Should(HaveExactElements("False", "InvalidDeclaration", ContainSubstring("Part "+namespace+"/w is invalid: spec.count")))
		Expect(conditionOf(ctx, w, "Stalled")()).To(ContainElement("True"))
		o.settle()
		o.take()
		o.cycle(ctx, "Widget", "w")
		Expect(o.take()).To(BeEmpty(), "the answer would be the same")

		patch(ctx, w, `{"spec":{"name":"3"}}`)
		Eventually(ready(ctx, w)).Should(HaveExactElements("False", "InvalidDeclaration", ContainSubstring("spec.count")))
	})

	It("keeps a declared status, and leaves other fields of it alone", func(ctx context.Context) {
		o := start(ctx, declared{box: `
onReconcile:
  custom:
    - apiVersion: test.example.com/v1
      kind: Part
      metadata: {name: w}
      spec: {count: 1}
      status: {phase: "{{ .spec.name }}", of: "{{ .spec.count }}"}
`}, `spec: {count: 3, name: waiting}`)
		part := object("Part", o.namespace, "w", "")
		Expect(read(ctx, part)()["status"]).To(Equal(map[string]any{"phase": "waiting", "of": int64(3)}))
		o.expectConverged(ctx)

		patchStatus(ctx, part, `{"status":{"seen":"yes"}}`)
		o.expectConverged(ctx)
		patchStatus(ctx, part, `{"status":{"phase":"lost"}}`)
		Eventually(field(ctx, part, "status", "phase")).Should(Equal(`"waiting"`))
		Expect(field(ctx, part, "status", "seen")()).To(Equal(`"yes"`))
		o.expectConverged(ctx)
	})

	// Row 15.
	It("waits for a kind that is not installed, and goes on without a restart", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		o := operate(ctx, namespace, declared{box: `
onReconcile:
  configMaps: [{name: first, data: {a: "1"}}]
  custom: [{apiVersion: test.example.com/v1, kind: Gadget, metadata: {name: w}, spec: {a: 1}}]
`})
		w := createWidget(ctx, namespace, ``)
		Eventually(ready(ctx, w)).Should(HaveExactElements("False", "KindNotInstalled", ContainSubstring("kind Gadget of test.example.com/v1 is not installed")))
		Expect(conditionOf(ctx, w, "Reconciling")()).To(ContainElement("True"))
		Expect(data(ctx, namespace, "first")()).NotTo(BeNil(), "what comes before it is made")

		crds, err := envtest.ReadCRDs("testdata/late")
		Expect(err).NotTo(HaveOccurred())
		Expect(envtest.InstallCRDs(ctx, env.Config(), crds...)).To(Succeed())
		DeferCleanup(func(ctx context.Context) { deleteDefinition(ctx, crds[0].Name) })
		Eventually(ready(ctx, w)).Should(ContainElement("True"))
		Expect(exists(ctx, object("Gadget", namespace, "w", ""))()).To(BeTrue())
		o.expectConverged(ctx)
	})

	It("says what is wrong with a scope", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		operate(ctx, namespace, declared{box: `
onReconcile: {custom: [{apiVersion: test.example.com/v1, kind: Part, metadata: {name: w, namespaced: false}, spec: {count: 1}}]}`})
		w := createWidget(ctx, namespace, ``)
		Eventually(ready(ctx, w)).Should(Equal([]string{
			"False", "InvalidDeclaration", `custom[0].metadata.namespaced: "false" is wrong: Part is namespaced; remove the field`,
		}))
	})

	It("makes a cluster-scoped object, whose owner has the finalizer before it exists", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		o := operate(ctx, namespace, declared{box: `
onReconcile: {custom: [{apiVersion: test.example.com/v1, kind: Zone, metadata: {name: "` + namespace + `"}, spec: {list: [1, {a: true}]}}]}`})
		o.take()
		w := createWidget(ctx, namespace, `metadata: {finalizers: [example.com/foreign], labels: {mine: "1"}}`)
		Eventually(ready(ctx, w)).Should(ContainElement("True"))
		o.settle()
		Expect(o.take()).To(Equal([]string{"patch widgets w", "create zones", "update widgets/status w"}))
		zone := object("Zone", "", namespace, "")
		Expect(field(ctx, zone, "spec", "list")()).To(Equal(`[1,{"a":true}]`))
		Expect(zone.GetOwnerReferences()).To(BeEmpty())
		Expect(get(ctx, w).GetFinalizers()).To(Equal([]string{"example.com/foreign", orkv1.Finalizer}))
		o.expectConverged(ctx)

		By("deleting the owner")
		o.take()
		Expect(cluster.Delete(ctx, w)).To(Succeed())
		Eventually(exists(ctx, zone)).Should(BeFalse())
		Eventually(func() []string { return get(ctx, w).GetFinalizers() }).Should(Equal([]string{"example.com/foreign"}))
		o.settle()
		Expect(o.take()).To(Equal([]string{"delete zones " + namespace, "patch widgets w"}))
		Expect(w.GetLabels()).To(Equal(map[string]string{"mine": "1"}))
		patch(ctx, w, `{"metadata":{"finalizers":null}}`)
	})
})

var _ = Describe("deletion", func() {
	It("needs no finalizer for children that are garbage collected", func(ctx context.Context) {
		o := start(ctx, declared{box: `onReconcile: {configMaps: [{name: a, data: {a: "1"}}]}`}, ``)
		w := get(ctx, object("Widget", o.namespace, "w", ""))
		Expect(w.GetFinalizers()).To(BeEmpty())
		Expect(w.GetAnnotations()).To(BeEmpty())
		Expect(cluster.Delete(ctx, w)).To(Succeed())
		Expect(exists(ctx, w)()).To(BeFalse())
		o.settle()
		Expect(o.take()).To(BeEmpty())
	})

	It("removes children in other namespaces although the declarations are broken by now", func(ctx context.Context) {
		other := newNamespace(ctx)
		box := `
onReconcile:
  configMaps:
    - {name: "far-{{ .spec.name }}", namespace: ` + other + `, data: {a: "1"}}
    - {name: near, data: {a: "1"}}
`
		o := start(ctx, declared{box: box}, `spec: {name: x}`)
		Expect(data(ctx, other, "far-x")()).NotTo(BeNil())
		w := object("Widget", o.namespace, "w", "")
		patch(ctx, w, `{"spec":{"name":"NOT A NAME"}}`)
		Eventually(ready(ctx, w)).Should(HaveExactElements("False", "InvalidDeclaration", ContainSubstring("configMaps[0].name")))
		o.settle()
		o.take()
		Expect(cluster.Delete(ctx, w)).To(Succeed())
		Eventually(exists(ctx, w)).Should(BeFalse())
		Expect(data(ctx, other, "far-x")()).To(BeNil())
		o.settle()
		Expect(o.take()).To(Equal([]string{"delete configmaps far-x", "patch widgets w"}))
	})

	It("removes children of a kind that is not declared any more", func(ctx context.Context) {
		other := newNamespace(ctx)
		o := start(ctx, declared{box: `onReconcile: {configMaps: [{name: far, namespace: ` + other + `, data: {a: "1"}}]}`}, ``)
		w := object("Widget", o.namespace, "w", "")
		o.stop()
		Expect(cluster.Delete(ctx, w)).To(Succeed())
		Expect(exists(ctx, w)()).To(BeTrue(), "the finalizer holds it")
		operate(ctx, o.namespace, declared{box: `onReconcile: {serviceAccounts: [{name: a}]}`})
		Eventually(exists(ctx, w)).Should(BeFalse())
		Expect(data(ctx, other, "far")()).To(BeNil())
	})
})
