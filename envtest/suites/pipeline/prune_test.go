package pipeline_test

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// start operates the namespace and makes the Widget w, which becomes ready.
func start(ctx context.Context, d declared, fields string) *operator {
	GinkgoHelper()
	namespace := newNamespace(ctx)
	o := operate(ctx, namespace, d)
	w := createWidget(ctx, namespace, fields)
	Eventually(ready(ctx, w)).Should(HaveExactElements("True", "ReconcileSucceeded", ""))
	o.settle()
	o.take()
	return o
}

// replace stops the operator and starts one with another Katalog in its place.
func (o *operator) replace(ctx context.Context, d declared) *operator {
	GinkgoHelper()
	o.stop()
	return operate(ctx, o.namespace, d)
}

// edit changes the spec of the Widget w by a merge patch, waits for the cycles that follow, and returns what they asked for.
func (o *operator) edit(ctx context.Context, merge string) []string {
	GinkgoHelper()
	o.take()
	before := o.cycles()
	patch(ctx, object("Widget", o.namespace, "w", ""), `{"spec":`+merge+`}`)
	Eventually(o.cycles).Should(BeNumerically(">", before))
	o.settle()
	return o.take()
}

var _ = Describe("a child that is wanted no more", func() {
	It("goes when its gate turns false and comes back when it turns true", func(ctx context.Context) {
		o := start(ctx, declared{box: `
onReconcile:
  configMaps:
    - {name: kept, data: {a: "1"}}
    - {name: gated, data: {a: "1"}, when: [{field: spec.enabled, equals: "true"}]}
`}, `spec: {enabled: true}`)
		Expect(o.edit(ctx, `{"enabled":false}`)).To(Equal([]string{"delete configmaps gated", "update widgets/status w"}))
		Expect(data(ctx, o.namespace, "kept")()).NotTo(BeNil())
		o.expectConverged(ctx)
		Expect(o.edit(ctx, `{"enabled":true}`)).To(Equal([]string{"create configmaps", "update widgets/status w"}))
	})

	It("goes with the gate of its block", func(ctx context.Context) {
		o := start(ctx, declared{box: `
onCreate:
  when: [{field: spec.enabled, equals: "true"}]
  configMaps: [{name: once, data: {a: "1"}}, {name: followed, reconcile: true, data: {a: "1"}}]
onReconcile:
  when: [{field: spec.enabled, equals: "true"}]
  configMaps: [{name: declared, data: {a: "1"}}]
`}, `spec: {enabled: true}`)
		Expect(o.edit(ctx, `{"enabled":false}`)).To(ConsistOf("delete configmaps followed", "delete configmaps declared", "update widgets/status w"))
		Expect(data(ctx, o.namespace, "once")()).NotTo(BeNil(), "what is created once stays")
		o.expectConverged(ctx)
	})

	It("Defect42: goes when a list or a map of forEach shrinks, and nothing else", func(ctx context.Context) {
		o := start(ctx, declared{box: `
onReconcile:
  configMaps:
    - {forEach: {field: spec.list}, name: "l-{{ .item }}", data: {at: "{{ .index }}"}}
    - {forEach: {field: spec.map, as: key}, name: "m-{{ .key }}", data: {value: "{{ .value.size }}"}}
`}, `spec: {list: [a, b, c], map: {x: {size: 1}, z: {size: 2}}}`)
		Expect(data(ctx, o.namespace, "m-z")()).To(Equal(map[string]string{"value": "2"}))
		Expect(o.edit(ctx, `{"list":["a","b"]}`)).To(Equal([]string{"delete configmaps l-c", "update widgets/status w"}))
		Expect(o.edit(ctx, `{"map":{"x":null}}`)).To(Equal([]string{"delete configmaps m-x", "update widgets/status w"}))
		Expect(o.edit(ctx, `{"list":[]}`)).To(ConsistOf("delete configmaps l-a", "delete configmaps l-b", "update widgets/status w"))
		o.expectConverged(ctx)
	})

	It("Defect42: goes when its declaration is renamed or removed", func(ctx context.Context) {
		o := start(ctx, declared{box: `onReconcile: {configMaps: [{name: a, data: {a: "1"}}, {name: b, data: {a: "1"}}]}`}, ``)
		o = o.replace(ctx, declared{box: `onReconcile: {configMaps: [{name: c, data: {a: "1"}}]}`})
		o.settle()
		Expect(o.take()).To(ContainElements("create configmaps", "delete configmaps a", "delete configmaps b"))
		Expect(data(ctx, o.namespace, "c")()).NotTo(BeNil())
		o.expectConverged(ctx)
	})

	It("goes when its kind is not declared any more at all", func(ctx context.Context) {
		o := start(ctx, declared{box: `
onReconcile:
  configMaps: [{name: a, data: {a: "1"}}]
  custom: [{apiVersion: v1, kind: LimitRange, metadata: {name: c}, spec: {limits: []}}] # of a kind that no other spec has children of
`}, ``)
		limits := &corev1.LimitRange{ObjectMeta: metav1.ObjectMeta{Namespace: o.namespace, Name: "c"}}
		Expect(exists(ctx, limits)()).To(BeTrue())
		o = o.replace(ctx, declared{box: `onReconcile: {configMaps: [{name: a, data: {a: "1"}}]}`})
		Eventually(exists(ctx, limits)).Should(BeFalse())
		o.expectConverged(ctx)

		By("starting once more, when there is nothing left of the kind")
		o = o.replace(ctx, declared{box: `onReconcile: {configMaps: [{name: a, data: {a: "1"}}]}`})
		o.settle()
		o = o.replace(ctx, declared{box: `onReconcile: {configMaps: [{name: a, data: {a: "1"}}]}`})
		o.settle()
		Expect(o.listed()).NotTo(ContainElement(ContainSubstring("limitranges")), "the kind is forgotten")
	})

	It("Defect41: stays for an exclusive entry of the same name", func(ctx context.Context) {
		o := start(ctx, declared{box: `
onReconcile:
  configMaps:
    - {name: one, data: {mode: a}, when: [{field: spec.mode, equals: a}]}
    - {name: one, data: {mode: b}, when: [{field: spec.mode, equals: b}]}
`}, `spec: {mode: a}`)
		uid := get(ctx, configMap(o.namespace, "one")).UID
		Expect(o.edit(ctx, `{"mode":"b"}`)).To(Equal([]string{"apply configmaps one", "update widgets/status w"}))
		Expect(o.edit(ctx, `{"mode":"a"}`)).To(Equal([]string{"apply configmaps one", "update widgets/status w"}))
		Expect(get(ctx, configMap(o.namespace, "one")).UID).To(Equal(uid))
		o.expectConverged(ctx)
	})

	// Row 72.
	It("stays, unchanged, when it is created once or a job", func(ctx context.Context) {
		box := `
onCreate:
  configMaps: [{name: once, data: {a: "{{ .spec.a }}"}, when: [{field: spec.enabled, equals: "true"}]}]
onReconcile:
  jobs: [{name: j, image: "job:{{ .spec.a }}", when: [{field: spec.enabled, equals: "true"}]}]
`
		o := start(ctx, declared{box: box}, `spec: {a: 1, enabled: true}`)
		Expect(o.edit(ctx, `{"a":2}`)).To(Equal([]string{"update widgets/status w"}))
		Expect(o.edit(ctx, `{"enabled":false}`)).To(Equal([]string{"update widgets/status w"}))
		Expect(data(ctx, o.namespace, "once")()).To(Equal(map[string]string{"a": "1"}))
		job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: o.namespace, Name: "j"}}
		Expect(get(ctx, job).Spec.Template.Spec.Containers[0].Image).To(Equal("job:1"))
		o = o.replace(ctx, declared{box: `onReconcile: {serviceAccounts: [{name: a}]}`})
		o.settle()
		Expect(exists(ctx, job)()).To(BeTrue())
		Expect(data(ctx, o.namespace, "once")()).NotTo(BeNil())

		By("deleting the one that is created once")
		o = o.replace(ctx, declared{box: box})
		o.settle()
		o.edit(ctx, `{"enabled":true}`)
		Expect(cluster.Delete(ctx, configMap(o.namespace, "once"))).To(Succeed())
		Eventually(data(ctx, o.namespace, "once")).Should(Equal(map[string]string{"a": "2"}))
	})

	It("is never somebody else's with the same labels", func(ctx context.Context) {
		o := start(ctx, declared{box: `onReconcile: {configMaps: [{name: a, data: {a: "1"}}]}`}, ``)
		labels := get(ctx, configMap(o.namespace, "a")).Labels
		other := configMap(o.namespace, "theirs")
		other.Labels = labels
		Expect(cluster.Create(ctx, other)).To(Succeed())
		full := configMap(o.namespace, "of-another-owner")
		full.Labels, full.Annotations = labels, get(ctx, configMap(o.namespace, "a")).Annotations
		full.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: "p", UID: "p", Controller: new(true)}}
		Expect(cluster.Create(ctx, full)).To(Succeed())
		o.settle()
		o.take()
		o.cycle(ctx, "Widget", "w")
		Expect(o.take()).To(BeEmpty())
		Expect(exists(ctx, other)()).To(BeTrue())
		Expect(exists(ctx, full)()).To(BeTrue())
	})
})

