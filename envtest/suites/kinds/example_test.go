package kinds_test

import (
	"context"
	"os"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/orkestra-runtime/orkestra/api/katalog"
)

var _ = Describe("the example of every kind", func() {
	It("Defect39: asks the server for nothing once it is as declared", func(ctx context.Context) {
		result, err := katalog.Load(katalog.Options{}, example+"katalog.yaml")
		o := operate(ctx, result, err)
		text, err := os.ReadFile(example + "cr.yaml")
		Expect(err).NotTo(HaveOccurred())
		stack := &unstructured.Unstructured{}
		Expect(yaml.Unmarshal(text, &stack.Object)).To(Succeed())
		Expect(cluster.Create(ctx, stack)).To(Succeed())
		Eventually(field(ctx, stack, "status", "ready")).WithTimeout(time.Minute).Should(MatchJSON(`"yes"`))
		Eventually(field(ctx, stack, "status", "conditions")).Should(ContainSubstring("ReconcileSucceeded"))
		Expect(o.Settle(ctx)).To(Succeed())
		o.Take()
		cycles := o.Cycles()
		patch(ctx, stack, `{"metadata":{"annotations":{"test.example.com/touched":"1"}}}`)
		Expect(o.AwaitCycle(ctx, cycles)).To(Succeed())
		Expect(o.Take()).To(BeEmpty())
		Expect(cluster.Delete(ctx, stack)).To(Succeed())
		Eventually(isGone(ctx, stack)).WithTimeout(time.Minute).Should(BeTrue())
	}, NodeTimeout(3*time.Minute))
})
