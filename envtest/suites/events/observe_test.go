package events_test

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/orkestra-runtime/orkestra/envtest"
	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/operator"
)

// noting has each resource note in its status at which version of it the last cycle was, which each cycle changes, and nothing else wake it.
const noting = quietResync + `
status: {fields: [{path: seen, value: "{{ index .metadata \"resourceVersion\" }}"}]}
`

// seen is what the cycles of the Widgets have noted last, by their names.
func seen(ctx context.Context, namespace string) map[string]string {
	GinkgoHelper()
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(schema.GroupVersionKind{Group: group, Version: "v1", Kind: "WidgetList"})
	Expect(cluster.List(ctx, list, client.InNamespace(namespace))).To(Succeed())
	noted := map[string]string{}
	for _, one := range list.Items {
		if version, _, _ := unstructured.NestedString(one.Object, "status", "seen"); version != "" {
			noted[one.GetName()] = version
		}
	}
	return noted
}

// woken are the names of the Widgets that have had a cycle since.
func woken(ctx context.Context, namespace string, since map[string]string) func() []string {
	return func() []string {
		GinkgoHelper()
		names := []string{}
		for name, version := range seen(ctx, namespace) {
			if version != since[name] {
				names = append(names, name)
			}
		}
		return names
	}
}

// observing starts an operator of three Widgets, which refer to a, a and b, and returns what lists those that have a cycle from then on.
func observing(ctx context.Context, namespace, observe string) (*operator.Operator, func() []string) {
	GinkgoHelper()
	o := operate(ctx, namespace, "", noting+observe)
	for name, ref := range map[string]string{"one": "a", "two": "a", "three": "b"} {
		create(ctx, namespace, name, "ref: "+ref)
	}
	Eventually(func() map[string]string { return seen(ctx, namespace) }).Should(HaveLen(3))
	Expect(o.Settle(ctx)).To(Succeed())
	return o, woken(ctx, namespace, seen(ctx, namespace))
}

// configMap is one that is nobody's child.
func configMap(namespace, name string, change ...func(*corev1.ConfigMap)) *corev1.ConfigMap {
	made := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	for _, apply := range change {
		apply(made)
	}
	return made
}

// happened sends an Event about an object.
func happened(ctx context.Context, namespace, reason, controller string, regarding corev1.ObjectReference) {
	GinkgoHelper()
	Expect(cluster.Create(ctx, &eventsv1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, GenerateName: "e-"}, Reason: reason, Action: "Test", Type: "Normal",
		ReportingController: controller, ReportingInstance: "test-0", EventTime: metav1.NowMicro(), Regarding: regarding,
	})).To(Succeed())
}

