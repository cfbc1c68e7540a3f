package pipeline_test

import (
	"context"
	"encoding/json"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	eventsv1 "k8s.io/api/events/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/orkestra-runtime/orkestra/runtime/health"
)

var _ = Describe("rules", func() {
	const child = `
onReconcile:
  configMaps: [{name: a, data: {size: "{{ .spec.size }}", team: "{{ .spec.team }}"}}]
`

	// Row 112.
	It("Defect59: leave the children of a resource that they deny as they are, try nothing again, and degrade nothing", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		o := operate(ctx, namespace, declared{entry: `
validation:
  rules:
    - {field: spec.size, max: "5", message: "at most 5"}
    - {field: spec.team, in: "red,blue", message: "{{ .spec.team }} is no team"}
    - {field: spec.size, max: "4", message: "is a lot", action: warn}`, box: child})
		w := createWidget(ctx, namespace, `spec: {size: 3, team: red}`)
		Eventually(ready(ctx, w)).Should(HaveExactElements("True", "ReconcileSucceeded", ""))
		Expect(conditionOf(ctx, w, "ValidationFailed")()).To(Equal([]string{"False", "ValidationPassed", ""}))
		Expect(conditionOf(ctx, w, "ValidationWarning")()).To(Equal([]string{"False", "NoWarnings", ""}))
		o.settle()
		o.take()
		o.takeEvents()

		By("warning of a value that is allowed")
		Expect(o.edit(ctx, `{"size":5}`)).To(ConsistOf("apply configmaps a", "update widgets/status w"))
		Expect(conditionOf(ctx, w, "ValidationWarning")()).To(Equal([]string{"True", "WarnRuleViolation", `field "spec.size": is a lot`}))
		Expect(o.takeEvents()).To(HaveLen(2), "of the warning, and of the new generation")

		By("telling of all that is denied at once")
		cycles := o.cycles()
		Expect(o.edit(ctx, `{"size":9,"team":"green"}`)).To(Equal([]string{"update widgets/status w"}))
		denial := `validation failed: field "spec.size": at most 5 (got "9"); field "spec.team": green is no team (got "green")`
		Expect(conditionOf(ctx, w, "ValidationFailed")()).To(Equal([]string{"True", "DenyRuleViolation", denial}))
		Expect(ready(ctx, w)()).To(HaveExactElements("False", "ValidationFailed", denial))
		Expect(conditionOf(ctx, w, "Stalled")()).To(HaveExactElements("True", "ValidationFailed", denial))
		Expect(data(ctx, namespace, "a")()).To(Equal(map[string]string{"size": "5", "team": "red"}))
		denials := func() (notes []string) {
			var list eventsv1.EventList
			Expect(cluster.List(ctx, &list, client.InNamespace(namespace))).To(Succeed())
			for i := range list.Items {
				if e := &list.Items[i]; e.Reason == "ValidationFailed" && e.Regarding.Name == w.GetName() && e.Regarding.Kind == "Widget" {
					notes = append(notes, e.Type+" "+e.Note)
				}
			}
			return notes
		}
		Eventually(denials).Should(ConsistOf("Warning " + denial))
		o.settle()
		Expect(denials()).To(HaveLen(1), "of one denial")
		Expect(o.cycles() - cycles).To(BeNumerically("<=", 2))
		Expect(o.state().Health.Failed).To(BeZero())
		Expect(o.state().Health.State).To(Equal(health.Healthy))
		o.expectConverged(ctx)

		By("going on when it is right again")
		Expect(o.edit(ctx, `{"size":1,"team":"blue"}`)).To(ConsistOf("apply configmaps a", "update widgets/status w"))
		Expect(ready(ctx, w)()).To(HaveExactElements("True", "ReconcileSucceeded", ""))
		Expect(conditionOf(ctx, w, "Stalled")()).To(BeNil())
	})

	// Row 70.
	It("Defect60: see what mutation sets, unless mutateFirst is false, and never write it back", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		o := operate(ctx, namespace, declared{entry: `
normalize: {spec: {team: "{{ .spec.team | toLower | trimSpace }}"}}
mutation: {rules: [{field: spec.size, default: 2}]}
validation: {rules: [{field: spec.size, min: "1", message: "at least 1"}, {field: spec.team, equals: red, message: "only red"}]}`, box: child})
		w := createWidget(ctx, namespace, `spec: {team: " RED "}`)
		Eventually(ready(ctx, w)).Should(HaveExactElements("True", "ReconcileSucceeded", ""))
		Expect(data(ctx, namespace, "a")()).To(Equal(map[string]string{"size": "2", "team": "red"}))
		spec, err := json.Marshal(w.Object["spec"])
		Expect(err).NotTo(HaveOccurred())
		Expect(spec).To(MatchJSON(`{"team":" RED "}`))
		o.expectConverged(ctx)
		o.stop()

		namespace = newNamespace(ctx)
		operate(ctx, namespace, declared{entry: `
mutation: {mutateFirst: false, rules: [{field: spec.size, default: 2}]}
validation: {rules: [{field: spec.size, min: "1", message: "at least 1"}]}`, box: child})
		w = createWidget(ctx, namespace, `spec: {team: red}`)
		Eventually(ready(ctx, w)).Should(HaveExactElements("False", "ValidationFailed", HavePrefix(`validation failed: field "spec.size": at least 1`)))
	})

	// Row 31.
	It("hold a value for unique while another resource has it", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		operate(ctx, namespace, declared{
			entry: `validation: {rules: [{field: spec.team, operator: unique, message: "is taken"}]}`, box: "reconciler: {resync: 1s}",
		})
		w := createWidget(ctx, namespace, `spec: {size: 1, team: red}`)
		Eventually(ready(ctx, w)).Should(HaveExactElements("True", "ReconcileSucceeded", ""))
		other := object("Widget", namespace, "other", "spec: {size: 1, team: red}")
		Expect(cluster.Create(ctx, other)).To(Succeed())
		Eventually(ready(ctx, other)).Should(HaveExactElements("False", "ValidationFailed", `validation failed: field "spec.team": is taken (got "red")`))
		patch(ctx, other, `{"spec":{"team":"blue"}}`)
		Eventually(ready(ctx, other)).Should(HaveExactElements("True", "ReconcileSucceeded", ""))
	})
})

var _ = Describe("time", func() {
	It("brings a resource back when a condition flips, without an event", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		o := operate(ctx, namespace, declared{box: `
onReconcile:
  configMaps: [{name: a, when: [{field: '{{ isExpired .metadata.creationTimestamp "3s" }}', equals: "true"}], data: {a: b}}]
reconciler: {resync: 1h}`})
		w := createWidget(ctx, namespace, `spec: {size: 1}`)
		Eventually(ready(ctx, w)).Should(HaveExactElements("True", "ReconcileSucceeded", ""))
		Expect(data(ctx, namespace, "a")()).To(BeNil())
		Eventually(data(ctx, namespace, "a")).WithTimeout(10 * time.Second).Should(Equal(map[string]string{"a": "b"}))
		o.settle()
		Expect(o.cycles()).To(BeNumerically("<=", 3), "it is not polled")
	})
})
