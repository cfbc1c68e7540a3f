package pipeline_test

import (
	"context"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var _ = Describe("a field that a new Katalog drops", func() {
	const box = `
onReconcile:
  configMaps:
    - name: w
      labels: {%[1]s}
      data: {%[2]s}
      forceConflict: %[4]t
  deployments:
    - name: w
      image: nginx:1
      env: [%[3]s]
      forceConflict: %[4]t
`
	restart := func(ctx context.Context, o *operator, box string) *operator {
		GinkgoHelper()
		namespace := o.namespace
		o.stop()
		o = operate(ctx, namespace, declared{box: box})
		o.settle()
		Expect(o.take()).To(ContainElement("apply configmaps w"))
		o.expectConverged(ctx)
		return o
	}
	env := func(d *appsv1.Deployment) []string {
		names := []string{}
		for _, variable := range d.Spec.Template.Spec.Containers[0].Env {
			names = append(names, variable.Name)
		}
		return names
	}

	DescribeTable("is gone, also the second one", func(ctx context.Context, force bool) {
		namespace := newNamespace(ctx)
		o := operate(ctx, namespace, declared{box: fmt.Sprintf(box, `x: "1", y: "1", z: "1"`, `a: "1", b: "1", c: "1"`, `{name: A, value: "1"}, {name: B, value: "1"}`, force)})
		w := createWidget(ctx, namespace, ``)
		Eventually(ready(ctx, w)).Should(ContainElement("True"))
		o.settle()
		Expect(o.take()).To(ContainElement("create configmaps"))
		c := configMap(namespace, "w")
		d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "w"}}
		patch(ctx, c, `{"metadata":{"labels":{"theirs":"1"}},"data":{"theirs":"1"}}`)

		By("dropping one of three, and replacing a variable by another of the same form")
		o = restart(ctx, o, fmt.Sprintf(box, `x: "1", y: "1"`, `a: "1", b: "1"`, `{name: A, value: "1"}, {name: C, value: "1"}`, force))
		Expect(get(ctx, c).Data).To(Equal(map[string]string{"a": "1", "b": "1", "theirs": "1"}))
		Expect(c.Labels).NotTo(HaveKey("z"))
		Expect(c.Labels).To(HaveKeyWithValue("theirs", "1"))
		Expect(env(get(ctx, d))).To(ConsistOf("A", "C"))

		By("dropping another one")
		restart(ctx, o, fmt.Sprintf(box, `x: "1"`, `a: "2"`, ``, force))
		Expect(get(ctx, c).Data).To(Equal(map[string]string{"a": "2", "theirs": "1"}))
		Expect(c.Labels).NotTo(HaveKey("y"))
		Expect(env(get(ctx, d))).To(BeEmpty())
	},
		Entry("by force", true),
		Entry("without force", false),
	)

	It("is gone from an object that was changed by apply since", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		deployment := func(fields string) declared {
			return declared{box: `{onReconcile: {deployments: [{name: w, image: nginx:1` + fields + `}]}}`}
		}
		o := operate(ctx, namespace, deployment(`, resources: {requests: {cpu: "1"}}, nodeSelector: {a: b}, replicas: "1"`))
		w := createWidget(ctx, namespace, ``)
		Eventually(ready(ctx, w)).Should(ContainElement("True"))
		o.settle()
		d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "w"}}
		patch(ctx, d, `{"spec":{"replicas":3}}`)
		Eventually(func() int32 { return *get(ctx, d).Spec.Replicas }).Should(Equal(int32(1)))
		o.settle()
		o.stop()
		o = operate(ctx, namespace, deployment(``))
		o.settle()
		Expect(get(ctx, d).Spec.Template.Spec.Containers[0].Resources).To(Equal(corev1.ResourceRequirements{}))
		Expect(d.Spec.Template.Spec.NodeSelector).To(BeEmpty())
		o.expectConverged(ctx)
	})
})

var _ = Describe("forceConflict: false", func() {
	It("names the manager that holds the field, and does not fight", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		o := operate(ctx, namespace, declared{entry: `forceConflict: false`, box: `
onReconcile: {configMaps: [{name: w, data: {a: "{{ .spec.a }}"}}]}`})
		w := createWidget(ctx, namespace, `spec: {a: "1"}`)
		Eventually(ready(ctx, w)).Should(ContainElement("True"))
		o.settle()
		patch(ctx, configMap(namespace, "w"), `{"data":{"a":"theirs"}}`)
		Eventually(ready(ctx, w)).Should(HaveExactElements("False", "ReconcileError", And(ContainSubstring(`"somebody"`), ContainSubstring(".data.a"))))
		Expect(data(ctx, namespace, "w")()).To(Equal(map[string]string{"a": "theirs"}))
		o.take()
		Consistently(func() int { return len(o.seen()) }).WithTimeout(timeToStorm).Should(BeNumerically("<", 20), "retries are spaced")

		By("the other letting go")
		patch(ctx, configMap(namespace, "w"), `{"data":{"a":null}}`)
		Eventually(data(ctx, namespace, "w")).Should(Equal(map[string]string{"a": "1"}))
		Eventually(ready(ctx, w)).Should(ContainElement("True"))
	})
})
