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

// counting has each resource count its own cycles in its status, and nothing else wake it.
const counting = quietResync + `
status: {fields: [{path: cycles, type: int, value: "{{ add .status.cycles 1 }}"}]}
`

// cyclesOf are the cycles that each of the Widgets has had since, by the names of those that had any.
func cyclesOf(ctx context.Context, namespace string, since map[string]int64) func() map[string]int64 {
	return func() map[string]int64 {
		GinkgoHelper()
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(schema.GroupVersionKind{Group: group, Version: "v1", Kind: "WidgetList"})
		Expect(cluster.List(ctx, list, client.InNamespace(namespace))).To(Succeed())
		counted := map[string]int64{}
		for _, one := range list.Items {
			cycles, _, _ := unstructured.NestedInt64(one.Object, "status", "cycles")
			if cycles -= since[one.GetName()]; cycles != 0 {
				counted[one.GetName()] = cycles
			}
		}
		return counted
	}
}

// observing starts an operator of three Widgets, which refer to a, a and b, and returns what counts their cycles from then on.
func observing(ctx context.Context, namespace, observe string) (*operator.Operator, func() map[string]int64) {
	GinkgoHelper()
	o := operate(ctx, namespace, "", counting+observe)
	for name, ref := range map[string]string{"one": "a", "two": "a", "three": "b"} {
		create(ctx, namespace, name, "ref: "+ref)
	}
	Eventually(cyclesOf(ctx, namespace, nil)).Should(HaveLen(3))
	Expect(o.Settle(ctx)).To(Succeed())
	return o, cyclesOf(ctx, namespace, cyclesOf(ctx, namespace, nil)())
}

// configMap is one that is nobody's child.
func configMap(namespace, name string, change ...func(*corev1.ConfigMap)) *corev1.ConfigMap {
	made := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	for _, apply := range change {
		apply(made)
	}
	return made
}

// one is that each of the named resources had one cycle.
func one(names ...string) map[string]int64 {
	all := map[string]int64{}
	for _, name := range names {
		all[name] = 1
	}
	return all
}

// none is that no resource had a cycle.
var none = map[string]int64{}

// happened sends an Event about an object.
func happened(ctx context.Context, namespace, reason, controller string, regarding corev1.ObjectReference) {
	GinkgoHelper()
	Expect(cluster.Create(ctx, &eventsv1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, GenerateName: "e-"}, Reason: reason, Action: "Test", Type: "Normal",
		ReportingController: controller, ReportingInstance: "test-0", EventTime: metav1.NowMicro(), Regarding: regarding,
	})).To(Succeed())
}

