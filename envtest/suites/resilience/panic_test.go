package resilience_test

import (
	"slices"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/controllers/builtin"
	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/series"
	"github.com/orkestra-runtime/orkestra/runtime/engine"
	"github.com/orkestra-runtime/orkestra/runtime/health"
)

var _ = Describe("A panic in the cycle of one resource", func() {
	It("Defect56: is an error of that resource alone, is counted, and is tried again with back-off", func(ctx SpecContext) {
		const group = "panic.example.com"
		install(ctx, widgets(group))
		o := setup{engines: []engine.Options{{
			Katalogs: parse(katalogText("panic", entryText("panic", group, ""))),
			Registry: explosive(),
		}}}.start()
		o.awaitRunning("panic")
		space := namespace(ctx)
		bad := widget(group, space, "bad", map[string]any{"size": "bang"})
		create(ctx, bad)
		createMany(ctx, 10, func(i int) client.Object {
			return widget(group, space, "good-"+string(rune('a'+i)), map[string]any{"size": i})
		})
		Eventually(func() (map[string]string, error) { return sizes(ctx, space) }, 5*time.Second).Should(HaveLen(10))

		Eventually(panics, 10*time.Second).Should(BeNumerically(">=", 6))
		snapshot := o.state("panic").Health
		Expect(snapshot.State).To(Equal(health.Degraded))
		Expect(snapshot.Failing).To(Equal(1))
		Expect(snapshot.LastError).To(Equal("reconciler panic: bang"))

		By("backing off: of retries that double their distance there is one in three seconds at the most")
		Eventually(panics, 20*time.Second).Should(BeNumerically(">=", 10))
		before := panics()
		Consistently(func() float64 { return panics() - before }, 2*time.Second).Should(BeNumerically("<=", 1))

		By("recovering when the resource is mended")
		Expect(edit(ctx, bad, `{"size":"mended"}`)).To(Succeed())
		Eventually(ready(ctx, bad), 2*time.Second).Should(BeTrue(), condition(ctx, bad))
		Eventually(func() health.State { return o.state("panic").Health.State }).Should(Equal(health.Healthy))
	})
})

// explosive is the built-in registry with ConfigMaps whose builder panics for the size bang.
func explosive() *controllers.Registry {
	GinkgoHelper()
	kinds := slices.DeleteFunc(builtin.Kinds(), func(kind controllers.Kind) bool { return kind.Key == "configMaps" })
	kinds = append(kinds, controllers.Of(controllers.Spec[orkv1.ConfigMap]{
		Kind:   controllers.Kind{Key: "configMaps", GVK: corev1.SchemeGroupVersion.WithKind("ConfigMap")},
		List:   func(b *orkv1.Block) []orkv1.ConfigMap { return b.ConfigMaps },
		Common: func(c *orkv1.ConfigMap) controllers.Common { return controllers.CommonOf(&c.Entry) },
		Build: func(d *controllers.Draft, in *orkv1.ConfigMap, _ *field.Path) any {
			size := string(in.Data["size"])
			if size == "bang" {
				panic(size)
			}
			return corev1ac.ConfigMap(d.Name, "").WithData(map[string]string{"size": size})
		},
	}))
	registry, err := controllers.NewRegistry(kinds...)
	Expect(err).NotTo(HaveOccurred())
	return registry
}

// panics is how many the entry had.
func panics() float64 { return series.Sum("orkestra_panics_total", map[string]string{"crd": "panic"}) }