var _ = Describe("observe.watch", func() {
	It("Row 51: has a changed object lead to its owner alone", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		_, cycles := observing(ctx, namespace, "observe: {watch: [{apiVersion: v1, kind: ConfigMap, namespace: "+namespace+"}]}")
		owner := widget(namespace, "two", "")
		Expect(cluster.Get(ctx, client.ObjectKeyFromObject(owner), owner)).To(Succeed())
		owned := configMap(namespace, "owned", func(c *corev1.ConfigMap) {
			c.OwnerReferences = []metav1.OwnerReference{{APIVersion: group + "/v1", Kind: "Widget", Name: "two", UID: owner.GetUID()}}
		})
		Expect(cluster.Create(ctx, owned)).To(Succeed())
		Eventually(cycles).Should(ConsistOf("two"))
		Consistently(cycles).Should(ConsistOf("two"))
	})

	It("Row 52: finds the resource that a label, an annotation or a name tells", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		_, cycles := observing(ctx, namespace, `
observe:
  watch:
  - {apiVersion: v1, kind: ConfigMap, namespace: `+namespace+`, keyFrom: {label: demo.io/owner}, labelSelector: {by: label}}
  - {apiVersion: v1, kind: ConfigMap, namespace: `+namespace+`, keyFrom: {annotation: demo.io/owner}, labelSelector: {by: annotation}}
  - {apiVersion: v1, kind: ConfigMap, namespace: `+namespace+`, name: flags, keyFrom: {name: three}}`)
		Expect(cluster.Create(ctx, configMap(namespace, "labelled", func(c *corev1.ConfigMap) {
			c.Labels = map[string]string{"by": "label", "demo.io/owner": "one"}
		}))).To(Succeed())
		Eventually(cycles).Should(ConsistOf("one"))
		Expect(cluster.Create(ctx, configMap(namespace, "annotated", func(c *corev1.ConfigMap) {
			c.Labels, c.Annotations = map[string]string{"by": "annotation"}, map[string]string{"demo.io/owner": namespace + "/two"}
		}))).To(Succeed())
		Eventually(cycles).Should(ConsistOf("one", "two"))
		Expect(cluster.Create(ctx, configMap(namespace, "flags"))).To(Succeed())
		Eventually(cycles).Should(ConsistOf("one", "two", "three"))
	})

	It("Row 64: takes from an included file what it does not say itself", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		included := file("observe.yaml", `
watch: [{apiVersion: v1, kind: ConfigMap, namespace: `+namespace+`, keyFrom: {label: demo.io/owner}}]
events:
  ready: {reason: Included, namespace: `+namespace+`, keyFrom: {name: one}}
  failed: {reason: Failed, namespace: `+namespace+`, keyFrom: {name: two}}`)
		_, cycles := observing(ctx, namespace, "observe: {include: "+included+", events: {ready: {reason: Inline, namespace: "+namespace+", keyFrom: {name: three}}}}")
		regarding := corev1.ObjectReference{APIVersion: "db.io/v1", Kind: "Database", Namespace: namespace, Name: "a"}
		happened(ctx, namespace, "Included", "db.io/a", regarding)
		happened(ctx, namespace, "Failed", "db.io/a", regarding)
		Eventually(cycles).Should(ConsistOf("two"))
		happened(ctx, namespace, "Inline", "db.io/a", regarding)
		Eventually(cycles).Should(ConsistOf("two", "three"))
		Consistently(cycles).Should(ConsistOf("two", "three"), "the inline event took the place of the included one")
		Expect(cluster.Create(ctx, configMap(namespace, "labelled", func(c *corev1.ConfigMap) { c.Labels = map[string]string{"demo.io/owner": "one"} }))).To(Succeed())
		Eventually(cycles).Should(ConsistOf("one", "two", "three"))
	})

	It("Row 53: wakes every resource when a shared object changes", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		shared := configMap(namespace, "shared")
		Expect(cluster.Create(ctx, shared)).To(Succeed())
		o, cycles := observing(ctx, namespace, "observe: {watch: [{apiVersion: v1, kind: ConfigMap, namespace: "+namespace+", name: shared}]}")
		patch(ctx, shared, `{"data":{"a":"b"}}`)
		Eventually(cycles).Should(ConsistOf("one", "two", "three"))
		Expect(o.Settle(ctx)).To(Succeed())
		cycles = woken(ctx, namespace, seen(ctx, namespace))
		Expect(cluster.Delete(ctx, shared)).To(Succeed())
		Eventually(cycles).Should(ConsistOf("one", "two", "three"))
	})

	It("Row 54, Defect16: leaves other names and other changes alone", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		_, cycles := observing(ctx, namespace, "observe: {watch: [{apiVersion: v1, kind: ConfigMap, namespace: "+namespace+", name: shared, on: [update]}]}")
		shared, other := configMap(namespace, "shared"), configMap(namespace, "other")
		Expect(cluster.Create(ctx, shared)).To(Succeed())
		Expect(cluster.Create(ctx, other)).To(Succeed())
		patch(ctx, other, `{"data":{"a":"b"}}`)
		Consistently(cycles).Should(BeEmpty())
		patch(ctx, shared, `{"data":{"a":"b"}}`)
		Eventually(cycles).Should(HaveLen(3))
	})

	// Row 32.
	It("Row 56: asks the gate of the watch about the sentinels of the object", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		shared := configMap(namespace, "shared")
		Expect(cluster.Create(ctx, shared)).To(Succeed())
		_, cycles := observing(ctx, namespace, `
observe: {watch: [{apiVersion: v1, kind: ConfigMap, namespace: `+namespace+`, enqueueGate: {
  sentinels: [labelsChanged], when: [{field: "{{ .watched.metadata.labels.ref }}", equals: "{{ .spec.ref }}"}]}}]}`)
		patch(ctx, shared, `{"data":{"a":"b"}}`)
		Eventually(gate(namespace, "observe", "refused")).Should(BeNumerically(">=", 3))
		Consistently(cycles).Should(BeEmpty())
		patch(ctx, shared, `{"metadata":{"labels":{"ref":"b"}}}`)
		Eventually(cycles).Should(ConsistOf("three"))
	})

	It("Row 57, Defect18: waits for a kind that is not installed, and says so", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		o, cycles := observing(ctx, namespace, "observe: {watch: [{apiVersion: "+group+"/v1, kind: Late, keyFrom: {label: of}}]}")
		Expect(o.State().Health.PendingObservation).To(ConsistOf("watch of Late." + group + ": kind Late of " + group + "/v1 is not installed"))
		Expect(envtest.InstallCRDs(ctx, env.Config(), definitionOf("Late", "lates"))).To(Succeed())
		Eventually(func() []string { return o.State().Health.PendingObservation }).Should(BeEmpty())
		late := widget(namespace, "late", "")
		late.SetKind("Late")
		late.SetLabels(map[string]string{"of": "three"})
		Eventually(func() error { return cluster.Create(ctx, late) }).Should(Succeed())
		Eventually(cycles).Should(ConsistOf("three"))
	})

	It("does not have a resource look again at what was written for it", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		o, cycles := observing(ctx, namespace, `
observe: {watch: [{apiVersion: v1, kind: ConfigMap, namespace: `+namespace+`}]}
onReconcile: {configMaps: [{name: "{{ .metadata.name }}", data: {ref: "{{ .spec.ref }}"}}]}`)
		before := o.Cycles()
		patch(ctx, widget(namespace, "one", ""), `{"spec":{"ref":"c"}}`)
		Eventually(data(ctx, namespace, "one")).Should(HaveKeyWithValue("ref", "c"))
		Expect(o.Settle(ctx)).To(Succeed())
		Expect(cycles()).To(ConsistOf("one"))
		Expect(o.Cycles() - before).To(Equal(1))
	})
})

