package events_test

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/status"
	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/operator"
)

const cacheDefinition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: caches.targets.example.com}
spec:
  group: targets.example.com
  scope: Namespaced
  names: {kind: Cache, plural: caches, singular: cache, listKind: CacheList}
  versions:
    - name: v1
      served: true
      storage: true
      subresources: {status: {}}
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`

// surfaces are a box and two targets, each with a ConfigMap of its own and one that all have.
const surfaces = `
      operatorBox:
        onReconcile: {configMaps: [{name: "{{ .metadata.name }}-own", data: {box: crd}}, {name: "{{ .metadata.name }}", data: {box: crd}}]}
      serve:
        target:
          plain: {}
          gold: {primary: true, operatorBox: {onReconcile: {configMaps: [{name: "{{ .metadata.name }}-gold", data: {box: gold}}, {name: "{{ .metadata.name }}", data: {box: gold}}]}}}
          silver: {operatorBox: {onReconcile: {configMaps: [{name: "{{ .metadata.name }}-silver", data: {box: silver}}, {name: "{{ .metadata.name }}", data: {box: silver}}]}}}
`

// operateCaches starts an operator of the Caches of a namespace.
func operateCaches(ctx context.Context, namespace, entry string) *operator.Operator {
	GinkgoHelper()
	text := fmt.Sprintf("apiVersion: orkestra.orkspace.io/v1\nkind: Katalog\nmetadata: {name: %s}\nspec:\n  crds:\n    %s:\n      namespace: %s\n"+
		"      apiTypes: {group: targets.example.com, version: v1, kind: Cache, plural: caches}\n%s", namespace, namespace, namespace, entry)
	result, err := katalog.Parse(katalog.Options{}, "katalog.yaml", []byte(text))
	Expect(err).NotTo(HaveOccurred(), text)
	o, err := operator.Start(ctx, env.Config(), result.Documents[0].Katalog, namespace)
	Expect(err).NotTo(HaveOccurred())
	return o
}

// cache is a Cache that was delivered so. An empty target or alias is none.
func cache(namespace, target, alias string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "targets.example.com/v1", "kind": "Cache"}}
	o.SetNamespace(namespace)
	o.SetName("w")
	annotations := map[string]string{}
	for key, value := range map[string]string{orkv1.AnnotationServeTarget: target, orkv1.AnnotationServeAlias: alias} {
		if value != "" {
			annotations[key] = value
		}
	}
	o.SetAnnotations(annotations)
	return o
}

// deliver moves the Cache to a target, or, without a name, past the gateway.
func deliver(ctx context.Context, w *unstructured.Unstructured, target string) {
	GinkgoHelper()
	var value any
	if target != "" {
		value = target
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]any{orkv1.AnnotationServeTarget: value}}})
	Expect(err).NotTo(HaveOccurred())
	Expect(cluster.Patch(ctx, w, client.RawPatch(types.MergePatchType, patch))).To(Succeed())
}

// boxes are, for an Eventually, what the ConfigMaps of the namespace say of their boxes, by their names.
func boxes(ctx context.Context, namespace string) func() (map[string]string, error) {
	return func() (map[string]string, error) {
		var list corev1.ConfigMapList
		if err := cluster.List(ctx, &list, client.InNamespace(namespace), client.HasLabels{orkv1.LabelOwner}); err != nil {
			return nil, err
		}
		found := map[string]string{}
		for _, one := range list.Items {
			found[one.Name] = one.Data["box"]
		}
		return found, nil
	}
}

// last is, for an Eventually, the recorded surface.
func last(ctx context.Context, w *unstructured.Unstructured) func() (string, error) {
	return func() (string, error) {
		err := cluster.Get(ctx, client.ObjectKeyFromObject(w), w)
		return w.GetAnnotations()[orkv1.AnnotationLastSurface], err
	}
}

// readiness is, for an Eventually, what the condition Ready says.
func readiness(ctx context.Context, w *unstructured.Unstructured) func() (string, error) {
	return func() (string, error) {
		if err := cluster.Get(ctx, client.ObjectKeyFromObject(w), w); err != nil {
			return "", err
		}
		if one := status.Find(status.Conditions(w.Object), orkv1.ConditionReady); one != nil {
			return fmt.Sprintf("%s %s: %s", one.Status, one.Reason, one.Message), nil
		}
		return "none", nil
	}
}

// makeReady plays the controller of Deployments.
func makeReady(ctx context.Context, namespace, name string) {
	GinkgoHelper()
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	Eventually(func() error { return cluster.Get(ctx, client.ObjectKeyFromObject(d), d) }).Should(Succeed())
	n := *d.Spec.Replicas
	d.Status = appsv1.DeploymentStatus{ObservedGeneration: d.Generation, Replicas: n, UpdatedReplicas: n, ReadyReplicas: n, AvailableReplicas: n}
	Expect(cluster.Status().Update(ctx, d)).To(Succeed())
}

func exists(ctx context.Context, o client.Object) func() bool {
	return func() bool { return cluster.Get(ctx, client.ObjectKeyFromObject(o), o) == nil }
}

var (
	ofCRD    = map[string]string{"w": "crd", "w-own": "crd"}
	ofGold   = map[string]string{"w": "gold", "w-gold": "gold"}
	ofSilver = map[string]string{"w": "silver", "w-silver": "silver"}
)

var _ = Describe("targets", Ordered, func() {
	BeforeAll(func(ctx context.Context) {
		definition := &unstructured.Unstructured{}
		Expect(yaml.Unmarshal([]byte(cacheDefinition), &definition.Object)).To(Succeed())
		Expect(cluster.Create(ctx, definition)).To(Succeed())
		probe := cache("default", "", "")
		Eventually(func() error { return cluster.Create(ctx, probe) }).Should(Succeed())
		Expect(cluster.Delete(ctx, probe)).To(Succeed())
	})

	var namespace string
	var running *operator.Operator
	operate := func(ctx context.Context, entry string) {
		GinkgoHelper()
		running = operateCaches(ctx, namespace, entry)
	}
	BeforeEach(func(ctx context.Context) { namespace, running = newNamespace(ctx), nil })
	AfterEach(func() {
		if running != nil {
			Expect(running.Stop()).To(Succeed())
		}
	})
	deliverNew := func(ctx context.Context, target, alias string) *unstructured.Unstructured {
		GinkgoHelper()
		w := cache(namespace, target, alias)
		Expect(cluster.Create(ctx, w)).To(Succeed())
		return w
	}

	DescribeTable("Row 20 to 22: choose the box", func(ctx context.Context, target, alias string, want map[string]string, surface string) {
		operate(ctx, surfaces)
		w := deliverNew(ctx, target, alias)
		Eventually(boxes(ctx, namespace)).Should(Equal(want))
		Eventually(last(ctx, w)).Should(Equal(surface))
		Expect(running.Settle(ctx)).To(Succeed())
		Expect(boxes(ctx, namespace)()).To(Equal(want))
	},
		Entry("Row 20: by the target", "gold", "", ofGold, "gold"),
		Entry("Row 21: by the alias before the target", "gold", "silver", ofSilver, "silver"),
		Entry("Row 22: of the CRD for a target that there is not", "ghost", "", ofCRD, ""),
		Entry("Row 22: of the CRD for a target without a box", "plain", "", ofCRD, ""),
		Entry("of the CRD for what came past the gateway", "", "", ofCRD, ""),
	)

	It("Row 23: has the children of the target that is left go, and what both declare stay the same object", func(ctx context.Context) {
		operate(ctx, surfaces)
		w := deliverNew(ctx, "gold", "")
		Eventually(boxes(ctx, namespace)).Should(Equal(ofGold))
		both := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "w"}}
		Expect(exists(ctx, both)()).To(BeTrue())
		uid := both.UID
		deliver(ctx, w, "silver")
		Eventually(boxes(ctx, namespace)).Should(Equal(ofSilver))
		Eventually(last(ctx, w)).Should(Equal("silver"))
		Expect(exists(ctx, both)()).To(BeTrue())
		Expect(both.UID).To(Equal(uid))
		Expect(both.Labels).To(HaveKeyWithValue(orkv1.LabelServeTarget, "silver"))

		By("coming to rest there")
		Expect(running.Settle(ctx)).To(Succeed())
		Expect(last(ctx, w)()).To(Equal("silver"))
		Expect(readiness(ctx, w)()).To(Equal("True ReconcileSucceeded: "))
	})

	It("Row 23: keeps them where keepPreviousSurface says so, until the resource goes", func(ctx context.Context) {
		elsewhere := newNamespace(ctx)
		operate(ctx, fmt.Sprintf(`
      operatorBox: {onReconcile: {configMaps: [{name: own, data: {box: crd}}]}}
      serve:
        apply: {overrides: {keepPreviousSurface: true}}
        target: {gold: {operatorBox: {onReconcile: {configMaps: [{name: gold, namespace: %s, data: {box: gold}}]}}}}
