package resilience_test

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"go.uber.org/goleak"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/definition"
	"github.com/orkestra-runtime/orkestra/runtime/health"
)

var _ = Describe("A definition", func() {
	// Row 13.
	It("that is missing at the start is waited for without polling, and its controller starts as soon as it is there", func(ctx SpecContext) {
		const group = "late.example.com"
		late := widgets(group)
		o := start(katalogText("late", entryText("late", group, "")))
		Eventually(func() string { return o.state("late").Health.Waiting }).Should(Equal("CRD widgets.late.example.com is not installed"))
		Expect(o.state("late").Health.State).To(Equal(health.NotStarted))

		before := o.network.count("GET", "/customresourcedefinitions/")
		Consistently(func() int { return o.network.count("GET", "/customresourcedefinitions/") }, 2*time.Second).Should(Equal(before))

		install(ctx, late)
		// The server puts the first watch of a new kind off by a second.
		Eventually(o.running("late"), 3*time.Second, 10*time.Millisecond).Should(BeTrue())
		space := namespace(ctx)
		one := widget(group, space, "one", map[string]any{"size": 1})
		create(ctx, one)
		Eventually(ready(ctx, one), 5*time.Second).Should(BeTrue())
		Expect(o.logbook.errors()).To(BeEmpty())
	})

	// Row 14.
	It("that is deleted takes its controller and informer along, leaves others alone, and may come back otherwise", func(ctx SpecContext) {
		const group, other = "gone.example.com", "stays.example.com"
		gone := widgets(group)
		install(ctx, gone, widgets(other))
		o := start(katalogText("gone", entryText("gone", group, ""), entryText("stays", other, "")))
		o.awaitRunning("stays", "gone")
		space := namespace(ctx)
		neighbour := widget(other, space, "neighbour", map[string]any{"size": 1})
		create(ctx, neighbour)
		Eventually(ready(ctx, neighbour), 5*time.Second).Should(BeTrue())
		uninstall(ctx, gone)
		Eventually(o.running("gone"), 5*time.Second).Should(BeFalse())
		quiet := goleak.IgnoreCurrent()

		By("starting and stopping with the definition, namespaced or not")
		for _, scope := range []apiextensionsv1.ResourceScope{apiextensionsv1.NamespaceScoped, apiextensionsv1.ClusterScoped} {
			gone = definition.Open(group, "Widget", "widgets", scope)
			install(ctx, gone)
			o.awaitRunning("gone")
			one := widget(group, space, "one-"+string(scope[0]+32), map[string]any{"size": 1})
			if scope == apiextensionsv1.ClusterScoped {
				one.SetNamespace("")
			}
			create(ctx, one)
			Eventually(ready(ctx, one), 5*time.Second).Should(BeTrue(), condition(ctx, one))

			uninstall(ctx, gone)
			Eventually(o.running("gone"), 5*time.Second).Should(BeFalse())
			snapshot := o.state("gone").Health
			Expect(snapshot.State).To(Equal(health.Degraded))
			Expect(snapshot.Missing).To(BeTrue())
			Expect(snapshot.LastError).To(Equal("CRD missing at runtime"))
			Expect(snapshot.Waiting).To(Equal("CRD widgets.gone.example.com is not installed"))
		}

		By("leaving no goroutine, no errors and no requests behind")
		Eventually(func() error { return goleak.Find(quiet, ignoreOwnConnections()) }, 10*time.Second, 500*time.Millisecond).Should(Succeed())
		lists := o.network.count("GET", "/apis/"+group)
		Consistently(func() int { return o.network.count("GET", "/apis/"+group) }, 2*time.Second).Should(Equal(lists))
		Expect(o.logbook.errors()).To(BeEmpty())

		Expect(edit(ctx, neighbour, `{"size":2}`)).To(Succeed())
		Eventually(ready(ctx, neighbour), 5*time.Second).Should(BeTrue())
		Expect(o.state("stays").Health.State).To(Equal(health.Healthy))
	})

	It("of another plural is another definition: the entry says which one it waits for", func(ctx SpecContext) {
		const group = "plural.example.com"
		first := widgets(group)
		install(ctx, first)
		o := start(katalogText("plural", entryText("plural", group, "")))
		o.awaitRunning("plural")
		uninstall(ctx, first)
		second := definition.Open(group, "Widget", "widgetz", apiextensionsv1.NamespaceScoped)
		install(ctx, second)
		Consistently(o.running("plural"), time.Second).Should(BeFalse())
		Expect(o.state("plural").Health.Waiting).To(Equal("CRD widgets.plural.example.com is not installed"))
		uninstall(ctx, second)
		install(ctx, first)
		o.awaitRunning("plural")
		Expect(o.logbook.errors()).To(BeEmpty())
	})

	It("that is deleted and made anew at once is operated anew", func(ctx SpecContext) {
		const group = "anew.example.com"
		anew := widgets(group)
		install(ctx, anew)
		o := start(katalogText("anew", entryText("anew", group, "")))
		o.awaitRunning("anew")
		space := namespace(ctx)
		for range 3 {
			Expect(deleteDefinition(ctx, anew)).To(Succeed())
			Eventually(func() error { return admin.Create(ctx, asWhole(anew)) }, 60*time.Second, 5*time.Millisecond).Should(Succeed())
		}
		install(ctx, anew)
		one := widget(group, space, "one", map[string]any{"size": 1})
		create(ctx, one)
		Eventually(ready(ctx, one), 20*time.Second).Should(BeTrue())
		Expect(o.state("anew").Running).To(BeTrue())
	})

	It("that is deleted while its resources wait for our finalizer goes, and they go with it", func(ctx SpecContext) {
		const group = "held.example.com"
		held := widgets(group)
		install(ctx, held)
		o := start(katalogText("held", entryText("held", group, "")) + "  finalizers: [orkestra.konductor.io/cleanup]\n")
		o.awaitRunning("held")
		one := widget(group, namespace(ctx), "one", map[string]any{"size": 1})
		create(ctx, one)
		Eventually(func() []string {
			_ = admin.Get(ctx, client.ObjectKeyFromObject(one), one)
			return one.GetFinalizers()
		}, 5*time.Second).ShouldNot(BeEmpty())
		uninstall(ctx, held)
		Eventually(o.running("held"), 5*time.Second).Should(BeFalse())
	})

	It("whose schema gets another status field has it written", func(ctx SpecContext) {
		const group = "schema.example.com"
		schema := widgets(group)
		text := apiextensionsv1.JSONSchemaProps{Type: "string"}
		fields := schema.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties
		fields["status"] = apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"first": text}}
		install(ctx, schema)
		start(katalogText("schema", entryText("schema", group, "")+`
        status:
          fields:
            - {path: first, value: one}
            - {path: second, value: two}
`))
		one := widget(group, namespace(ctx), "one", map[string]any{"size": 1})
		create(ctx, one)
		statusOf := func() map[string]any {
			_ = admin.Get(ctx, client.ObjectKeyFromObject(one), one)
			found, _, _ := unstructured.NestedMap(one.Object, "status")
			return found
		}
		Eventually(statusOf, 10*time.Second).Should(Equal(map[string]any{"first": "one"}))
		fields["status"].Properties["second"] = text
		install(ctx, schema)
		Eventually(statusOf, 10*time.Second).Should(Equal(map[string]any{"first": "one", "second": "two"}))
	})

	// Row 15.
	It("of a kind of children may come late, go, and come back", func(ctx SpecContext) {
		const group = "parts.example.com"
		parts := definition.Open(group, "Part", "parts", apiextensionsv1.NamespaceScoped)
		install(ctx, widgets(group))
		o := start(katalogText("parts", `
    parts:
      apiTypes: {group: parts.example.com, version: v1, kind: Widget, plural: widgets}
      operatorBox:
        onReconcile:
          custom:
            - apiVersion: parts.example.com/v1
              kind: Part
              metadata: {name: "{{ .metadata.name }}", namespace: "{{ .metadata.namespace }}"}
              spec: {size: "{{ .spec.size }}"}
`))
		o.awaitRunning("parts")
		one := widget(group, namespace(ctx), "one", map[string]any{"size": 1})
		create(ctx, one)
		part := widget(group, one.GetNamespace(), "one", nil)
		part.SetKind("Part")
		partThere := func() error { return admin.Get(ctx, client.ObjectKeyFromObject(part), part) }
		notInstalled := HavePrefix("False KindNotInstalled: ")

		Eventually(condition(ctx, one), 5*time.Second).Should(notInstalled)
		for range 2 {
			install(ctx, parts)
			Eventually(partThere, 10*time.Second).Should(Succeed())
			Eventually(ready(ctx, one), 5*time.Second).Should(BeTrue(), condition(ctx, one))

			uninstall(ctx, parts)
			Eventually(condition(ctx, one), 15*time.Second).Should(notInstalled)
			lists := o.network.count("GET", "/parts?")
			Consistently(func() int { return o.network.count("GET", "/parts?") }, 2*time.Second).Should(Equal(lists))
		}

		By("being deleted and made anew at once")
		install(ctx, parts)
		Eventually(ready(ctx, one), 10*time.Second).Should(BeTrue(), condition(ctx, one))
		Expect(deleteDefinition(ctx, parts)).To(Succeed())
		Eventually(func() error { return admin.Create(ctx, asWhole(parts)) }, 60*time.Second, 5*time.Millisecond).Should(Succeed())
		Eventually(partThere, 20*time.Second).Should(Succeed())
		Eventually(ready(ctx, one), 5*time.Second).Should(BeTrue(), condition(ctx, one))
	})
})