var _ = Describe("observe.watch", func() {
	It("App. A 51: has a changed object lead to its owner alone", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		_, cycles := observing(ctx, namespace, "observe: {watch: [{apiVersion: v1, kind: ConfigMap, namespace: "+namespace+"}]}")
		owner := widget(namespace, "two", "")
		Expect(cluster.Get(ctx, client.ObjectKeyFromObject(owner), owner)).To(Succeed())
		owned := configMap(namespace, "owned", func(c *corev1.ConfigMap) {
			c.OwnerReferences = []metav1.OwnerReference{{APIVersion: group + "/v1", Kind: "Widget", Name: "two", UID: owner.GetUID()}}
		})
		Expect(cluster.Create(ctx, owned)).To(Succeed())
		Eventually(cycles).Should(Equal(one("two")))
		Consistently(cycles).Should(Equal(one("two")))
	})

	It("App. A 52: finds the resource that a label, an annotation or a name tells", func(ctx context.Context) {
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
		Eventually(cycles).Should(Equal(one("one")))
		Expect(cluster.Create(ctx, configMap(namespace, "annotated", func(c *corev1.ConfigMap) {
			c.Labels, c.Annotations = map[string]string{"by": "annotation"}, map[string]string{"demo.io/owner": namespace + "/two"}
		}))).To(Succeed())
		Eventually(cycles).Should(Equal(one("one", "two")))
		Expect(cluster.Create(ctx, configMap(namespace, "flags"))).To(Succeed())
		Eventually(cycles).Should(Equal(one("one", "two", "three")))
	})

	It("App. A 53: wakes every resource when a shared object changes", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		shared := configMap(namespace, "shared")
		Expect(cluster.Create(ctx, shared)).To(Succeed())
		_, cycles := observing(ctx, namespace, "observe: {watch: [{apiVersion: v1, kind: ConfigMap, namespace: "+namespace+", name: shared}]}")
		patch(ctx, shared, `{"data":{"a":"b"}}`)
		Eventually(cycles).Should(Equal(one("one", "two", "three")))
		Expect(cluster.Delete(ctx, shared)).To(Succeed())
		Eventually(cycles).Should(Equal(map[string]int64{"one": 2, "two": 2, "three": 2}))
	})

	It("App. A 54, Defect16: leaves other names and other changes alone", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		_, cycles := observing(ctx, namespace, "observe: {watch: [{apiVersion: v1, kind: ConfigMap, namespace: "+namespace+", name: shared, on: [update]}]}")
		shared, other := configMap(namespace, "shared"), configMap(namespace, "other")
		Expect(cluster.Create(ctx, shared)).To(Succeed())
		Expect(cluster.Create(ctx, other)).To(Succeed())
		patch(ctx, other, `{"data":{"a":"b"}}`)
		Consistently(cycles).Should(Equal(none))
		patch(ctx, shared, `{"data":{"a":"b"}}`)
		Eventually(cycles).Should(HaveLen(3))
	})

	It("App. A 56: asks the gate of the watch about the sentinels of the object", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		shared := configMap(namespace, "shared")
		Expect(cluster.Create(ctx, shared)).To(Succeed())
		_, cycles := observing(ctx, namespace, `
observe: {watch: [{apiVersion: v1, kind: ConfigMap, namespace: `+namespace+`, enqueueGate: {
  sentinels: [labelsChanged], when: [{field: "{{ .watched.metadata.labels.ref }}", equals: "{{ .spec.ref }}"}]}}]}`)
		patch(ctx, shared, `{"data":{"a":"b"}}`)
		Eventually(gate(namespace, "observe", "refused")).Should(BeNumerically(">=", 3))
		Consistently(cycles).Should(Equal(none))
		patch(ctx, shared, `{"metadata":{"labels":{"ref":"b"}}}`)
		Eventually(cycles).Should(Equal(one("three")))
	})

	It("App. A 57, Defect18: waits for a kind that is not installed, and says so", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		o, cycles := observing(ctx, namespace, "observe: {watch: [{apiVersion: "+group+"/v1, kind: Late, keyFrom: {label: of}}]}")
		Expect(o.State().Health.PendingObservation).To(ConsistOf("watch of Late." + group + ": kind Late of " + group + "/v1 is not installed"))
		Expect(envtest.InstallCRDs(ctx, env.Config(), definition("Late", "lates"))).To(Succeed())
		Eventually(func() []string { return o.State().Health.PendingObservation }).Should(BeEmpty())
		late := widget(namespace, "late", "")
		late.SetKind("Late")
		late.SetLabels(map[string]string{"of": "three"})
		Eventually(func() error { return cluster.Create(ctx, late) }).Should(Succeed())
		Eventually(cycles).Should(Equal(one("three")))
	})

	It("does not have a resource look again at what was written for it", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		o, cycles := observing(ctx, namespace, `
observe: {watch: [{apiVersion: v1, kind: ConfigMap, namespace: `+namespace+`}]}
onReconcile: {configMaps: [{name: "{{ .metadata.name }}", data: {ref: "{{ .spec.ref }}"}}]}`)
		patch(ctx, widget(namespace, "one", ""), `{"spec":{"ref":"c"}}`)
		Eventually(data(ctx, namespace, "one")).Should(HaveKeyWithValue("ref", "c"))
		Expect(o.Settle(ctx)).To(Succeed())
		Expect(cycles()).To(Equal(one("one")))
	})
})

