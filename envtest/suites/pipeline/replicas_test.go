package pipeline_test

import (
	"context"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// scaleTo has the scale endpoint set the replicas of a Deployment, as autoscalers and kubectl do.
func scaleTo(ctx context.Context, d *appsv1.Deployment, replicas int32) {
	GinkgoHelper()
	get(ctx, d)
	scale := &autoscalingv1.Scale{Spec: autoscalingv1.ScaleSpec{Replicas: replicas}}
	Expect(cluster.SubResource("scale").Update(ctx, d, client.WithSubResourceBody(scale), client.FieldOwner("kube-controller-manager"))).To(Succeed())
}

// replicas of a Deployment, for an Eventually.
func replicas(ctx context.Context, d *appsv1.Deployment) func() int32 {
	return func() int32 {
		if err := cluster.Get(ctx, client.ObjectKeyFromObject(d), d); err != nil || d.Spec.Replicas == nil {
			return -1
		}
		return *d.Spec.Replicas
	}
}

var _ = Describe("replicas that others set", func() {
	const box = `
onReconcile:
  deployments: [{name: d, image: "app:{{ .spec.v }}", replicas: "{{ .spec.replicas }}", labels: {v: "{{ .spec.v }}"}}]
  custom:
    - apiVersion: autoscaling/v2
      kind: HorizontalPodAutoscaler
      metadata: {name: h}
      spec: {minReplicas: 1, maxReplicas: 9, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: d}}
      when: [{field: spec.scaled, equals: "true"}]
`

	It("Defect49: are a HorizontalPodAutoscaler's as long as there is one", func(ctx context.Context) {
		o := start(ctx, declared{box: box}, `spec: {v: a, replicas: 2, scaled: true}`)
		d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: o.namespace, Name: "d"}}
		Expect(replicas(ctx, d)()).To(BeEquivalentTo(2), "what is declared is where it begins")
		o.expectConverged(ctx)

		By("another hand than ours scaling")
		scaleTo(ctx, d, 5)
		o.expectConverged(ctx)
		Expect(replicas(ctx, d)()).To(BeEquivalentTo(5))

		By("changing another field, and what is declared as replicas")
		Expect(o.edit(ctx, `{"v":"b"}`)).To(ContainElement("apply deployments d"))
		Expect(replicas(ctx, d)()).To(BeEquivalentTo(5))
		Expect(d.Spec.Template.Spec.Containers[0].Image).To(Equal("app:b"))
		Expect(o.edit(ctx, `{"replicas":3}`)).To(Equal([]string{"update widgets/status w"}))
		Expect(replicas(ctx, d)()).To(BeEquivalentTo(5))
		scaleTo(ctx, d, 6)
		o.expectConverged(ctx)

		By("the autoscaler going and coming back")
		o.edit(ctx, `{"scaled":false}`)
		Eventually(replicas(ctx, d)).Should(BeEquivalentTo(3))
		o.expectConverged(ctx)
		o.edit(ctx, `{"scaled":true}`)
		scaleTo(ctx, d, 7)
		o.edit(ctx, `{"v":"c"}`)
		Expect(replicas(ctx, d)()).To(BeEquivalentTo(7))
		o.expectConverged(ctx)
	})

	It("Defect49: stay when only a field of ours is dropped that was ours alone", func(ctx context.Context) {
		o := start(ctx, declared{box: box}, `spec: {v: a, replicas: 4, scaled: true}`)
		d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: o.namespace, Name: "d"}}
		// Nobody has scaled yet: the replicas are ours alone. A write must not give them back to the server's default.
		o = o.replace(ctx, declared{box: strings.Replace(box, `, labels: {v: "{{ .spec.v }}"}`, ``, 1)})
		o.settle()
		Expect(get(ctx, d).Labels).NotTo(HaveKey("v"))
		Expect(replicas(ctx, d)()).To(BeEquivalentTo(4))
		o.expectConverged(ctx)
	})

	It("Defect94: are those of the workload's own autoscaler", func(ctx context.Context) {
		o := start(ctx, declared{box: `
onReconcile:
  deployments:
    - name: d
      image: "app:{{ .spec.v }}"
      replicas: 2
      autoscale:
        min: 1
        max: 6
        cooldown: 2s
        scaleUp: {conditions: {when: [{field: spec.load, greaterThan: "10"}]}, increment: 3}
        scaleDown: {conditions: {when: [{field: spec.load, lessThan: "5"}]}, target: 1}
`}, `spec: {v: a, load: 7}`)
		d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: o.namespace, Name: "d"}}
		Expect(replicas(ctx, d)()).To(BeEquivalentTo(2))

		By("scaling up in one write, and again when the cooldown ends, though nothing happens")
		from := time.Now()
		Expect(o.edit(ctx, `{"load":11}`)).To(Equal([]string{"apply deployments d", "update widgets/status w"}))
		Expect(replicas(ctx, d)()).To(BeEquivalentTo(5))
		Expect(d.Annotations).To(HaveKey("orkestra.konductor.io/last-scale"))
		Eventually(replicas(ctx, d)).Should(BeEquivalentTo(6))
		Expect(time.Since(from)).To(BeNumerically(">", time.Second))
		o.expectConverged(ctx)

		By("another hand, and another field")
		scaleTo(ctx, d, 4)
		o.edit(ctx, `{"load":7}`)
		o.edit(ctx, `{"v":"b"}`)
		Expect(replicas(ctx, d)()).To(BeEquivalentTo(4))
		Expect(d.Annotations).To(HaveKey("orkestra.konductor.io/last-scale"))
		scaleTo(ctx, d, 9)
		Eventually(replicas(ctx, d)).Should(BeEquivalentTo(6))
		o.expectConverged(ctx)

		By("starting anew: when it was scaled is not forgotten")
		o.edit(ctx, `{"load":1}`)
		Eventually(replicas(ctx, d)).Should(BeEquivalentTo(1))
		o.settle()
		o.expectConverged(ctx)

		By("taking the autoscaler away")
		o = o.replace(ctx, declared{box: `onReconcile: {deployments: [{name: d, image: "app:{{ .spec.v }}", replicas: 3}]}`})
		Eventually(replicas(ctx, d)).Should(BeEquivalentTo(3))
		o.settle()
		Expect(get(ctx, d).Annotations).NotTo(HaveKey("orkestra.konductor.io/last-scale"))
		o.expectConverged(ctx)
	})
})

