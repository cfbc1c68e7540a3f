package pipeline_test

import (
	"context"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// several declares children of kinds with a generation and without one.
const several = `
reconciler: {resync: 1s}
onReconcile:
  configMaps:
    - name: w
      labels: {tier: back}
      data: {a: "1"}
  secrets:
    - name: w
      labels: {tier: back}
      data: {a: "1"}
  serviceAccounts:
    - name: w
      labels: {tier: back}
  services:
    - name: w
      labels: {tier: back}
      port: "80"
  deployments:
    - name: w
      labels: {tier: back}
      image: nginx:1
      port: "80"
      env: [{name: A, value: "1"}]
`

func severalChildren(namespace string) map[string]client.Object {
	meta := metav1.ObjectMeta{Namespace: namespace, Name: "w"}
	return map[string]client.Object{
		"configmaps":      &corev1.ConfigMap{ObjectMeta: meta},
		"secrets":         &corev1.Secret{ObjectMeta: meta},
		"serviceaccounts": &corev1.ServiceAccount{ObjectMeta: meta},
		"services":        &corev1.Service{ObjectMeta: meta},
		"deployments":     &appsv1.Deployment{ObjectMeta: meta},
	}
}

var _ = Describe("a converged resource", func() {
	// Rows 73 and 115.
	It("costs no request over resyncs", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		o := operate(ctx, namespace, declared{box: several})
		w := createWidget(ctx, namespace, ``)
		Eventually(ready(ctx, w)).Should(HaveExactElements("True", "ReconcileSucceeded", ""))
		o.settle()
		o.take()
		before := o.cycles()
		Eventually(o.cycles).Should(BeNumerically(">=", before+3), "resyncs are cycles")
		Expect(o.take()).To(BeEmpty())
	})

	It("costs no write and no read per object after a restart", func(ctx context.Context) {
		const n = 50
		namespace := newNamespace(ctx)
		box := `
onReconcile:
  configMaps: [{name: "{{ .metadata.name }}", data: {a: "1"}}]
  deployments: [{name: "{{ .metadata.name }}", image: nginx:1, resources: {requests: {cpu: 1000m, memory: 1024Mi}}}]
status: {fields: [{path: phase, value: "{{ .children.deployment.metadata.name }}"}]}
`
		o := operate(ctx, namespace, declared{box: box})
		for i := range n {
			Expect(cluster.Create(ctx, object("Widget", namespace, numbered(i), ""))).To(Succeed())
		}
		for i := range n {
			w := object("Widget", namespace, numbered(i), "")
			Eventually(ready(ctx, w)).Should(ContainElement("True"))
			Eventually(func(g Gomega) { // the child is seen a moment after it is made
				g.Expect(cluster.Get(ctx, client.ObjectKeyFromObject(w), w)).To(Succeed())
				g.Expect(w.Object["status"]).To(HaveKeyWithValue("phase", w.GetName()))
			}).Should(Succeed())
		}
		o.settle()
		o.stop()

		restarted := operate(ctx, namespace, declared{box: box})
		Eventually(restarted.cycles).Should(BeNumerically(">=", n))
		restarted.settle()
		Expect(restarted.take()).To(HaveEach(BeElementOf(
			"get customresourcedefinitions widgets.test.example.com", "get configmaps orkestra-inventory",
		)))
		Expect(restarted.takeEvents()).To(BeEmpty())
	})

	// Row 73.
	It("leaves the annotations and labels of others alone and repairs its own, each with one request", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		o := operate(ctx, namespace, declared{box: strings.Replace(several, "1s", "1h", 1)})
		w := createWidget(ctx, namespace, ``)
		Eventually(ready(ctx, w)).Should(ContainElement("True"))
		o.settle()
		o.take()
		for resource, child := range severalChildren(namespace) {
			By("annotating one of " + resource)
			before := o.cycles()
			patch(ctx, child, `{"metadata":{"annotations":{"example.com/x":"1"},"labels":{"theirs":"1"}}}`)
			Eventually(o.cycles).Should(BeNumerically(">", before))
			o.settle()
			Expect(o.take()).To(BeEmpty(), resource)

			By("changing an owned label of one of " + resource)
			patch(ctx, child, `{"metadata":{"labels":{"tier":"front"}}}`)
			Eventually(func() string { return get(ctx, child).GetLabels()["tier"] }).Should(Equal("back"))
			o.settle()
			Expect(o.take()).To(Equal([]string{"apply " + resource + " w"}))
			Expect(child.GetLabels()).To(HaveKeyWithValue("theirs", "1"))

			By("deleting one of " + resource)
			uid := child.GetUID()
			Expect(cluster.Delete(ctx, child)).To(Succeed())
			Eventually(func() bool { return exists(ctx, child)() && child.GetUID() != uid }).Should(BeTrue())
			o.settle()
			Expect(o.take()).To(Equal([]string{"create " + resource}))
		}
	})

	// Row 73.
	It("repairs fields below spec and data", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		o := operate(ctx, namespace, declared{box: several})
		w := createWidget(ctx, namespace, ``)
		Eventually(ready(ctx, w)).Should(ContainElement("True"))
		o.settle()
		o.take()
		children := severalChildren(namespace)

		patch(ctx, children["configmaps"], `{"data":{"a":"2","b":"3"}}`)
		Eventually(data(ctx, namespace, "w")).Should(Equal(map[string]string{"a": "1", "b": "3"}))
		o.settle()
		Expect(o.take()).To(Equal([]string{"apply configmaps w"}))

		patch(ctx, children["secrets"], `{"data":{"a":"Mg=="}}`)
		Eventually(func() string { return string(get(ctx, children["secrets"]).(*corev1.Secret).Data["a"]) }).Should(Equal("1"))
		o.settle()
		Expect(o.take()).To(Equal([]string{"apply secrets w"}))

		patch(ctx, children["deployments"], `{"spec":{"replicas":7}}`)
		Eventually(func() int32 { return *get(ctx, children["deployments"]).(*appsv1.Deployment).Spec.Replicas }).Should(Equal(int32(1)))
		o.settle()
		Expect(o.take()).To(Equal([]string{"apply deployments w"}))
	})

	It("finds a child that lost its labels", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		o := operate(ctx, namespace, declared{box: several})
		w := createWidget(ctx, namespace, ``)
		Eventually(ready(ctx, w)).Should(ContainElement("True"))
		o.settle()
		child := configMap(namespace, "w")
		patch(ctx, child, `{"metadata":{"labels":null}}`)
		Eventually(func() string { return get(ctx, child).Labels[orkv1.LabelManagedBy] }).Should(Equal("orkestra"))
		o.expectConverged(ctx)
	})

	It("is not disturbed by how the server spells values", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		box := `
onReconcile:
  deployments:
    - name: w
      image: nginx:1
      port: "80"
      resources: {requests: {cpu: 1000m, memory: 1024Mi}, limits: {cpu: "2.0", memory: 1.5Gi}}
      env: [{name: SIZE, value: 1000m}, {name: EMPTY}]
      volumes: [{name: tmp, emptyDir: {sizeLimit: 1024Mi}}]
      volumeMounts: [{name: tmp, mountPath: /tmp}]
  custom:
    - {apiVersion: v1, kind: ResourceQuota, metadata: {name: w}, spec: {hard: {cpu: 2000m, pods: 10}}}
    - apiVersion: test.example.com/v1
      kind: Part
      metadata: {name: w}
      spec: {cpu: 1000m, ratio: 1.0, count: 2, steps: [{id: b}, {id: a, weight: 2}]}
`
		o := operate(ctx, namespace, declared{box: box})
		w := createWidget(ctx, namespace, ``)
		Eventually(ready(ctx, w)).Should(ContainElement("True"))
		o.settle()
		Expect(o.take()).To(HaveEach(Not(HavePrefix("apply"))))
		o.expectConverged(ctx)
		o.stop()

		By("restarting")
		o = operate(ctx, namespace, declared{box: box})
		o.settle()
		Expect(o.take()).To(HaveEach(HavePrefix("get")))
		o.expectConverged(ctx)
	})

	It("learns a spelling that it does not know with one write at most", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		box := `
onReconcile:
  custom:
    - {apiVersion: v1, kind: Secret, metadata: {name: w}, stringData: {a: plain}}
    - {apiVersion: test.example.com/v1, kind: Zone, metadata: {name: "{{ .metadata.namespace }}"}, spec: {a: 1}}
`
		o := operate(ctx, namespace, declared{box: box})
		w := createWidget(ctx, namespace, ``)
		Eventually(ready(ctx, w)).Should(ContainElement("True"))
		o.expectConverged(ctx)
		o.stop()
		o = operate(ctx, namespace, declared{box: box})
		o.settle()
		Expect(o.take()).To(And(ContainElement("apply secrets w"), HaveEach(Or(HavePrefix("get"), Equal("apply secrets w")))))
		o.expectConverged(ctx)
	})
})
