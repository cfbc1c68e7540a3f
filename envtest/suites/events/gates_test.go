package events_test

import (
	"context"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/status"
	"github.com/orkestra-runtime/orkestra/controllers/builtin"
	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/health"
)

// quietResync keeps the resync out of a spec.
const quietResync = "reconciler: {resync: 1h}\n"

var _ = Describe("a namespace that is left alone", func() {
	// Row 16.
	It("has resources that get no cycle once they are told so", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		o := operate(ctx, namespace, "restrictedNamespaces: ["+namespace+"]", quietResync+"onReconcile: {configMaps: [{name: a, data: {a: b}}]}")
		w := create(ctx, namespace, "w", "")
		Eventually(readyReason(ctx, w)).Should(Equal(orkv1.ReasonNamespaceRestricted))
		Expect(o.Settle(ctx)).To(Succeed())
		before := o.Cycles()
		patch(ctx, w, `{"metadata":{"labels":{"a":"b"}}}`)
		Eventually(dropped(namespace, "namespace")).Should(BeNumerically(">=", 1))
		Expect(o.Settle(ctx)).To(Succeed())
		Expect(o.Cycles()).To(Equal(before))
		Expect(data(ctx, namespace, "a")()).To(BeNil())

		By("a new spec, of which they are told anew")
		patch(ctx, w, `{"spec":{"a":"b"}}`)
		Eventually(o.Cycles).Should(Equal(before + 1))
	})

	// Row 18.
	It("lets its resources be deleted", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		w := widget(namespace, "w", "")
		w.SetFinalizers([]string{orkv1.Finalizer})
		Expect(cluster.Create(ctx, w)).To(Succeed())
		operate(ctx, namespace, "restrictedNamespaces: ["+namespace+"]", quietResync+"onReconcile: {configMaps: [{name: a, data: {a: b}}]}")
		Expect(cluster.Delete(ctx, w)).To(Succeed())
		Eventually(gone(ctx, w)).Should(BeTrue())
	})
})

var _ = Describe("an enqueue gate", func() {
	// Row 35.
	It("drops a change of the status alone by the sentinel generationChanged", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		o := operate(ctx, namespace, "", quietResync+`
preReconcile:
  sentinels: [generationChanged]
  enqueueGate: {sentinels: [generationChanged]}
onReconcile: {configMaps: [{name: a, data: {a: "{{ .spec.a }}"}}]}`)
		w := create(ctx, namespace, "w", "a: one")
		Eventually(data(ctx, namespace, "a")).Should(HaveKeyWithValue("a", "one"))
		Expect(o.Settle(ctx)).To(Succeed())
		before := o.Cycles()
		patchStatus(ctx, w, `{"status":{"seen":"yes"}}`)
		Eventually(gate(namespace, "enqueue", "refused")).Should(Equal(1))
		Expect(o.Settle(ctx)).To(Succeed())
		Expect(o.Cycles()).To(Equal(before))
		Expect(o.State().Health.State).To(Equal(health.Healthy), "a dropped event is no state")
		patch(ctx, w, `{"spec":{"a":"two"}}`)
		Eventually(data(ctx, namespace, "a")).Should(HaveKeyWithValue("a", "two"))
	})

	It("Defect01: is asked about a new resource as well", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		o := operate(ctx, namespace, "", quietResync+`
preReconcile: {enqueueGate: {when: [{field: spec.active, equals: "true"}]}}
onReconcile: {configMaps: [{name: a, data: {a: b}}]}`)
		w := create(ctx, namespace, "w", "active: false")
		Eventually(gate(namespace, "enqueue", "refused")).Should(Equal(1))
		Expect(o.Settle(ctx)).To(Succeed())
		Expect(o.Cycles()).To(BeZero())
		patch(ctx, w, `{"spec":{"active":true}}`)
		Eventually(data(ctx, namespace, "a")).ShouldNot(BeNil())
	})

	It("has managedFieldsChanged tell of another field manager", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		o := operate(ctx, namespace, "", quietResync+`
preReconcile:
  sentinels: [managedFieldsChanged]
  enqueueGate: {sentinels: [managedFieldsChanged]}`)
		w := create(ctx, namespace, "w", "a: one")
		Eventually(o.Cycles).Should(BeNumerically(">=", 1))
		Expect(o.Settle(ctx)).To(Succeed())
		before := o.Cycles()
		patch(ctx, w, `{"spec":{"b":"two"}}`)
		Eventually(o.Cycles).Should(BeNumerically(">", before))
	})
})