var _ = Describe("observe.events", func() {
	database := func(namespace, name string) corev1.ObjectReference {
		return corev1.ObjectReference{APIVersion: "db.io/v1", Kind: "Database", Namespace: namespace, Name: name}
	}

	It("Row 59: wants every field that is set to match", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		_, cycles := observing(ctx, namespace, "observe: {events: {ready: {reason: Ready, action: Test, namespace: "+namespace+", reportingController: db.io/a}}}")
		happened(ctx, namespace, "Ready", "db.io/b", database(namespace, "a"))
		happened(ctx, namespace, "Other", "db.io/a", database(namespace, "a"))
		Consistently(cycles).Should(BeEmpty())
		happened(ctx, namespace, "Ready", "db.io/a", database(namespace, "a"))
		Eventually(cycles).Should(ConsistOf("one", "two", "three"))
	})

	It("Row 60: lets the gates read what the Event says", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		_, cycles := observing(ctx, namespace, `
observe: {events: {ready: {reason: Ready, namespace: `+namespace+`, enqueueGate: {when: [{field: "{{ .events.ready.reportingController }}", prefix: db.}]}}}}
preReconcile: {reconcileGate: {when: [{field: "{{ .events.ready.note }}", notEquals: hold}]}}`)
		happened(ctx, namespace, "Ready", "other.io/a", database(namespace, "a"))
		Eventually(gate(namespace, "observe", "refused")).Should(Equal(3))
		Expect(cycles()).To(BeEmpty())
		happened(ctx, namespace, "Ready", "db.io/a", database(namespace, "a"))
		Eventually(cycles).Should(ConsistOf("one", "two", "three"))
		held := &eventsv1.Event{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "held"}, Reason: "Ready", Action: "Test", Type: "Normal", Note: "hold",
			ReportingController: "db.io/a", ReportingInstance: "a", EventTime: metav1.NowMicro(), Regarding: database(namespace, "a"),
		}
		Expect(cluster.Create(ctx, held)).To(Succeed())
		Eventually(gate(namespace, "reconcile", "refused")).Should(Equal(3))
		Expect(cycles()).To(ConsistOf("one", "two", "three"))
	})

	It("Row 61: finds the resources that name the object by a template", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		_, cycles := observing(ctx, namespace, `observe: {events: {ready: {reason: Ready, namespace: `+namespace+`, regarding: {kind: Database, name: "{{ .spec.ref }}"}}}}`)
		happened(ctx, namespace, "Ready", "db.io/a", database(namespace, "b"))
		Eventually(cycles).Should(ConsistOf("three"))
		happened(ctx, namespace, "Ready", "db.io/a", database(namespace, "none"))
		Consistently(cycles).Should(ConsistOf("three"))
	})

	It("Row 62: goes by keyFrom, else by the resource or the owner that the Event is about, else to all", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		o, cycles := observing(ctx, namespace, `
observe:
  watch: [{apiVersion: v1, kind: ConfigMap, namespace: `+namespace+`, on: [delete], keyFrom: {label: nobody}}]
  events:
    named: {reason: Named, namespace: `+namespace+`, keyFrom: {name: three}}
    plain: {reason: Plain, namespace: `+namespace+`}`)
		happened(ctx, namespace, "Named", "db.io/a", database(namespace, "a"))
		Eventually(cycles).Should(ConsistOf("three"))
		happened(ctx, namespace, "Plain", "db.io/a", corev1.ObjectReference{APIVersion: group + "/v1", Kind: "Widget", Namespace: namespace, Name: "one"})
		Eventually(cycles).Should(ConsistOf("one", "three"))

		owner := widget(namespace, "two", "")
		Expect(cluster.Get(ctx, client.ObjectKeyFromObject(owner), owner)).To(Succeed())
		Expect(cluster.Create(ctx, configMap(namespace, "owned", func(c *corev1.ConfigMap) {
			c.OwnerReferences = []metav1.OwnerReference{{APIVersion: group + "/v1", Kind: "Widget", Name: "two", UID: owner.GetUID()}}
		}))).To(Succeed())
		Eventually(counted("orkestra_observe_events_total", namespace, map[string]string{"source": "watch", "result": "dropped"})).
			WithTimeout(5*time.Second).Should(BeNumerically(">=", 1), "the object is in memory")
		happened(ctx, namespace, "Plain", "db.io/a", corev1.ObjectReference{APIVersion: "v1", Kind: "ConfigMap", Namespace: namespace, Name: "owned"})
		Eventually(cycles).Should(ConsistOf("one", "two", "three"))
		Expect(o.Settle(ctx)).To(Succeed())
		cycles = woken(ctx, namespace, seen(ctx, namespace))
		happened(ctx, namespace, "Plain", "db.io/a", database(namespace, "a"))
		Eventually(cycles).Should(ConsistOf("one", "two", "three"))
	})
})

var _ = DescribeTable("a Katalog with observations that cannot be", func(observe, want string) {
	Expect(problems(katalogOf("w", "", "observe: "+observe))).To(ContainSubstring(want))
},
	Entry("Row 52: two places to find a resource", "{watch: [{apiVersion: v1, kind: ConfigMap, keyFrom: {label: a, name: b}}]}",
		"keyFrom: set exactly one of several fields, got 2; valid: annotation, label, name"),
	Entry("Row 63: the name of an event that no condition can read", "{events: {db-ready: {reason: Ready}}}", `want a camelCase name such as dbReady, for conditions read .events.<name>; got "db-ready"`),
)
