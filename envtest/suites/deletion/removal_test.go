package deletion_test

import (
	"context"
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

var _ = Describe("An entry that its Katalog has no more", func() {
	// entry has a child beside the resource and one in another namespace.
	entry := func(away, policy string) string {
		return fmt.Sprintf(`
      onRemoval: %s
      operatorBox:
        finalizers: [example.com/declared]
        onReconcile: {configMaps: [{name: near}, {name: far, namespace: %s}]}
`, policy, away)
	}
	free := func(ctx context.Context, space string) func() []string {
		return func() []string {
			w := object("Widget", space, "w")
			if !exists(ctx, w)() {
				return []string{"gone"}
			}
			return w.GetFinalizers()
		}
	}
	type scene struct {
		space, away string
		o           *operator
	}
	begin := func(ctx context.Context, policy string) scene {
		s := scene{space: newNamespace(ctx), away: newNamespace(ctx)}
		s.o = operate(ctx, s.space, entry(s.away, policy), nil)
		w := widget(s.space, "w", nil)
		w.SetFinalizers([]string{"example.com/others"})
		create(ctx, w)
		Eventually(ready(ctx, w)).Should(Equal(isReady))
		Expect(w.GetFinalizers()).To(ConsistOf("example.com/others", "example.com/declared", orkv1.Finalizer))
		return s
	}

	It("keeps the children, and holds its resources no more", func(ctx context.Context) {
		s := begin(ctx, "keep")
		Expect(s.o.engine.Replace(katalogOf(s.space, ""))).To(Succeed())
		Eventually(free(ctx, s.space)).Should(Equal([]string{"example.com/others"}))
		near, far := configMap(s.space, "near"), configMap(s.away, "far")
		Expect(exists(ctx, near)()).To(BeTrue())
		Expect(exists(ctx, far)()).To(BeTrue())
		Expect(near.OwnerReferences).NotTo(BeEmpty())
		Expect(far.Labels).To(HaveKey(orkv1.LabelOwner))

		By("and the Katalog has it again")
		Expect(s.o.engine.Replace(katalogOf(s.space, entry(s.away, "keep")))).To(Succeed())
		Eventually(free(ctx, s.space)).Should(ContainElement(orkv1.Finalizer))
	})

	It("has the children belong to nobody", func(ctx context.Context) {
		s := begin(ctx, "orphan")
		Expect(s.o.engine.Replace(katalogOf(s.space, ""))).To(Succeed())
		Eventually(free(ctx, s.space)).Should(Equal([]string{"example.com/others"}))
		w := object("Widget", s.space, "w")
		patch(ctx, w, `{"metadata":{"finalizers":null}}`)
		Expect(cluster.Delete(ctx, w)).To(Succeed())
		near, far := configMap(s.space, "near"), configMap(s.away, "far")
		Consistently(exists(ctx, near)).WithTimeout(2 * time.Second).Should(BeTrue())
		Expect(exists(ctx, far)()).To(BeTrue())
		Expect(near.OwnerReferences).To(BeEmpty())
		Expect(near.Labels).NotTo(Or(HaveKey(orkv1.LabelOwner), HaveKey(orkv1.LabelManagedBy)))
		Expect(near.Annotations).NotTo(Or(HaveKey(orkv1.AnnotationOwner), HaveKey(orkv1.AnnotationAppliedHash)))
	})

	It("deletes the children before it lets its resources go", func(ctx context.Context) {
		s := begin(ctx, "delete")
		far := configMap(s.away, "far")
		patch(ctx, far, `{"metadata":{"finalizers":["example.com/held"]}}`)
		Expect(s.o.engine.Replace(katalogOf(s.space, ""))).To(Succeed())
		Eventually(going(ctx, far)).Should(BeTrue())
		Expect(free(ctx, s.space)()).To(ContainElement(orkv1.Finalizer))
		patch(ctx, far, `{"metadata":{"finalizers":null}}`)
		Eventually(free(ctx, s.space)).Should(Equal([]string{"example.com/others"}))
		Expect(exists(ctx, configMap(s.space, "near"))()).To(BeFalse())
	})

	It("is found at the start of another process, and one that is paused is left alone", func(ctx context.Context) {
		s := begin(ctx, "keep")
		s.o.stop()
		paused := operate(ctx, s.space, "      enabled: false\n"+entry(s.away, "keep")[1:], nil)
		Consistently(free(ctx, s.space)).WithTimeout(time.Second).Should(ContainElement(orkv1.Finalizer))
		paused.stop()
		operate(ctx, s.space, "", nil)
		Eventually(free(ctx, s.space)).Should(Equal([]string{"example.com/others"}))
	})
})