var _ = Describe("a reconcile gate", func() {
	// Row 36.
	It("Defect02: lets a new resource through whatever its sentinels", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		operate(ctx, namespace, "", quietResync+`
preReconcile:
  sentinels: [generationChanged]
  reconcileGate: {sentinels: [generationChanged]}
onReconcile: {configMaps: [{name: a, data: {a: b}}]}`)
		create(ctx, namespace, "w", "")
		Eventually(data(ctx, namespace, "a")).ShouldNot(BeNil())
	})

	// Row 37.
	It("Defect10: drops the item until the next event, which is told in the health, without a failure", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		o := operate(ctx, namespace, "", quietResync+`
preReconcile: {reconcileGate: {when: [{field: spec.enabled, equals: "true"}]}}
onReconcile: {configMaps: [{name: a, data: {a: b}}]}`)
		w := create(ctx, namespace, "w", "enabled: false")
		Eventually(func() health.State { return o.State().Health.State }).Should(Equal(health.Gated))
		Expect(o.State().Health.GatedReason).To(Equal(`when: "spec.enabled" = "false", want "true"`))
		Expect(o.State().Health.Failed).To(BeZero())
		Expect(o.State().Health.Failing).To(BeZero())
		Expect(o.Cycles()).To(BeZero())
		Expect(cluster.Get(ctx, client.ObjectKeyFromObject(w), w)).To(Succeed())
		Expect(w.Object).NotTo(HaveKey("status"), "nothing is written")
		patch(ctx, w, `{"spec":{"enabled":true}}`)
		Eventually(func() health.State { return o.State().Health.State }).Should(Equal(health.Healthy))
		Expect(data(ctx, namespace, "a")()).NotTo(BeNil())
	})

	// Row 40.
	It("never holds back a deletion, nor does an enqueue gate", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		closed := `{when: [{field: spec.never, equals: "true"}]}`
		w := widget(namespace, "w", "")
		w.SetFinalizers([]string{orkv1.Finalizer})
		Expect(cluster.Create(ctx, w)).To(Succeed())
		operate(ctx, namespace, "", quietResync+"preReconcile: {enqueueGate: "+closed+", reconcileGate: "+closed+"}\n"+
			"onReconcile: {configMaps: [{name: a, data: {a: b}}]}")
		Expect(cluster.Delete(ctx, w)).To(Succeed())
		Eventually(gone(ctx, w)).Should(BeTrue())
	})

	// slow makes a cycle take a while whenever the spec changed.
	const slow = "onReconcile: {configMaps: [{name: \"{{ .metadata.name }}\", sleep: 3s, data: {a: \"{{ .spec.a }}\"}}]}"

	// Row 42.
	It("Defect06: merges the sentinels of events that wait", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		o := operate(ctx, namespace, "", quietResync+`
preReconcile:
  sentinels: [generationChanged]
  reconcileGate: {sentinels: [generationChanged]}
`+slow)
		w := create(ctx, namespace, "w", "a: one")
		Eventually(gate(namespace, "reconcile", "admitted")).Should(Equal(1))
		patch(ctx, w, `{"spec":{"a":"two"}}`)
		patchStatus(ctx, w, `{"status":{"seen":"yes"}}`)
		Eventually(data(ctx, namespace, "w")).Should(HaveKeyWithValue("a", "two"))
		Expect(o.Settle(ctx)).To(Succeed())
		Expect(gate(namespace, "reconcile", "refused")()).To(BeZero())
	})

	// Row 41.
	It("Defect07: sees each event by itself, in order, with eventAware", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		o := operate(ctx, namespace, "", quietResync+`
preReconcile:
  sentinels: [generationChanged]
  reconcileGate: {eventAware: true, sentinels: [generationChanged]}
`+slow)
		w := create(ctx, namespace, "w", "a: one")
		Eventually(gate(namespace, "reconcile", "admitted")).Should(Equal(1))
		patchStatus(ctx, w, `{"status":{"seen":"yes"}}`)
		patch(ctx, w, `{"spec":{"a":"two"}}`)
		patchStatus(ctx, w, `{"status":{"seen":"again"}}`)
		Eventually(data(ctx, namespace, "w")).Should(HaveKeyWithValue("a", "two"))
		Expect(o.Settle(ctx)).To(Succeed())
		Expect(gate(namespace, "reconcile", "refused")()).To(BeNumerically(">=", 2), "the two changes of the status")
	})
})

