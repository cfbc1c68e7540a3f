package pipeline_test

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The entries here are not resynced while a spec runs: what a resource waits for has to bring it back.
var _ = Describe("a resource that waits", func() {
	const rarely = "reconciler: {resync: 1h}\n"

	// Row 31.
	It("gets a unique value when the other resource changes it, or is deleted", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		operate(ctx, namespace, declared{
			entry: `validation: {rules: [{field: spec.team, operator: unique, message: "is taken"}]}`, box: rarely,
		})
		first := createWidget(ctx, namespace, `spec: {size: 1, team: red}`)
		Eventually(ready(ctx, first)).Should(ContainElement("True"))
		other := object("Widget", namespace, "other", "spec: {size: 1, team: red}")
		Expect(cluster.Create(ctx, other)).To(Succeed())
		Eventually(ready(ctx, other)).Should(ContainElement("ValidationFailed"))
		patch(ctx, first, `{"spec":{"team":"blue"}}`)
		Eventually(ready(ctx, other)).Should(ContainElement("True"))

		third := object("Widget", namespace, "third", "spec: {size: 1, team: red}")
		Expect(cluster.Create(ctx, third)).To(Succeed())
		Eventually(ready(ctx, third)).Should(ContainElement("ValidationFailed"))
		Expect(cluster.Delete(ctx, other)).To(Succeed())
		Eventually(ready(ctx, third)).Should(ContainElement("True"))
	})

	It("gets a child when the gate of the other resource turns false", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		operate(ctx, namespace, declared{box: rarely + `onReconcile: {configMaps: [{name: shared, data: {owner: "{{ .metadata.name }}"}, when: [{field: spec.enabled, equals: "true"}]}]}`})
		first := createWidget(ctx, namespace, `spec: {enabled: true}`)
		Eventually(data(ctx, namespace, "shared")).Should(Equal(map[string]string{"owner": "w"}))
		other := object("Widget", namespace, "other", "spec: {enabled: true}")
		Expect(cluster.Create(ctx, other)).To(Succeed())
		Eventually(ready(ctx, other)).Should(ContainElement("ChildConflict"))
		patch(ctx, first, `{"spec":{"enabled":false}}`)
		Eventually(data(ctx, namespace, "shared")).WithTimeout(4 * time.Second).Should(Equal(map[string]string{"owner": "other"}))
		Eventually(ready(ctx, other)).Should(ContainElement("True"))
	})

	It("gets a child when an object that nobody watches is gone", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		theirs := configMap(namespace, "shared")
		theirs.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: "p", UID: "p", Controller: new(true)}}
		Expect(cluster.Create(ctx, theirs)).To(Succeed())
		operate(ctx, namespace, declared{box: rarely + `onReconcile: {configMaps: [{name: shared, data: {owner: w}}]}`})
		w := createWidget(ctx, namespace, ``)
		Eventually(ready(ctx, w)).Should(ContainElement("ChildConflict"))
		Expect(cluster.Delete(ctx, theirs)).To(Succeed())
		Eventually(ready(ctx, w)).WithTimeout(20 * time.Second).Should(ContainElement("True"))
		Expect(data(ctx, namespace, "shared")()).To(Equal(map[string]string{"owner": "w"}))
	})
})

var _ = Describe("a protected child in the resource's own namespace", func() {
	It("holds the resource back before anything is deleted", func(ctx context.Context) {
		o := start(ctx, declared{box: `onReconcile: {configMaps: [{name: a, data: {a: b}}, {name: b, data: {a: b}}]}`}, ``)
		w := object("Widget", o.namespace, "w", "")
		patch(ctx, configMap(o.namespace, "a"), `{"metadata":{"labels":{"orkestra.konductor.io/deletion-protection":"true"}}}`)
		Eventually(func() []string { return get(ctx, w).GetFinalizers() }).Should(ContainElement("orkestra.konductor.io/cleanup"))
		o.settle()
		Expect(cluster.Delete(ctx, w)).To(Succeed())
		Eventually(ready(ctx, w)).Should(HaveExactElements("False", "ChildProtected", ContainSubstring("of ConfigMap a forbids it")))
		Expect(data(ctx, o.namespace, "b")()).NotTo(BeNil())
		patch(ctx, configMap(o.namespace, "a"), `{"metadata":{"labels":{"orkestra.konductor.io/deletion-protection":null}}}`)
		Eventually(exists(ctx, w)).Should(BeFalse())
	})
})
