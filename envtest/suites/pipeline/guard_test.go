package pipeline_test

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var _ = Describe("a declaration that renders to something impossible", func() {
	It("stalls the resource, names the field, and does not keep its neighbours", func(ctx context.Context) {
		o := start(ctx, declared{box: `
onReconcile:
  configMaps: [{name: a, data: {a: "{{ .spec.a }}"}}]
  deployments: [{name: d, image: nginx:1, replicas: "{{ .spec.replicas }}"}]
`}, `spec: {a: 1, replicas: 1}`)
		w := object("Widget", o.namespace, "w", "")
		Expect(o.edit(ctx, `{"a":2,"replicas":"abc"}`)).To(Equal([]string{"apply configmaps a", "update widgets/status w"}))
		Expect(ready(ctx, w)()).To(Equal([]string{"False", "InvalidDeclaration", `deployments[0].replicas: "abc" is not a whole number`}))
		Expect(conditionOf(ctx, w, "Stalled")()).To(HaveExactElements("True", "InvalidDeclaration", ContainSubstring("abc")))
		Expect(o.edit(ctx, `{"replicas":2}`)).To(Equal([]string{"apply deployments d", "update widgets/status w"}))
		Expect(conditionOf(ctx, w, "Stalled")()).To(BeNil())
	})

	It("is a change that the server refuses", func(ctx context.Context) {
		o := start(ctx, declared{box: `
reconciler: {resync: 1s}
onReconcile: {secrets: [{name: s, type: "example.com/{{ .spec.type }}", data: {a: "1"}}]}`}, `spec: {type: a}`)
		w := object("Widget", o.namespace, "w", "")
		patch(ctx, w, `{"spec":{"type":"b"}}`)
		Eventually(ready(ctx, w)).Should(Equal([]string{
			"False", "ChildImmutable", "secrets[0]: Secret " + o.namespace + `/s can't be changed in place: type is "example.com/a", want "example.com/b"; ` +
				"delete it, or set onImmutable: recreate, to have it made anew",
		}))
		Expect(conditionOf(ctx, w, "Stalled")()).To(ContainElement("True"))
		Expect(cluster.Delete(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: o.namespace, Name: "s"}})).To(Succeed())
		Eventually(ready(ctx, w)).Should(ContainElement("True"))
		Eventually(eventsOf(ctx, o.namespace)).Should(ConsistOf("Warning ChildImmutable", "Normal Reconciled"))
	})

	It("is two children of one name", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		operate(ctx, namespace, declared{box: `
onReconcile: {configMaps: [{forEach: {field: spec.list}, name: same, data: {a: "{{ .item }}"}}]}`})
		w := createWidget(ctx, namespace, `spec: {list: [a, b]}`)
		Eventually(ready(ctx, w)).Should(HaveExactElements("False", "InvalidDeclaration", ContainSubstring(
			`configMaps[0].name: "same" is the name of another ConfigMap of this cycle, from configMaps[0]; make the names differ`)))
	})

	It("is a forEach over something else than a list", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		operate(ctx, namespace, declared{box: `
onReconcile: {configMaps: [{forEach: {field: spec.list}, name: "{{ .item }}"}]}`})
		w := createWidget(ctx, namespace, `spec: {list: 7}`)
		Eventually(ready(ctx, w)).Should(Equal([]string{
			"False", "InvalidDeclaration", `configMaps[0].forEach.field: "spec.list" is "7", neither a list nor a map`,
		}))
	})
})

var _ = Describe("a namespace that the Katalog leaves alone", func() {
	// Row 16.
	It("has resources that are told so, once", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		o := operate(ctx, namespace, declared{entry: `restrictedNamespaces: [` + namespace + `]`, box: `
reconciler: {resync: 1s}
onReconcile: {configMaps: [{name: a, data: {a: "1"}}]}`})
		o.take()
		w := createWidget(ctx, namespace, ``)
		Eventually(ready(ctx, w)).Should(HaveExactElements("False", "NamespaceRestricted", ContainSubstring(namespace)))
		o.settle()
		Consistently(o.cycles).WithTimeout(timeToStorm).Should(Equal(o.cycles()), "a resync of a resource that was told is dropped")
		Expect(o.take()).To(Equal([]string{"update widgets/status w"}))
		Eventually(eventsOf(ctx, namespace)).Should(Equal([]string{"Warning NamespaceRestricted"}))
		Expect(o.takeEvents()).To(HaveLen(1))
	})

	// Row 17.
	It("is no child either", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		operate(ctx, namespace, declared{entry: `restrictedNamespaces: [kube-system, payments]`, box: `
onReconcile: {namespaces: [{name: payments}, {name: "{{ .metadata.namespace }}-mine"}]}`})
		w := createWidget(ctx, namespace, ``)
		Eventually(ready(ctx, w)).Should(HaveExactElements("False", "NamespaceRestricted", ContainSubstring("namespaces[0]: namespace payments")))
		Expect(exists(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "payments"}})()).To(BeFalse())
		Expect(exists(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace + "-mine"}})()).To(BeTrue())
	})

	// Row 17.
	It("gets no child, loses none, and the others are made", func(ctx context.Context) {
		other := newNamespace(ctx)
		box := `
onReconcile:
  configMaps:
    - {name: far, namespace: ` + other + `, data: {a: "{{ .spec.a }}"}}
    - {name: near, data: {a: "{{ .spec.a }}"}}
`
		o := start(ctx, declared{box: box}, `spec: {a: 1}`)
		o = o.replace(ctx, declared{entry: `restrictedNamespaces: [` + other + `]`, box: box})
		o.settle()
		w := object("Widget", o.namespace, "w", "")
		Expect(o.edit(ctx, `{"a":2}`)).To(Equal([]string{"apply configmaps near", "update widgets/status w"}))
		Expect(ready(ctx, w)()).To(HaveExactElements("False", "NamespaceRestricted", ContainSubstring("configMaps[0]: namespace "+other)))
		Expect(data(ctx, other, "far")()).To(Equal(map[string]string{"a": "1"}))
	})
})

var _ = Describe("the next cycle", func() {
	// Row 50.
	It("comes after requeue.after", func(ctx context.Context) {
		o := start(ctx, declared{box: `
reconciler:
  resync: 1h
  requeue:
    - {after: 1h, when: [{field: spec.slow, equals: "true"}]}
    - {after: 400ms}
`}, `spec: {slow: false}`)
		before := o.cycles()
		Eventually(o.cycles).WithTimeout(3 * time.Second).Should(BeNumerically(">=", before+3))
		Expect(o.take()).To(BeEmpty())
		patch(ctx, object("Widget", o.namespace, "w", ""), `{"spec":{"slow":true}}`)
		o.settle()
		before = o.cycles()
		Consistently(o.cycles).WithTimeout(time.Second).Should(Equal(before), "the first gate that passes decides")
	})
})