var _ = Describe("a full queue", func() {
	// busy has one worker that is busy with the first resource for a while.
	busy := func(ctx context.Context, queue string) string {
		GinkgoHelper()
		namespace := newNamespace(ctx)
		operate(ctx, namespace, "", "reconciler: {resync: 1h, workers: 1, queue: "+queue+"}\n"+
			"onReconcile: {configMaps: [{name: \"{{ .metadata.name }}\", sleep: 5s, data: {a: b}}]}")
		create(ctx, namespace, "first", "")
		Eventually(active(namespace)).Should(Equal(1))
		return namespace
	}
	fill := func(ctx context.Context, namespace string, n int, tier string) {
		GinkgoHelper()
		for i := range n {
			create(ctx, namespace, fmt.Sprintf("%s-%d", tier, i), "tier: "+tier)
		}
	}

	// Row 44.
	It("drops every event from maxDepth on", func(ctx context.Context) {
		namespace := busy(ctx, "{maxDepth: 3, behaviour: {onLimit: {drop: true}}}")
		fill(ctx, namespace, 5, "silver")
		Eventually(dropped(namespace, "limit")).Should(Equal(2))
	})

	// Row 45.
	It("Defect11: drops by conditions those that pass, and no others", func(ctx context.Context) {
		namespace := busy(ctx, `{maxDepth: 2, behaviour: {onLimit: {when: [{field: spec.tier, notEquals: gold}]}}}`)
		fill(ctx, namespace, 4, "gold")
		fill(ctx, namespace, 1, "silver")
		Eventually(dropped(namespace, "limit")).Should(Equal(1))
		Consistently(dropped(namespace, "limit")).Should(Equal(1))
	})

	// Row 46.
	It("Defect12: drops by a threshold, and by its limit as well", func(ctx context.Context) {
		namespace := busy(ctx, `{maxDepth: 4, behaviour: {onThreshold: {value: 50, when: [{field: spec.tier, notEquals: gold}]}, onLimit: {drop: true}}}`)
		fill(ctx, namespace, 3, "silver")
		Eventually(dropped(namespace, "threshold")).Should(Equal(1))
		fill(ctx, namespace, 3, "gold")
		Eventually(dropped(namespace, "limit")).Should(Equal(1))
	})

	// Row 48.
	It("drops nothing by maxDepth alone", func(ctx context.Context) {
		namespace := busy(ctx, "{maxDepth: 1}")
		fill(ctx, namespace, 3, "silver")
		Eventually(depth(namespace)).Should(Equal(3))
		Expect(dropped(namespace, "limit")()).To(BeZero())
	})
})

var _ = Describe("a requeue", func() {
	// Row 50.
	It("comes after the rendered time, while its conditions pass", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		o := operate(ctx, namespace, "", `
reconciler:
  resync: 1h
  requeue: [{after: "{{ .spec.every }}", when: [{field: spec.again, equals: "true"}]}]
preReconcile:
  sentinels: [generationChanged]
  reconcileGate: {sentinels: [generationChanged]}`)
		w := create(ctx, namespace, "w", "{every: 300ms, again: true}")
		// Defect 9: the sentinels of its event stay with the item.
		Eventually(o.Cycles).Should(BeNumerically(">=", 4))
		patch(ctx, w, `{"spec":{"again":false}}`)
		Expect(o.Settle(ctx)).To(Succeed())
		Consistently(o.Cycles).Should(Equal(o.Cycles()))
	})
})

var _ = DescribeTable("a Katalog with gates that cannot be", func(box, want string) {
	Expect(problems(katalogOf("w", "", box))).To(ContainSubstring(want))
},
	// Row 33.
	Entry("unknown sentinel", "preReconcile: {sentinels: [specChanged]}", "there is no such sentinel (valid: generationChanged, labelsChanged, "),
	// Row 34.
	Entry("sentinel of a gate that preReconcile does not have", "preReconcile: {enqueueGate: {sentinels: [uidChanged]}}", "is not among preReconcile.sentinels"),
	// Row 47.
	Entry("behaviour without maxDepth", "reconciler: {queue: {behaviour: {onLimit: {drop: true}}}}", "maxDepth"),
	Entry("failPolicy", "preReconcile: {enqueueGate: {failPolicy: maybe}}", "open, closed"),
)

// problems are what is wrong with a Katalog, as ork validate tells it.
func problems(text string) string {
	GinkgoHelper()
	result, err := katalog.Parse(katalog.Options{}, "katalog.yaml", []byte(text))
	if err != nil {
		return err.Error()
	}
	registry, err := builtin.Registry()
	Expect(err).NotTo(HaveOccurred())
	_, found := box.CompileKatalog(result.Documents[0].Katalog, box.Options{Registry: registry})
	if len(found.Errors) == 0 {
		return ""
	}
	return found.Errors.ToAggregate().Error()
}

func readyReason(ctx context.Context, w *unstructured.Unstructured) func() string {
	return func() string {
		if err := cluster.Get(ctx, client.ObjectKeyFromObject(w), w); err != nil {
			return err.Error()
		}
		if ready := status.Find(status.Conditions(w.Object), orkv1.ConditionReady); ready != nil {
			return ready.Reason
		}
		return ""
	}
}

func gone(ctx context.Context, w *unstructured.Unstructured) func() bool {
	return func() bool {
		return apierrors.IsNotFound(cluster.Get(ctx, client.ObjectKeyFromObject(w), w.DeepCopy()))
	}
}

// active is how many workers are in a cycle, and depth how many resources wait for one.
func active(namespace string) func() int { return counted("controller_workers_active", namespace, nil) }

func depth(namespace string) func() int { return counted("controller_queue_depth", namespace, nil) }
