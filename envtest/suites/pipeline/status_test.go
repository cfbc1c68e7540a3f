package pipeline_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/orkestra-runtime/orkestra/conditions/status"
)

// conditionTypes of an object, in order.
func conditionTypes(ctx context.Context, o *unstructured.Unstructured) []string {
	GinkgoHelper()
	types := []string{}
	for _, condition := range status.Conditions(get(ctx, o).Object) {
		types = append(types, condition.Type)
	}
	return types
}

// startKind operates resources of a kind and makes one named w, and waits for its first cycle.
func startKind(ctx context.Context, d declared, fields string) (*operator, *unstructured.Unstructured) {
	GinkgoHelper()
	namespace := newNamespace(ctx)
	o := operate(ctx, namespace, d)
	o.take()
	w := object(d.kind, namespace, "w", fields)
	Expect(cluster.Create(ctx, w)).To(Succeed())
	Eventually(o.cycles).Should(BeNumerically(">=", 1))
	o.settle()
	return o, w
}

var _ = Describe("the status", func() {
	// Rows 113 and 114.
	It("has conditions, declared fields, and what the children say", func(ctx context.Context) {
		o := start(ctx, declared{box: `
onReconcile: {configMaps: [{name: a, data: {a: "1"}}, {name: b, data: {a: "1"}}]}
status:
  fields:
    - {path: phase, value: Running}
    - {path: endpoint.host, value: "{{ .metadata.name }}.example.com"}
    - {path: endpoint.port, value: "80", type: int}
    - {path: size, value: "{{ .spec.size }}"}
    - {path: children, value: "{{ len .children.configmaps }}"}
    - {path: first, value: "{{ .children.configmap.metadata.name }}"}
    - {path: wrong, value: abc, type: int}
    - {path: note, value: big, when: [{field: spec.size, greaterThan: "5"}], clearOnFalse: true}
`}, `spec: {size: 7}`)
		w := object("Widget", o.namespace, "w", "")
		got := read(ctx, w)()["status"].(map[string]any)
		Expect(conditionTypes(ctx, w)).To(Equal([]string{"Ready"}))
		delete(got, "conditions")
		Expect(got).To(Equal(map[string]any{
			"observedGeneration": int64(1), "phase": "Running", "size": int64(7), "children": int64(2), "first": "a", "note": "big",
			"endpoint": map[string]any{"host": "w.example.com", "port": int64(80)},
		}))
		o.expectConverged(ctx)
		Expect(o.edit(ctx, `{"size":3}`)).To(Equal([]string{"update widgets/status w"}))
		Expect(field(ctx, w, "status", "note")()).To(Equal(`""`))
		o.expectConverged(ctx)
	})

	It("follows a map or a list of the spec also when it shrinks", func(ctx context.Context) {
		o := start(ctx, declared{box: `
status:
  fields:
    - {path: whole, value: "{{ .spec.map }}"}
    - {path: whole.more, value: "1"}
    - {path: list, value: "{{ .spec.list }}"}
`}, `spec: {map: {a: {b: 1, c: 2}, d: null}, list: [1, 2.5, {e: 1}]}`)
		w := object("Widget", o.namespace, "w", "")
		Expect(field(ctx, w, "status", "whole")()).To(Equal(`{"a":{"b":1,"c":2},"more":"1"}`))
		Expect(field(ctx, w, "status", "list")()).To(Equal(`[1,2.5,{"e":1}]`))
		Expect(field(ctx, w, "spec", "map")()).NotTo(ContainSubstring("more"))
		o.expectConverged(ctx)
		Expect(o.edit(ctx, `{"map":{"a":{"c":null}}}`)).To(Equal([]string{"update widgets/status w"}))
		Expect(field(ctx, w, "status", "whole")()).To(Equal(`{"a":{"b":1},"more":"1"}`))
		o.expectConverged(ctx)
	})

	It("Defect54: keeps the conditions of others, whoever writes when", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		w := createWidget(ctx, namespace, ``)
		theirs := func(i int) string {
			return fmt.Sprintf(`{"type":"Theirs","status":"True","reason":"Round%d","message":"","lastTransitionTime":"2020-01-01T00:00:00Z","extra":{"n":%d}}`, i, i)
		}
		patchStatus(ctx, w, `{"status":{"conditions":[`+theirs(0)+`]}}`)
		o := operate(ctx, namespace, declared{box: `status: {fields: [{path: size, value: "{{ .spec.size }}"}]}`})
		Eventually(ready(ctx, w)).Should(ContainElement("True"))
		Expect(conditionTypes(ctx, w)).To(Equal([]string{"Theirs", "Ready"}))

		for i := range 20 {
			patch(ctx, w, fmt.Sprintf(`{"spec":{"size":%d}}`, i))
			Eventually(func() error { // as a writer with manners does it: what it read is what it changes
				read := get(ctx, object("Widget", namespace, "w", ""))
				conditions, _, _ := unstructured.NestedSlice(read.Object, "status", "conditions")
				for _, element := range conditions {
					if condition := element.(map[string]any); condition["type"] == "Theirs" {
						condition["reason"], condition["extra"] = fmt.Sprintf("Round%d", i), map[string]any{"n": int64(i)}
					}
				}
				Expect(unstructured.SetNestedSlice(read.Object, conditions, "status", "conditions")).To(Succeed())
				return cluster.Status().Update(ctx, read)
			}).Should(Succeed())
		}
		Eventually(field(ctx, w, "status", "size")).Should(Equal("19"))
		o.settle()
		Expect(conditionOf(ctx, w, "Theirs")()).To(Equal([]string{"True", "Round19", ""}))
		Expect(field(ctx, w, "status", "conditions")()).To(ContainSubstring(`"extra":{"n":19}`), "also what a condition has no field for")
		Expect(ready(ctx, w)()).To(ContainElement("True"))
		Expect(field(ctx, w, "status", "observedGeneration")()).To(Equal(fmt.Sprint(w.GetGeneration())))
	})

	// Row 112.
	It("moves a transition time with the status of the condition alone", func(ctx context.Context) {
		o := start(ctx, declared{box: `onReconcile: {configMaps: [{name: "{{ .spec.name }}", data: {a: "1"}}]}`}, `spec: {name: a}`)
		w := object("Widget", o.namespace, "w", "")
		transition := func() metav1.Time {
			return status.Find(status.Conditions(get(ctx, w).Object), "Ready").LastTransitionTime
		}
		born := transition()
		Eventually(func() bool { return time.Since(born.Time) > 1100*time.Millisecond }).Should(BeTrue())
		o.edit(ctx, `{"name":"b"}`)
		Expect(transition()).To(Equal(born))
		o.edit(ctx, `{"name":"NOT A NAME"}`)
		Expect(transition()).NotTo(Equal(born))
	})

	DescribeTable("is written as far as the definition and the Katalog allow, and never in a loop",
		func(ctx context.Context, d declared, writes []string, want string) {
			if d.kind == "" {
				d.kind = "Widget"
			}
			d.box += `
reconciler: {resync: 1s}
onReconcile: {configMaps: [{name: a, data: {a: "1"}}]}
status: {conditions: ` + fmt.Sprint(!strings.Contains(d.entry, "# no conditions")) + `, fields: [{path: phase, value: Running}, {path: more.deep, value: "1"}]}
`
			o, w := startKind(ctx, d, ``)
			Expect(o.take()).To(Equal(append([]string{"create configmaps"}, writes...)))
			status, _ := get(ctx, w).Object["status"].(map[string]any)
			delete(status, "conditions")
			Expect(fmt.Sprint(status)).To(Equal(want))
			before := o.cycles()
			Eventually(o.cycles).Should(BeNumerically(">=", before+2))
			Expect(o.take()).To(BeEmpty())
		},
		Entry("schema with one field", declared{kind: "Narrow"}, []string{"update narrows/status w"}, `map[phase:Running]`),
		Entry("no status subresource", declared{kind: "Bare"}, nil, `map[]`),
		Entry("ignoreStatusPatch", declared{entry: `ignoreStatusPatch: true`}, nil, `map[]`),
		Entry("ignoreObservedGeneration", declared{entry: `ignoreObservedGeneration: true`}, []string{"update widgets/status w"},
			`map[more:map[deep:1] phase:Running]`),
		Entry("conditions: false", declared{entry: `# no conditions`}, []string{"update widgets/status w"},
			`map[more:map[deep:1] observedGeneration:1 phase:Running]`),
	)

	It("is not needed to tell of a failure, which is told a few times and no more", func(ctx context.Context) {
		o, w := startKind(ctx, declared{kind: "Widget", entry: `ignoreStatusPatch: true`, box: `
reconciler: {resync: 1s}
onReconcile: {configMaps: [{name: "NOT {{ .metadata.name }}"}]}`}, ``)
		Eventually(eventsOf(ctx, o.namespace)).Should(Equal([]string{"Warning InvalidDeclaration"}))
		before := o.cycles()
		Eventually(o.cycles).Should(BeNumerically(">=", before+3))
		Expect(len(o.takeEvents())).To(BeNumerically("<=", 2), "the Event, and that it repeats")
		Expect(o.take()).To(BeEmpty())
		Expect(get(ctx, w).Object).NotTo(HaveKey("status"))
	})

	It("writes no condition where the Katalog has none", func(ctx context.Context) {
		_, w := startKind(ctx, declared{kind: "Widget", box: `status: {conditions: false}`}, ``)
		Expect(conditionTypes(ctx, w)).To(BeEmpty())
	})

	It("drives a state machine by itself", func(ctx context.Context) {
		step := func(from, to string) string {
			return fmt.Sprintf(`
    - {path: phase, value: %s, when: [{field: status.phase, equals: %q}]}`, to, from)
		}
		o := start(ctx, declared{box: `
onReconcile:
  configMaps: [{name: "at-{{ .status.phase }}", data: {a: "1"}, when: [{field: status.phase, exists: true}]}]
status:
  fields:` + step("", "one") + step("one", "two") + step("two", "three") + step("three", "four")}, ``)
		w := object("Widget", o.namespace, "w", "")
		Eventually(field(ctx, w, "status", "phase")).Should(Equal(`"four"`))
		o.settle()
		Expect(data(ctx, o.namespace, "at-four")()).NotTo(BeNil())
		Expect(data(ctx, o.namespace, "at-three")()).To(BeNil())
		o.expectConverged(ctx)
	})

	// Row 114.
	It("drives a state machine by the job of the current step", func(ctx context.Context) {
		o := start(ctx, declared{box: `
onCreate:
  jobs:
    - {name: build, image: a, when: [{field: status.phase, notEquals: Testing}]}
    - {name: test, image: a, when: [{field: status.phase, equals: Testing}]}
status:
  fields:
    - {path: job, value: "{{ .children.job.metadata.name }}"}
    - path: phase
      value: Testing
      when: [{field: children.job.metadata.name, equals: build}, {field: children.job.status.succeeded, equals: "1"}]
    - path: phase
      value: Done
      when: [{field: children.job.metadata.name, equals: test}, {field: children.job.status.succeeded, equals: "1"}]
`}, ``)
		w := object("Widget", o.namespace, "w", "")
		Expect(field(ctx, w, "status", "job")()).To(Equal(`"build"`))
		finish := func(name string) {
			GinkgoHelper()
			patchStatus(ctx, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: o.namespace, Name: name}}, `{"status":{
				"succeeded":1,"startTime":"2020-01-01T00:00:00Z","completionTime":"2020-01-01T00:00:01Z",
				"uncountedTerminatedPods":{},
				"conditions":[
					{"type":"SuccessCriteriaMet","status":"True","lastTransitionTime":"2020-01-01T00:00:00Z"},
					{"type":"Complete","status":"True","lastTransitionTime":"2020-01-01T00:00:00Z"}]}}`)
		}
		finish("build")
		Eventually(field(ctx, w, "status", "phase")).Should(Equal(`"Testing"`))
		Eventually(field(ctx, w, "status", "job")).Should(Equal(`"test"`))
		Consistently(field(ctx, w, "status", "phase")).WithTimeout(time.Second).Should(Equal(`"Testing"`), "the step has its own job")
		finish("test")
		Eventually(field(ctx, w, "status", "phase")).Should(Equal(`"Done"`))
	})

	It("does not spin when it never comes to rest", func(ctx context.Context) {
		o := start(ctx, declared{box: `
status:
  fields:
    - {path: at, value: tick, when: [{field: status.at, notEquals: tick}]}
    - {path: at, value: tock, when: [{field: status.at, equals: tick}]}
`}, ``)
		Consistently(o.cycles).WithTimeout(timeToStorm).Should(BeNumerically("<", 20))
	})

	It("Defect57: cuts a long message, and sends one event for each change", func(ctx context.Context) {
		o := start(ctx, declared{box: `
reconciler: {resync: 1s}
onReconcile: {configMaps: [{name: a, data: {a: "1"}, labels: {x: "{{ .spec.label }}"}}]}
`}, `spec: {label: fine}`)
		w := object("Widget", o.namespace, "w", "")
		o.edit(ctx, `{"label":"`+strings.Repeat("ü", 300)+`"}`)
		got := ready(ctx, w)()
		Expect(got[:2]).To(Equal([]string{"False", "InvalidDeclaration"}))
		Expect(len(got[2])).To(And(BeNumerically("<=", 256), BeNumerically(">=", 254)))
		Expect(got[2]).To(And(HavePrefix("configMaps[0].labels"), ContainSubstring("must be no more than 63 bytes"), HaveSuffix("...")),
			"a long value leaves room for what is wrong with it")
		Expect(conditionTypes(ctx, w)).To(ConsistOf("Ready", "Stalled"))
		before := o.cycles()
		Eventually(o.cycles).Should(BeNumerically(">=", before+2))
		Eventually(eventsOf(ctx, o.namespace)).Should(Equal([]string{"Warning InvalidDeclaration"}))

		o.edit(ctx, `{"label":"fine"}`)
		Expect(ready(ctx, w)()).To(Equal([]string{"True", "ReconcileSucceeded", ""}))
		Eventually(eventsOf(ctx, o.namespace)).Should(ConsistOf("Warning InvalidDeclaration", "Normal Reconciled"))
		Expect(o.takeEvents()).To(HaveLen(2))
	})
})