`, elsewhere))
		w := deliverNew(ctx, "gold", "")
		gold := map[string]string{"gold": "gold"}
		Eventually(boxes(ctx, elsewhere)).Should(Equal(gold))
		deliver(ctx, w, "")
		Eventually(boxes(ctx, namespace)).Should(Equal(map[string]string{"own": "crd"}))
		Expect(running.Settle(ctx)).To(Succeed())
		Expect(boxes(ctx, elsewhere)()).To(Equal(gold))
		Expect(cluster.Delete(ctx, w)).To(Succeed())
		Eventually(exists(ctx, w)).Should(BeFalse())
		Eventually(boxes(ctx, elsewhere)).Should(BeEmpty(), "garbage collection would not find it")
	})

	It("Defect68: has them go as well when the resource leaves all targets", func(ctx context.Context) {
		operate(ctx, surfaces)
		w := deliverNew(ctx, "gold", "")
		Eventually(last(ctx, w)).Should(Equal("gold"))
		deliver(ctx, w, "")
		Eventually(boxes(ctx, namespace)).Should(Equal(ofCRD))
		Eventually(func() (bool, error) {
			_, err := last(ctx, w)()
			_, there := w.GetAnnotations()[orkv1.AnnotationLastSurface]
			return there, err
		}).Should(BeFalse())
		deliver(ctx, w, "gold")
		Eventually(boxes(ctx, namespace)).Should(Equal(ofGold))
	})

	It("Defect68: has them go after the new ones are ready, also when the operator starts anew in between", func(ctx context.Context) {
		const entry = `
      operatorBox: {onReconcile: {deployments: [{name: own, image: x}]}}
      serve: {target: {gold: {operatorBox: {onReconcile: {deployments: [{name: gold, image: x}]}}}}}
