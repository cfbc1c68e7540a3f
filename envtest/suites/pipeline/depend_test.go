package pipeline_test

import (
	"context"
	"fmt"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

func deployment(namespace, name string) *appsv1.Deployment {
	return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}

// roll is what the controller of Deployments, which does not run here, says of one with three replicas.
func roll(ctx context.Context, namespace, name string, available int) {
	GinkgoHelper()
	d := get(ctx, deployment(namespace, name))
	patchStatus(ctx, d, fmt.Sprintf(`{"status":{"observedGeneration":%d,"replicas":3,"updatedReplicas":3,"readyReplicas":%d,"availableReplicas":%d}}`,
		d.Generation, available, available))
}

var _ = Describe("an entry that depends on others", func() {
	const box = `
reconciler: {resync: 1h}
onReconcile:
  configMaps:
    - {name: settings, id: settings, dependsOn: [db], data: {size: "{{ .spec.size }}"}}
    - {name: free, data: {size: "{{ .spec.size }}"}}
    - {name: extra, data: {a: "1"}, when: [{field: spec.size, lessThan: "2"}]}
  deployments:
    - {name: api, dependsOn: [settings], image: "api:{{ .spec.size }}", replicas: 3}
    - {name: db, id: db, image: "db:1", replicas: 3}
status:
  fields:
    - {path: db, value: "{{ .children.deployments.db.ready }}"}
`

	// Row 114.
	It("is made when they are ready, as their events tell, and costs nothing then", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		o := operate(ctx, namespace, declared{box: box})
		o.take()
		w := createWidget(ctx, namespace, `spec: {size: 1}`)
		Eventually(ready(ctx, w)).Should(HaveExactElements("False", "ChildNotReady", ContainSubstring("configMaps[0] settings waits for deployments[1] db: ")))
		Eventually(conditionOf(ctx, w, "Reconciling")).Should(HaveExactElements("True", "ChildNotReady", Not(BeEmpty())))
		Expect(conditionOf(ctx, w, "Stalled")()).To(BeNil())
		o.settle()
		made := o.take()
		Expect(slices.DeleteFunc(made, func(line string) bool { return !strings.HasPrefix(line, "create ") })).
			To(HaveExactElements("create configmaps", "create configmaps", "create deployments"), "the rest goes on")
		Expect(exists(ctx, configMap(namespace, "settings"))()).To(BeFalse())
		Expect(exists(ctx, deployment(namespace, "api"))()).To(BeFalse())
		Expect(get(ctx, deployment(namespace, "db")).Annotations).To(HaveKeyWithValue(orkv1.AnnotationDepth, "0"))
		Expect(field(ctx, w, "status", "db")()).To(Equal("false"), "the status is written meanwhile")
		Eventually(eventsOf(ctx, namespace)).Should(ContainElement("Normal ChildNotReady"))

		By("telling how far it is, without a request besides")
		roll(ctx, namespace, "db", 1)
		Eventually(ready(ctx, w)).Should(HaveExactElements("False", "ChildNotReady", "configMaps[0] settings waits for deployments[1] db: 1 of 3 replicas available"))
		o.settle()
		Expect(o.take()).To(HaveExactElements("update widgets/status w"))
		o.expectConverged(ctx)

		By("going on with the event of the last replica")
		roll(ctx, namespace, "db", 3)
		Eventually(ready(ctx, w)).Should(HaveExactElements("True", "ReconcileSucceeded", ""))
		o.settle()
		Expect(o.take()).To(HaveExactElements("create configmaps", "create deployments", "update widgets/status w"))
		Expect(get(ctx, configMap(namespace, "settings")).Annotations).To(HaveKeyWithValue(orkv1.AnnotationDepth, "1"))
		Expect(get(ctx, deployment(namespace, "api")).Annotations).To(HaveKeyWithValue(orkv1.AnnotationDepth, "2"))
		Expect(field(ctx, w, "status", "db")()).To(Equal("true"))
		o.expectConverged(ctx)

		By("costing nothing when the status of a child changes and nobody asks for it")
		before := o.cycles()
		roll(ctx, namespace, "api", 2)
		Eventually(o.cycles).Should(BeNumerically(">", before))
		o.settle()
		Expect(o.take()).To(BeEmpty())
	})

	It("is kept as declared once it is there, also while they are not ready", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		o := operate(ctx, namespace, declared{box: box})
		w := createWidget(ctx, namespace, `spec: {size: 1}`)
		Eventually(exists(ctx, deployment(namespace, "db"))).Should(BeTrue())
		roll(ctx, namespace, "db", 3)
		Eventually(ready(ctx, w)).Should(ContainElement("True"))
		Expect(exists(ctx, configMap(namespace, "extra"))()).To(BeTrue())

		roll(ctx, namespace, "db", 0)
		Eventually(field(ctx, w, "status", "db")).Should(Equal("false"))
		patch(ctx, w, `{"spec":{"size":2}}`)
		Eventually(data(ctx, namespace, "settings")).Should(HaveKeyWithValue("size", "2"))
		Eventually(func() string { return get(ctx, deployment(namespace, "api")).Spec.Template.Spec.Containers[0].Image }).Should(Equal("api:2"))
		Eventually(exists(ctx, configMap(namespace, "extra"))).Should(BeFalse(), "what is not wanted is pruned")
		Eventually(ready(ctx, w)).Should(ContainElement("True"))

		By("waiting for them once more when it is deleted")
		Expect(cluster.Delete(ctx, configMap(namespace, "settings"))).To(Succeed())
		Eventually(ready(ctx, w)).Should(HaveExactElements("False", "ChildNotReady", "configMaps[0] settings waits for deployments[1] db: 0 of 3 replicas available"))
		o.settle()
		Expect(exists(ctx, deployment(namespace, "api"))()).To(BeTrue(), "what depends on it is not pruned")
		roll(ctx, namespace, "db", 3)
		Eventually(data(ctx, namespace, "settings")).Should(HaveKeyWithValue("size", "2"))
		Eventually(ready(ctx, w)).Should(ContainElement("True"))
	})

	It("stalls with a Job that has failed, until there is another one", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		operate(ctx, namespace, declared{box: `
reconciler: {resync: 1h}
onReconcile:
  jobs: [{name: migrate, image: "db:1"}]
  configMaps: [{name: after, dependsOn: [jobs], data: {a: "1"}}]
`})
		w := createWidget(ctx, namespace, `spec: {size: 1}`)
		Eventually(ready(ctx, w)).Should(HaveExactElements("False", "ChildNotReady", "configMaps[0] after waits for jobs[0] migrate: 0 of 1 completions"))
		job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "migrate"}}
		finish := func(outcome, before string) {
			GinkgoHelper()
			patchStatus(ctx, get(ctx, job), fmt.Sprintf(`{"status":{"startTime":"2026-01-01T00:00:00Z","conditions":[
				{"type":%q,"status":"True","lastProbeTime":"2026-01-01T00:00:00Z","lastTransitionTime":"2026-01-01T00:00:00Z"},
				{"type":%q,"status":"True","reason":"BackoffLimitExceeded","lastProbeTime":"2026-01-01T00:00:00Z","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}`, before, outcome))
		}
		finish("Failed", "FailureTarget")
		Eventually(conditionOf(ctx, w, "Stalled")).Should(HaveExactElements("True", "ChildNotReady", "configMaps[0] after waits for jobs[0] migrate: it has failed (BackoffLimitExceeded)"))
		Expect(cluster.Delete(ctx, job, client.PropagationPolicy(metav1.DeletePropagationBackground))).To(Succeed())
		Eventually(ready(ctx, w)).Should(HaveExactElements("False", "ChildNotReady", "configMaps[0] after waits for jobs[0] migrate: 0 of 1 completions"))
		patchStatus(ctx, get(ctx, job), `{"status":{"startTime":"2026-01-01T00:00:00Z","completionTime":"2026-01-01T00:00:01Z","succeeded":1,"conditions":[
			{"type":"SuccessCriteriaMet","status":"True","lastProbeTime":"2026-01-01T00:00:00Z","lastTransitionTime":"2026-01-01T00:00:00Z"},
			{"type":"Complete","status":"True","lastProbeTime":"2026-01-01T00:00:00Z","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}`)
		Eventually(exists(ctx, configMap(namespace, "after"))).Should(BeTrue())
		Eventually(ready(ctx, w)).Should(HaveExactElements("True", "ReconcileSucceeded", ""))
	})
})