var _ = Describe("observe.events", func() {
	database := func(namespace, name string) corev1.ObjectReference {
		return corev1.ObjectReference{APIVersion: "db.io/v1", Kind: "Database", Namespace: namespace, Name: name}
	}

	It("App. A 59: wants every field that is set to match", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		_, cycles := observing(ctx, namespace, "observe: {events: {ready: {reason: Ready, action: Test, namespace: "+namespace+", reportingController: db.io/a}}}")
		happened(ctx, namespace, "Ready", "db.io/b", database(namespace, "a"))
		happened(ctx, namespace, "Other", "db.io/a", database(namespace, "a"))
		Consistently(cycles).Should(Equal(none))
		happened(ctx, namespace, "Ready", "db.io/a", database(namespace, "a"))
		Eventually(cycles).Should(Equal(one("one", "two", "three")))
	})

	It("App. A 60: lets the gates read what the Event says", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		_, cycles := observing(ctx, namespace, `
observe: {events: {ready: {reason: Ready, namespace: `+namespace+`, enqueueGate: {when: [{field: "{{ .events.ready.reportingController }}", prefix: db.}]}}}}
preReconcile: {reconcileGate: {when: [{field: "{{ .events.ready.note }}", notEquals: hold}]}}`)
		happened(ctx, namespace, "Ready", "other.io/a", database(namespace, "a"))
		Eventually(gate(namespace, "observe", "refused")).Should(Equal(3))
		Expect(cycles()).To(Equal(none))
		happened(ctx, namespace, "Ready", "db.io/a", database(namespace, "a"))
		Eventually(cycles).Should(Equal(one("one", "two", "three")))
		held := &eventsv1.Event{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "held"}, Reason: "Ready", Action: "Test", Type: "Normal", Note: "hold",
			ReportingController: "db.io/a", ReportingInstance: "a", EventTime: metav1.NowMicro(), Regarding: database(namespace, "a"),
		}
		Expect(cluster.Create(ctx, held)).To(Succeed())
		Eventually(gate(namespace, "reconcile", "refused")).Should(Equal(3))
		Expect(cycles()).To(Equal(one("one", "two", "three")))
	})

	It("App. A 61: finds the resources that name the object by a template", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		_, cycles := observing(ctx, namespace, `observe: {events: {ready: {reason: Ready, namespace: `+namespace+`, regarding: {kind: Database, name: "{{ .spec.ref }}"}}}}`)
		happened(ctx, namespace, "Ready", "db.io/a", database(namespace, "b"))
		Eventually(cycles).Should(Equal(one("three")))
		happened(ctx, namespace, "Ready", "db.io/a", database(namespace, "none"))
		Consistently(cycles).Should(Equal(one("three")))
	})

	It("App. A 62: goes by keyFrom, else by the resource or the owner that the Event is about, else to all", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		_, cycles := observing(ctx, namespace, `
observe:
  watch: [{apiVersion: v1, kind: ConfigMap, namespace: `+namespace+`, on: [delete], keyFrom: {label: nobody}}]
  events:
    named: {reason: Named, namespace: `+namespace+`, keyFrom: {name: three}}
    plain: {reason: Plain, namespace: `+namespace+`}`)
		happened(ctx, namespace, "Named", "db.io/a", database(namespace, "a"))
		Eventually(cycles).Should(Equal(one("three")))
		happened(ctx, namespace, "Plain", "db.io/a", corev1.ObjectReference{APIVersion: group + "/v1", Kind: "Widget", Namespace: namespace, Name: "one"})
		Eventually(cycles).Should(Equal(one("one", "three")))

		owner := widget(namespace, "two", "")
		Expect(cluster.Get(ctx, client.ObjectKeyFromObject(owner), owner)).To(Succeed())
		Expect(cluster.Create(ctx, configMap(namespace, "owned", func(c *corev1.ConfigMap) {
			c.OwnerReferences = []metav1.OwnerReference{{APIVersion: group + "/v1", Kind: "Widget", Name: "two", UID: owner.GetUID()}}
		}))).To(Succeed())
		Eventually(counted("orkestra_observe_events_total", namespace, map[string]string{"source": "watch", "result": "dropped"})).
			WithTimeout(5*time.Second).Should(BeNumerically(">=", 1), "the object is in memory")
		happened(ctx, namespace, "Plain", "db.io/a", corev1.ObjectReference{APIVersion: "v1", Kind: "ConfigMap", Namespace: namespace, Name: "owned"})
		Eventually(cycles).Should(Equal(one("one", "two", "three")))
		happened(ctx, namespace, "Plain", "db.io/a", database(namespace, "a"))
		Eventually(cycles).Should(Equal(map[string]int64{"one": 2, "two": 2, "three": 2}))
	})
})