`
		operate(ctx, entry)
		w := deliverNew(ctx, "", "")
		own := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "own"}}
		makeReady(ctx, namespace, "own")
		deliver(ctx, w, "gold")
		Eventually(readiness(ctx, w)).Should(HavePrefix("False SurfaceNotReady: children of another target stay until deployments[0] gold is ready: "))
		Expect(running.Settle(ctx)).To(Succeed())
		Expect(exists(ctx, own)()).To(BeTrue())
		Expect(last(ctx, w)()).To(BeEmpty(), "it has not been left")
		Expect(running.Stop()).To(Succeed())
		operate(ctx, entry)
		Expect(exists(ctx, own)()).To(BeTrue())
		makeReady(ctx, namespace, "gold")
		Eventually(exists(ctx, own)).Should(BeFalse())
		Eventually(last(ctx, w)).Should(Equal("gold"))
		Eventually(readiness(ctx, w)).Should(Equal("True ReconcileSucceeded: "))
	})

	It("has what a target left half made go, whatever comes between", func(ctx context.Context) {
		operate(ctx, `
      operatorBox: {onReconcile: {configMaps: [{name: own, data: {box: crd}}]}}
      serve: {target: {gold: {operatorBox: {onReconcile: {configMaps: [{name: gold, data: {box: gold}}], deployments: [{name: gold, image: x}]}}}}}
`)
		w := deliverNew(ctx, "", "")
		deliver(ctx, w, "gold")
		gold := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "gold"}}
		Eventually(exists(ctx, gold)).Should(BeTrue())
		Expect(running.Stop()).To(Succeed())
		By("starting an operator that knows nothing of the target")
		operate(ctx, `
      operatorBox: {onReconcile: {configMaps: [{name: own, data: {box: crd}}]}}
`)
		Eventually(boxes(ctx, namespace)).Should(Equal(map[string]string{"own": "crd"}))
		Eventually(exists(ctx, gold)).Should(BeFalse())
	})

	It("hands over what is created once, as it is", func(ctx context.Context) {
		operate(ctx, `
      operatorBox: {onCreate: {configMaps: [{name: once, data: {box: crd}}]}, onReconcile: {jobs: [{name: job, image: "x:1"}]}}
      serve: {target: {gold: {operatorBox: {onCreate: {configMaps: [{name: once, data: {box: gold}}]}, onReconcile: {}}}}}