var _ = Describe("ownership", func() {
	const box = `onReconcile: {configMaps: [{name: shared, data: {owner: w}}]}`

	It("never writes what another object controls, and takes over when that goes away", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		theirs := configMap(namespace, "shared")
		theirs.Data = map[string]string{"owner": "other"}
		theirs.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: "p", UID: "p", Controller: new(true)}}
		Expect(cluster.Create(ctx, theirs)).To(Succeed())
		o := operate(ctx, namespace, declared{box: "reconciler: {resync: 1s}\n" + box})
		w := createWidget(ctx, namespace, ``)
		Eventually(ready(ctx, w)).Should(HaveExactElements("False", "ChildConflict", "configMaps[0]: ConfigMap "+namespace+
			"/shared belongs to Pod p and is left as it is; choose another name, or delete it there"))
		Eventually(conditionOf(ctx, w, "Stalled")).Should(ContainElement("True"))
		Eventually(eventsOf(ctx, namespace)).Should(Equal([]string{"Warning ChildConflict"}))
		version := get(ctx, theirs).ResourceVersion
		Consistently(eventsOf(ctx, namespace)).WithTimeout(timeToStorm).Should(HaveLen(1))
		Expect(len(o.take())).To(BeNumerically("<", 50), "retries are spaced")
		Expect(get(ctx, theirs).ResourceVersion).To(Equal(version))
		Expect(o.takeEvents()).To(HaveLen(1))

		By("the other going away")
		Expect(cluster.Delete(ctx, theirs)).To(Succeed())
		Eventually(ready(ctx, w)).Should(ContainElement("True"))
		Expect(data(ctx, namespace, "shared")()).To(Equal(map[string]string{"owner": "w"}))
		Eventually(eventsOf(ctx, namespace)).Should(ConsistOf("Warning ChildConflict", "Normal Reconciled"))
		Expect(conditionOf(ctx, w, "Stalled")()).To(BeNil())
	})

	It("gives a cluster-scoped child to one of two namespaces", func(ctx context.Context) {
		one, two := newNamespace(ctx), newNamespace(ctx)
		box := `onReconcile: {custom: [{apiVersion: test.example.com/v1, kind: Zone, metadata: {name: "` + one + `"}, spec: {of: "{{ .metadata.namespace }}"}}]}`
		first := operate(ctx, one, declared{box: box})
		w1 := createWidget(ctx, one, ``)
		Eventually(ready(ctx, w1)).Should(ContainElement("True"))
		second := operate(ctx, two, declared{box: "reconciler: {resync: 1s}\n" + box})
		w2 := createWidget(ctx, two, ``)
		Eventually(ready(ctx, w2)).Should(HaveExactElements("False", "ChildConflict", ContainSubstring("belongs to Widget.test.example.com/"+one+"/w")))
		second.settle()
		second.take()
		Expect(second.seen()).To(BeEmpty(), "what is in memory needs no request")
		first.settle()
		zone := object("Zone", "", one, "")
		Expect(field(ctx, zone, "spec", "of")()).To(Equal(`"` + one + `"`))

		By("deleting the first")
		Expect(cluster.Delete(ctx, w1)).To(Succeed())
		Eventually(field(ctx, zone, "spec", "of")).Should(Equal(`"` + two + `"`))
		Eventually(ready(ctx, w2)).Should(ContainElement("True"))
		Expect(cluster.Delete(ctx, w2)).To(Succeed())
		Eventually(exists(ctx, zone)).Should(BeFalse())
	})

	It("adopts what nobody owns", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		nobodys := configMap(namespace, "shared")
		nobodys.Data = map[string]string{"owner": "nobody", "more": "1"}
		Expect(cluster.Create(ctx, nobodys)).To(Succeed())
		o := operate(ctx, namespace, declared{box: box})
		o.take()
		w := createWidget(ctx, namespace, ``)
		Eventually(ready(ctx, w)).Should(ContainElement("True"))
		o.settle()
		Expect(o.take()).To(Equal([]string{"create configmaps", "get configmaps shared", "apply configmaps shared", "update widgets/status w"}))
		Expect(get(ctx, nobodys).Data).To(Equal(map[string]string{"owner": "w", "more": "1"}))
		Expect(nobodys.OwnerReferences).To(HaveLen(1))
		Expect(nobodys.Labels).To(HaveKey(orkv1.LabelOwner))
		o.expectConverged(ctx)
	})

	It("adopts no Namespace that was there before, and deletes none", func(ctx context.Context) {
		namespace, before := newNamespace(ctx), newNamespace(ctx)
		operate(ctx, namespace, declared{box: `onReconcile: {namespaces: [{name: ` + before + `, labels: {tier: gold}}]}`})
		w := createWidget(ctx, namespace, ``)
		Eventually(ready(ctx, w)).Should(HaveExactElements("False", "ChildConflict", "namespaces[0]: Namespace "+before+" exists, belongs to nobody and is left "+
			"as it is; choose another name, or have it deleted with the resource by its annotation orkestra.konductor.io/owner: Widget.test.example.com/"+namespace+"/w"))
		Expect(cluster.Delete(ctx, w)).To(Succeed())
		Eventually(exists(ctx, w)).Should(BeFalse())
		there := get(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: before}})
		Expect(there.DeletionTimestamp).To(BeNil())
		Expect(there.Labels).NotTo(HaveKey("tier"))

		By("handing it over")
		patch(ctx, there, `{"metadata":{"annotations":{"orkestra.konductor.io/owner":"Widget.test.example.com/`+namespace+`/w"}}}`)
		w = createWidget(ctx, namespace, ``)
		Eventually(ready(ctx, w)).Should(ContainElement("True"))
		Expect(get(ctx, there).Labels).To(HaveKeyWithValue("tier", "gold"))
	})

	It("leaves what nobody owns alone where it only has to exist", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		nobodys := configMap(namespace, "shared")
		Expect(cluster.Create(ctx, nobodys)).To(Succeed())
		o := operate(ctx, namespace, declared{box: `onCreate: {configMaps: [{name: shared, data: {owner: w}}]}`})
		w := createWidget(ctx, namespace, ``)
		Eventually(ready(ctx, w)).Should(ContainElement("True"))
		o.settle()
		Expect(get(ctx, nobodys).Data).To(BeEmpty())
		Expect(nobodys.OwnerReferences).To(BeEmpty())
		o.expectConverged(ctx)
	})
})
