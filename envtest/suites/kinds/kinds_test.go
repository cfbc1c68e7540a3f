package kinds_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers/builtin"
	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/operator"
)

var _ = Describe("a child", Ordered, ContinueOnFailure, func() {
	var o *operator.Operator
	BeforeAll(func(ctx context.Context) {
		result, err := katalog.Parse(katalog.Options{}, "katalog.yaml", []byte(catalog()))
		o = operate(ctx, result, err)
	})

	It("is of one of all the kinds", func() {
		for _, one := range builtin.Kinds() {
			if one.Key != "custom" {
				Expect(kinds).To(HaveKey(one.Key))
			}
		}
	})

	for _, key := range slices.Sorted(maps.Keys(kinds)) {
		It("of "+key+" is made, kept, removed and collected", func(ctx context.Context) {
			s := sample{kind: kinds[key], operator: o, resource: resource(key), child: kinds[key].child(key)}
			s.isMade(ctx)
			s.costsNothing(ctx)
			s.isKept(ctx)
			s.comesBack(ctx)
			s.isPruned(ctx)
			s.isCollected(ctx)
		}, NodeTimeout(2*time.Minute))
	}
})

var _ = Describe("a role that is granted", func() {
	It("Defect48: can't be changed, which is told", func(ctx context.Context) {
		result, err := katalog.Parse(katalog.Options{}, "katalog.yaml", []byte(`apiVersion: orkestra.orkspace.io/v1
kind: Katalog
metadata: {name: roles}
spec:
  crds:
    grant:
      apiTypes: {group: test.example.com, version: v1, kind: Grant, plural: grants}
      operatorBox:
        onReconcile: {roleBindings: [{roleRef: {name: "{{ .spec.role }}"}, subjects: [{name: a}]}]}
`))
		operate(ctx, result, err)
		grant := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"role": "a"}}}
		grant.SetAPIVersion("test.example.com/v1")
		grant.SetKind("Grant")
		grant.SetNamespace("default")
		grant.SetName("g")
		Expect(cluster.Create(ctx, grant)).To(Succeed())
		Eventually(field(ctx, grant, "status", "conditions")).Should(ContainSubstring("ReconcileSucceeded"))
		patch(ctx, grant, `{"spec":{"role":"b"}}`)
		Eventually(field(ctx, grant, "status", "conditions")).Should(And(
			ContainSubstring("ChildImmutable"), ContainSubstring("roleBindings[0]: RoleBinding default/g-rolebinding can't be changed in place: roleRef.name"),
		))
	}, NodeTimeout(time.Minute))
})

// sample is a resource and its only child.
type sample struct {
	kind
	operator        *operator.Operator
	resource, child *unstructured.Unstructured
}

func resource(key string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{}}}
	o.SetAPIVersion("test.example.com/v1")
	o.SetKind("Sample")
	o.SetNamespace("default")
	o.SetName(strings.ToLower(key))
	return o
}

func (s sample) isMade(ctx context.Context) {
	GinkgoHelper()
	By("making it")
	Expect(cluster.Create(ctx, s.resource)).To(Succeed())
	Eventually(read(ctx, s.child)).Should(Succeed(), func() string { return s.explain(ctx) })
	Expect(s.child.GetLabels()).To(HaveKeyWithValue(orkv1.LabelOwner, HaveLen(20)))
	if s.wide {
		Expect(s.child.GetOwnerReferences()).To(BeEmpty())
		Expect(read(ctx, s.resource)()).To(Succeed())
		Expect(s.resource.GetFinalizers()).To(ConsistOf(orkv1.Finalizer))
	} else {
		Expect(metav1.IsControlledBy(s.child, s.resource)).To(BeTrue())
	}
	Expect(s.operator.Settle(ctx)).To(Succeed())
}

// explain is what the resource says of itself.
func (s sample) explain(ctx context.Context) string {
	if err := read(ctx, s.resource)(); err != nil {
		return err.Error()
	}
	return fmt.Sprint(s.resource.Object["status"])
}

// costsNothing is Defect39: what the server fills in is not taken for a change.
func (s sample) costsNothing(ctx context.Context) {
	GinkgoHelper()
	By("Defect39: looking at it again")
	s.operator.Take()
	cycles := s.operator.Cycles()
	patch(ctx, s.resource, `{"metadata":{"annotations":{"test.example.com/touched":"1"}}}`)
	Expect(s.operator.AwaitCycle(ctx, cycles)).To(Succeed())
	Expect(s.operator.Take()).To(BeEmpty())
}