var _ = Describe("The autoscaler of a ReplicaSet and of a StatefulSet", func() {
	It("sets their replicas and leaves them to other hands", func(ctx context.Context) {
		const scaler = `autoscale: {min: 1, max: 4, cooldown: 1h, scaleUp: {conditions: {when: [{field: spec.load, greaterThan: "10"}]}, increment: 1}}`
		o := start(ctx, declared{box: `
onReconcile:
  replicaSets: [{name: r, image: a, replicas: 2, ` + scaler + `}]
  statefulSets: [{name: s, image: a, replicas: 2, ` + scaler + `}]`}, `spec: {load: 1}`)
		set := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: o.namespace, Name: "r"}}
		stateful := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Namespace: o.namespace, Name: "s"}}
		both := func(want int32) {
			GinkgoHelper()
			Expect(get(ctx, set).Spec.Replicas).To(HaveValue(Equal(want)))
			Expect(get(ctx, stateful).Spec.Replicas).To(HaveValue(Equal(want)))
		}
		both(2)
		o.edit(ctx, `{"load":11}`)
		both(3)
		patch(ctx, set, `{"spec":{"replicas":2}}`)
		patch(ctx, stateful, `{"spec":{"replicas":2}}`)
		o.expectConverged(ctx)
		both(2)
	})
})