`)
		w := deliverNew(ctx, "", "")
		job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "job"}}
		Eventually(exists(ctx, job)).Should(BeTrue())
		deliver(ctx, w, "gold")
		Eventually(last(ctx, w)).Should(Equal("gold"))
		once := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "once"}}
		Expect(exists(ctx, once)()).To(BeTrue())
		Expect(once.Data).To(Equal(map[string]string{"box": "crd"}))
		Expect(once.Labels).To(HaveKeyWithValue(orkv1.LabelServeTarget, "gold"))
		Eventually(func() bool { return exists(ctx, job)() && job.DeletionTimestamp == nil }).Should(BeFalse(), "the other target has no such job")
	})

	It("Defect22: takes what is observed by the box of the resource, whatever the observed object says of targets", func(ctx context.Context) {
		operate(ctx, `
      operatorBox: {reconciler: {resync: 1h}}
      serve:
        target:
          gold: {operatorBox: {observe: {watch: [{apiVersion: v1, kind: ConfigMap, namespace: `+namespace+`, keyFrom: {name: w}}]}}}
          silver: {operatorBox: {observe: {watch: [{apiVersion: v1, kind: Secret, namespace: `+namespace+`, keyFrom: {name: w}}]}}}
`)
		w := deliverNew(ctx, "gold", "")
		Eventually(last(ctx, w)).Should(Equal("gold"))
		shared := configMap(namespace, "shared")
		shared.Annotations = map[string]string{orkv1.AnnotationServeTarget: "silver"}
		Expect(running.Settle(ctx)).To(Succeed())
		before := running.Cycles()
		Expect(cluster.Create(ctx, shared)).To(Succeed())
		Expect(running.AwaitCycle(ctx, before)).To(Succeed())

		By("moving the resource to a target that observes something else, and the object to the one that observes it")
		deliver(ctx, w, "silver")
		Eventually(last(ctx, w)).Should(Equal("silver"))
		Expect(running.Settle(ctx)).To(Succeed())
		before = running.Cycles()
		nowhere := counted("orkestra_observe_events_total", namespace, map[string]string{"source": "watch", "result": "unrouted"})
		known := nowhere()
		patch(ctx, shared, `{"metadata":{"annotations":{"`+orkv1.AnnotationServeTarget+`":"gold"}}}`)
		Eventually(nowhere).Should(BeNumerically(">", known))
		Expect(running.Settle(ctx)).To(Succeed())
		Expect(running.Cycles()).To(Equal(before))
	})

	It("has exactly the children of the target after twenty moves, and some of a target at any time", func(ctx context.Context) {
		operate(ctx, surfaces)
		w := deliverNew(ctx, "gold", "")
		Eventually(boxes(ctx, namespace)).Should(Equal(ofGold))
		watching, stop := context.WithCancel(ctx)
		gaps := looking(watching, func() (string, error) {
			found, err := boxes(watching, namespace)()
			if found["w"] == "" || found["w-gold"] == "" && found["w-silver"] == "" && found["w-own"] == "" {
				return fmt.Sprint(found), err
			}
			return "", err
		})
		names := []string{"silver", "", "gold"}
		for i := range 20 {
			deliver(ctx, w, names[i%len(names)])
			if i%4 == 3 { // most moves come in the middle of the one before
				Expect(running.Settle(ctx)).To(Succeed())
			}
		}
		Eventually(boxes(ctx, namespace)).Should(Equal(ofCRD)) // the twentieth
		Expect(running.Settle(ctx)).To(Succeed())
		Expect(boxes(ctx, namespace)()).To(Equal(ofCRD))
		stop()
		Expect(<-gaps).To(BeEmpty())
	})
})

// looking looks all the time until the context ends, and then tells what it did not like.
func looking(ctx context.Context, look func() (string, error)) <-chan []string {
	result := make(chan []string, 1)
	go func() {
		var seen []string
		for ctx.Err() == nil {
			if text, err := look(); err == nil && text != "" {
				seen = append(seen, text)
			}
			select {
			case <-ctx.Done():
			case <-time.After(5 * time.Millisecond):
			}
		}
		result <- seen
	}()
	return result
}
