package deletion_test

import (
	"context"
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var _ = Describe("onDelete", func() {
	It("Defect47: runs jobs and deletes what is owned, stage by stage, also of custom kinds and forEach", func(ctx context.Context) {
		space := newNamespace(ctx)
		create(ctx, configMap(space, "foreign"))
		operate(ctx, space, `
      operatorBox:
        onReconcile:
          deployments: [{name: web, image: nginx, replicas: "1"}]
          custom:
            - {apiVersion: deletion.example.com/v1, kind: Part, metadata: {name: "part-{{ .item }}"}, forEach: {field: spec.parts}}
        onCreate:
          jobs: [{name: setup, image: busybox}]
        onDelete:
          ordered: true
          groups:
            - {name: drain, jobs: [{name: drain, image: busybox, command: ["true"]}, {name: setup, image: busybox}]}
            - {name: skipped, when: [{field: spec.none, exists: true}], deployments: [{name: web}]}
            - {name: parts, configMaps: [{name: foreign}], custom: [{apiVersion: deletion.example.com/v1, kind: Part, metadata: {name: "part-{{ .item }}"}, forEach: {field: spec.parts}}]}
            - {name: workloads, deployments: [{name: web}]}
`, nil)
		w := widget(space, "w", map[string]any{"parts": []any{"a", "b"}})
		create(ctx, w)
		Eventually(ready(ctx, w)).Should(Equal(isReady))
		part, web := object("Part", space, "part-b"), deployment(space, "web")
		patch(ctx, part, `{"metadata":{"finalizers":["example.com/held"]}}`)

		Expect(cluster.Delete(ctx, w)).To(Succeed())
		Eventually(ready(ctx, w)).Should(Equal("False Deleting: stage 3 of 4 (parts): waits for Part part-b"))
		Expect(w.GetAnnotations()).To(HaveKeyWithValue("orkestra.konductor.io/deletion", HavePrefix("3/4 ")))
		drain := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "drain"}}
		Expect(exists(ctx, drain)()).To(BeTrue())
		Expect(drain.Status.Succeeded).To(BeNumerically("==", 1))
		Expect(exists(ctx, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "setup"}})()).To(BeFalse(), "a job of the resource's life is deleted")
		Expect(exists(ctx, object("Part", space, "part-a"))()).To(BeFalse())
		Consistently(exists(ctx, web)).WithTimeout(500 * time.Millisecond).Should(BeTrue())
		Expect(going(ctx, web)()).To(BeFalse(), "its stage has not come")

		patch(ctx, part, `{"metadata":{"finalizers":null}}`)
		Eventually(exists(ctx, w)).Should(BeFalse())
		Expect(exists(ctx, web)()).To(BeFalse())
		Expect(exists(ctx, configMap(space, "foreign"))()).To(BeTrue(), "it belongs to nobody")
	})

	It("names what is left when a stage takes too long, and goes on when that is gone", func(ctx context.Context) {
		space := newNamespace(ctx)
		operate(ctx, space, `
      operatorBox:
        onReconcile: {configMaps: [{name: first}, {name: second}]}
        onDelete: {ordered: true, timeout: 1s, groups: [{configMaps: [{name: first}]}, {configMaps: [{name: second}]}]}
`, nil)
		w := widget(space, "w", nil)
		create(ctx, w)
		Eventually(ready(ctx, w)).Should(Equal(isReady))
		patch(ctx, configMap(space, "first"), `{"metadata":{"finalizers":["example.com/held"]}}`)
		Expect(cluster.Delete(ctx, w)).To(Succeed())
		Eventually(ready(ctx, w)).Should(Equal("False DeleteError: onDelete: stage 1 of 2: not done after 1s: ConfigMap first"))
		Consistently(ready(ctx, w)).WithTimeout(time.Second).Should(HavePrefix("False DeleteError"))
		patch(ctx, configMap(space, "first"), `{"metadata":{"finalizers":null}}`)
		Eventually(exists(ctx, w)).Should(BeFalse())
	})

	It("Defect61: tells of a job that failed, and runs it again when it is deleted", func(ctx context.Context) {
		space := newNamespace(ctx)
		operate(ctx, space, `
      operatorBox:
        onReconcile: {configMaps: [{name: first}]}
        onDelete: {jobs: [{name: drain, image: busybox}], configMaps: [{name: first}]}
`, nil)
		w := widget(space, "w", nil)
		create(ctx, w)
		Eventually(ready(ctx, w)).Should(Equal(isReady))
		// No pod of the namespace can be made, so that the job neither ends nor fails by itself.
		create(ctx, &corev1.ResourceQuota{
			ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "none"},
			Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{corev1.ResourcePods: quantity("0")}},
		})
		Expect(cluster.Delete(ctx, w)).To(Succeed())
		Eventually(ready(ctx, w)).Should(HavePrefix("False Deleting: waits for Job drain"))
		drain := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "drain"}}
		patch(ctx, drain, `{"spec":{"activeDeadlineSeconds":1}}`)
		Eventually(ready(ctx, w)).Should(And(HavePrefix(fmt.Sprintf("False DeleteError: onDelete: Job %s/drain failed: DeadlineExceeded: ", space)),
			HaveSuffix("; delete it to have it run again")))

		Expect(cluster.DeleteAllOf(ctx, &corev1.ResourceQuota{}, client.InNamespace(space))).To(Succeed())
		Expect(cluster.Delete(ctx, drain, client.PropagationPolicy(metav1.DeletePropagationBackground))).To(Succeed())
		Eventually(exists(ctx, w)).Should(BeFalse())
	})

	It("lets a namespace with everything in it go", func(ctx context.Context) {
		space, home := newNamespace(ctx), newNamespace(ctx)
		operate(ctx, home, fmt.Sprintf(`
      operatorBox:
        onReconcile: {configMaps: [{name: away, namespace: %s}]}
        onDelete: {ordered: true, jobs: [{name: drain, image: busybox}]}
`, space), nil)
		w := widget(home, "w", nil)
		create(ctx, w)
		Eventually(ready(ctx, w)).Should(Equal(isReady))
		Expect(cluster.Delete(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: home}})).To(Succeed())
		Eventually(exists(ctx, w)).Should(BeFalse())
		Expect(exists(ctx, configMap(space, "away"))()).To(BeFalse())
	})

	It("runs its jobs also when the resource is deleted in the foreground", func(ctx context.Context) {
		space := newNamespace(ctx)
		operate(ctx, space, `
      operatorBox:
        onReconcile: {configMaps: [{name: first}]}
        onDelete: {ordered: true, jobs: [{name: drain, image: busybox}]}
`, nil)
		w := widget(space, "w", nil)
		create(ctx, w)
		Eventually(ready(ctx, w)).Should(Equal(isReady))
		Expect(cluster.Delete(ctx, w, client.PropagationPolicy(metav1.DeletePropagationForeground))).To(Succeed())
		Eventually(exists(ctx, w)).Should(BeFalse())
		// The garbage collector holds children of a resource that is deleted in the foreground, and takes its time to let them go.
		Eventually(exists(ctx, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "drain"}})).Should(BeFalse(), "and leaves none behind")
	})
})