func (s sample) isKept(ctx context.Context) {
	GinkgoHelper()
	By("changing it by another hand")
	patch(ctx, s.child, `{"metadata":{"labels":{"tier":"front","theirs":"1"},"annotations":{"example.com/theirs":"1"}}}`)
	if s.once {
		Expect(s.operator.Settle(ctx)).To(Succeed())
		Expect(read(ctx, s.child)()).To(Succeed())
		Expect(s.child.GetLabels()).To(HaveKeyWithValue("tier", "front"))
		return
	}
	if s.drift != "" {
		patch(ctx, s.child, s.drift)
		Eventually(field(ctx, s.child, s.path...)).Should(MatchJSON(s.want))
	}
	Eventually(field(ctx, s.child, "metadata", "labels", "tier")).Should(MatchJSON(`"back"`))
	Expect(s.child.GetLabels()).To(HaveKeyWithValue("theirs", "1"))
	Expect(s.child.GetAnnotations()).To(HaveKeyWithValue("example.com/theirs", "1"))
	Expect(s.operator.Settle(ctx)).To(Succeed())
}

func (s sample) comesBack(ctx context.Context) {
	GinkgoHelper()
	By("deleting it")
	uid := s.child.GetUID()
	Expect(cluster.Delete(ctx, s.child, client.GracePeriodSeconds(0), client.PropagationPolicy(metav1.DeletePropagationBackground))).To(Succeed())
	gone := time.Now() // when the old one was last there
	Eventually(func() bool {
		err := read(ctx, s.child)()
		if err == nil && s.child.GetUID() == uid {
			gone = time.Now()
		}
		return err == nil && s.child.GetUID() != uid
	}).Should(BeTrue(), func() string { return s.explain(ctx) })
	Expect(time.Since(gone)).To(BeNumerically("<", time.Second))
}

func (s sample) isPruned(ctx context.Context) {
	GinkgoHelper()
	By("turning its gate false")
	cycles := s.operator.Cycles()
	patch(ctx, s.resource, `{"spec":{"off":"true"}}`)
	if s.once {
		Expect(s.operator.AwaitCycle(ctx, cycles)).To(Succeed())
		Expect(read(ctx, s.child)()).To(Succeed(), "what is created once stays")
		return
	}
	Eventually(isGone(ctx, s.child)).Should(BeTrue())
	patch(ctx, s.resource, `{"spec":{"off":"false"}}`)
	Eventually(read(ctx, s.child)).Should(Succeed())
}

func (s sample) isCollected(ctx context.Context) {
	GinkgoHelper()
	By("deleting the resource")
	Expect(cluster.Delete(ctx, s.resource)).To(Succeed())
	Eventually(isGone(ctx, s.resource)).Should(BeTrue())
	if s.wide {
		Expect(isGone(ctx, s.child)()).To(BeTrue(), "the finalizer waits for it")
	}
	Eventually(isGone(ctx, s.child)).WithTimeout(time.Minute).Should(BeTrue())
}

// patch is a JSON merge patch by somebody else.
func patch(ctx context.Context, o client.Object, merge string) {
	GinkgoHelper()
	Expect(cluster.Patch(ctx, o, client.RawPatch(types.MergePatchType, []byte(merge)), client.FieldOwner("somebody"))).To(Succeed())
}

// read reads an object as it is now, for an Eventually.
func read(ctx context.Context, o client.Object) func() error {
	return func() error { return cluster.Get(ctx, client.ObjectKeyFromObject(o), o) }
}

// isGone tells for an Eventually whether an object is not there.
func isGone(ctx context.Context, o client.Object) func() bool {
	return func() bool { return client.IgnoreNotFound(read(ctx, o)()) == nil && read(ctx, o)() != nil }
}

// field is the JSON of a field, for an Eventually: null when it is not there.
func field(ctx context.Context, o *unstructured.Unstructured, path ...string) func() (string, error) {
	return func() (string, error) {
		if err := read(ctx, o)(); err != nil {
			return "", err
		}
		value, _, err := unstructured.NestedFieldNoCopy(o.Object, path...)
		if err != nil {
			return "", err
		}
		text, err := json.Marshal(value)
		return string(text), err
	}
}
