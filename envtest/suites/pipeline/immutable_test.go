package pipeline_test

import (
	"context"
	"fmt"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// child is an object of a built-in kind by its name.
func child(namespace, apiVersion, kind, name string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetAPIVersion(apiVersion)
	o.SetKind(kind)
	o.SetNamespace(namespace)
	o.SetName(name)
	return o
}

// failing has resources that fail in every cycle be looked at each second. That the CRD is degraded after the fifth failure, which is
// written on them once, is kept out of what they ask of the server.
const failing = `reconciler: {resync: 1s, queue: {failureThreshold: 1000}}`

var _ = Describe("a field that the server does not change", func() {
	// What is immutable in each kind, by the words of the server alone.
	DescribeTable("is reported, and recreated if that is declared", func(ctx context.Context, apiVersion, kind, fields, path string) {
		box := func(policy string) declared {
			return declared{box: fmt.Sprintf("onReconcile: {custom: [{apiVersion: %s, kind: %s, metadata: {name: c}, onImmutable: %s, %s}]}",
				apiVersion, kind, policy, fields)}
		}
		o := start(ctx, box("report"), `spec: {v: a}`)
		w, c := object("Widget", o.namespace, "w", ""), child(o.namespace, apiVersion, kind, "c")
		before := get(ctx, c).GetUID()
		o.edit(ctx, `{"v":"b"}`)
		Expect(ready(ctx, w)()).To(HaveExactElements("False", "ChildImmutable", And(
			ContainSubstring(path), ContainSubstring("onImmutable: recreate"))))
		o.expectConverged(ctx)
		Expect(get(ctx, c).GetUID()).To(Equal(before))

		o = o.replace(ctx, box("recreate"))
		o.settle()
		if finalizers := finalizersOf(ctx, c); len(finalizers) > 0 { // nobody collects garbage here
			Expect(ready(ctx, w)()).To(HaveExactElements("False", "ChildTerminating", ContainSubstring("is being deleted")))
			patch(ctx, c, `{"metadata":{"finalizers":null}}`)
		}
		Eventually(ready(ctx, w)).Should(HaveExactElements("True", "ReconcileSucceeded", ""))
		Expect(get(ctx, c).GetUID()).NotTo(Equal(before))
		o.settle()
		deletions := slices.DeleteFunc(o.take(), func(request string) bool { return !strings.HasPrefix(request, "delete ") })
		Expect(deletions).To(HaveLen(1), "one deletion is enough")
		Eventually(eventsOf(ctx, o.namespace)).Should(ContainElement("Normal Recreated"))
		o.expectConverged(ctx)
	},
		Entry("Defect48: the roleRef of a binding", "rbac.authorization.k8s.io/v1", "RoleBinding",
			`roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: "{{ .spec.v }}"}, subjects: []`, `roleRef.name is "a", want "b"`),
		Entry("the template of a Job", "batch/v1", "Job",
			`spec: {template: {spec: {restartPolicy: Never, containers: [{name: app, image: "{{ .spec.v }}"}]}}}`,
			`spec.template.spec.containers[app].image is "a", want "b"`),
		Entry("the claims of a StatefulSet", "apps/v1", "StatefulSet",
			`spec: {serviceName: "{{ .spec.v }}", selector: {matchLabels: {x: "y"}}, template: {metadata: {labels: {x: "y"}}, spec: {containers: [{name: app, image: a}]}}}`,
			`spec.serviceName is "a", want "b"`),
		Entry("the selector of a Deployment", "apps/v1", "Deployment",
			`spec: {selector: {matchLabels: {x: "{{ .spec.v }}"}}, template: {metadata: {labels: {x: "{{ .spec.v }}"}}, spec: {containers: [{name: app, image: a}]}}}`,
			`spec.selector.matchLabels.x is "a", want "b"`),
		Entry("the address of a Service", "v1", "Service",
			`spec: {clusterIP: '{{ if eq .spec.v "a" }}{{ else }}None{{ end }}', ports: [{port: 80}]}`, `spec.clusterIP`),
		Entry("the class of a claim", "v1", "PersistentVolumeClaim",
			`spec: {storageClassName: "{{ .spec.v }}", accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}`,
			`spec.storageClassName is "a", want "b"`),
		Entry("a Pod", "v1", "Pod",
			`spec: {hostname: "{{ .spec.v }}", containers: [{name: app, image: a}]}`, `spec.hostname is "a", want "b"`),
		Entry("the data of an immutable ConfigMap", "v1", "ConfigMap", `immutable: true, data: {k: "{{ .spec.v }}"}`, `data.k is "a", want "b"`),
		Entry("the data of an immutable Secret", "v1", "Secret",
			`type: Opaque, immutable: true, data: {k: '{{ if eq .spec.v "a" }}YQ=={{ else }}Yg=={{ end }}'}`, `data.k differs`),
	)

	It("keeps a child from being made anew when the server refuses the new one, once and not in a loop", func(ctx context.Context) {
		o := start(ctx, declared{box: failing + `
onReconcile:
  custom: [{apiVersion: v1, kind: Secret, metadata: {name: c}, type: "{{ .spec.type }}", onImmutable: recreate}]
`}, `spec: {type: Opaque}`)
		w := object("Widget", o.namespace, "w", "")
		before := get(ctx, child(o.namespace, "v1", "Secret", "c")).GetUID()

		By("wanting what has something wrong besides")
		o.edit(ctx, `{"type":"kubernetes.io/tls"}`)
		Expect(ready(ctx, w)()).To(HaveExactElements("False", "ChildImmutable", ContainSubstring("besides, data[tls.crt]: Required value")))
		Consistently(func() types.UID { return get(ctx, child(o.namespace, "v1", "Secret", "c")).GetUID() }).WithTimeout(timeToStorm).Should(Equal(before))
		Expect(o.take()).To(BeEmpty())

		By("taking it back")
		Expect(o.edit(ctx, `{"type":"Opaque"}`)).To(Equal([]string{"update widgets/status w"}))
	})

	It("of a protected child is reported, and so is a protected one that is wanted no more", func(ctx context.Context) {
		o := start(ctx, declared{box: failing + `
onReconcile:
  secrets: [{name: s, type: "example.com/{{ .spec.v }}", data: {a: "1"}, onImmutable: recreate, when: [{field: spec.v, notEquals: c}]}]
`}, `spec: {v: a}`)
		w := object("Widget", o.namespace, "w", "")
		s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: o.namespace, Name: "s"}}
		patch(ctx, s, `{"metadata":{"labels":{"orkestra.konductor.io/deletion-protection":"true"}}}`)
		for _, to := range []string{"b", "c"} {
			o.edit(ctx, `{"v":"`+to+`"}`)
			Expect(ready(ctx, w)()).To(HaveExactElements("False", "ChildProtected", ContainSubstring("orkestra.konductor.io/deletion-protection")))
			Expect(conditionOf(ctx, w, "Stalled")()).To(ContainElement("True"))
			Consistently(o.seen).WithTimeout(timeToStorm).Should(BeEmpty())
		}
		patch(ctx, s, `{"metadata":{"labels":{"orkestra.konductor.io/deletion-protection":null}}}`)
		Eventually(exists(ctx, s)).Should(BeFalse())
		Eventually(ready(ctx, w)).Should(ContainElement("True"))
	})

	It("Defect48: is no reason to leave the labels of a ServiceAccount as somebody made them", func(ctx context.Context) {
		o := start(ctx, declared{box: `onReconcile: {serviceAccounts: [{name: sa, labels: {tier: front}}]}`}, ``)
		sa := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: o.namespace, Name: "sa"}}
		patch(ctx, sa, `{"metadata":{"labels":{"tier":"back"}}}`)
		Eventually(func() string { return get(ctx, sa).Labels["tier"] }).Should(Equal("front"))
	})

	It("Defect41: of variants of one object is recreated once per change of the variant", func(ctx context.Context) {
		variant := func(name string) string {
			return `{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: r}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: ` +
				name + `}, onImmutable: recreate, when: [{field: spec.mode, equals: ` + name + `}]}`
		}
		o := start(ctx, declared{box: `onReconcile: {custom: [` + variant("x") + `, ` + variant("z") + `]}`}, `spec: {mode: x}`)
		o.edit(ctx, `{"mode":"z"}`)
		binding := &rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Namespace: o.namespace, Name: "r"}}
		Eventually(func() string {
			if cluster.Get(ctx, client.ObjectKeyFromObject(binding), binding) != nil {
				return ""
			}
			return binding.RoleRef.Name
		}).Should(Equal("z"))
		o.expectConverged(ctx)
	})
})

func finalizersOf(ctx context.Context, o *unstructured.Unstructured) []string {
	if !exists(ctx, o)() {
		return nil
	}
	return o.GetFinalizers()
}
