package world_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/definition"
	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/operator"
	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/series"
	"github.com/orkestra-runtime/orkestra/providers/external"
	"github.com/orkestra-runtime/orkestra/providers/reach"
	"github.com/orkestra-runtime/orkestra/runtime/engine"
	"github.com/orkestra-runtime/orkestra/runtime/live"
)

// An App is a Widget that reads Gadgets, which another entry operates. Both resync once in an hour: whatever is seen before was told.
var _ = Describe("A read of another CRD", Ordered, ContinueOnFailure, func() {
	var namespace string

	BeforeAll(func(ctx context.Context) {
		for kind, scope := range map[string]apiextensionsv1.ResourceScope{"Gadget": apiextensionsv1.NamespaceScoped, "Realm": apiextensionsv1.ClusterScoped} {
			object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(definition.Open(group, kind, strings.ToLower(kind)+"s", scope))
			Expect(err).NotTo(HaveOccurred())
			Expect(client.IgnoreAlreadyExists(cluster.Create(ctx, &unstructured.Unstructured{Object: object}))).To(Succeed())
			probe := other(kind, "default", "probe", "{}")
			Eventually(func() error { return cluster.Create(ctx, probe) }).Should(Succeed())
			Expect(cluster.Delete(ctx, probe)).To(Succeed())
		}
	})

	BeforeEach(func(ctx context.Context) { namespace = newNamespace(ctx) })

	// Row 94.
	It("finds a resource by its name, and follows it at once", func(ctx context.Context) {
		o := cooperate(ctx, namespace, `
cross:
  - {crd: gadgets-NS, selector: {name: "{{ .spec.db }}"}, as: db}
onReconcile:
  configMaps:
    - name: "{{ .metadata.name }}"
      data: {host: "{{ .cross.db.status.host }}", size: "{{ .cross.db.spec.size }}"}
      when: [{field: cross.db.found, equals: "true"}]
status:
  fields:
    - {path: found, value: "{{ .cross.db.found }}"}
    - {path: named, value: "{{ .cross.db.name }} in {{ .cross.db.namespace }}"}
    - {path: label, value: "x{{ .cross.db.metadata.labels.tier }}"}
`, `status: {fields: [{path: host, value: "{{ .spec.host }}"}]}`)
		app := create(ctx, namespace, "app", "db: main")
		Eventually(status(ctx, app)).Should(And(
			HaveKeyWithValue("found", "false"), HaveKeyWithValue("named", "main in "+namespace), HaveKeyWithValue("label", "x")))
		Expect(data(ctx, namespace, "app")()).To(BeNil())

		gadget := other("Gadget", namespace, "main", "{host: a, size: 3}")
		gadget.SetLabels(map[string]string{"tier": "gold"})
		Expect(cluster.Create(ctx, gadget)).To(Succeed())
		Eventually(data(ctx, namespace, "app")).Should(Equal(map[string]string{"host": "a", "size": "3"}))
		Eventually(status(ctx, app)).Should(And(HaveKeyWithValue("found", "true"), HaveKeyWithValue("label", "xgold")))
		Expect(o.Settle(ctx)).To(Succeed())

		o.Take()
		begin := time.Now()
		edit(ctx, gadget, func(spec map[string]any) { spec["host"] = "b" })
		Eventually(data(ctx, namespace, "app")).Should(HaveKeyWithValue("host", "b"))
		GinkgoWriter.Printf("a change of what is read was written after %s\n", time.Since(begin))
		Expect(time.Since(begin)).To(BeNumerically("<", 5*time.Second))
		Expect(o.Settle(ctx)).To(Succeed())
		Expect(o.Take()).To(ConsistOf("update gadgets/status main", "apply configmaps app"), "nothing is read from the server")

		By("an edit that says nothing to anybody")
		cycles := o.Cycles()
		edited := latest(ctx, gadget)
		edited.SetAnnotations(map[string]string{orkv1.AnnotationHealth: "{}"})
		Expect(cluster.Update(ctx, edited)).To(Succeed())
		Expect(o.Settle(ctx)).To(Succeed())
		Expect(o.Cycles()).To(Equal(cycles), "those who read it are not told of what the runtime says of itself")

		By("another one of its kind")
		Expect(cluster.Create(ctx, other("Gadget", namespace, "else", "{}"))).To(Succeed())
		Expect(o.Settle(ctx)).To(Succeed())
		Expect(o.Cycles()).To(Equal(cycles), "who does not read it is not told of it")

		Expect(cluster.Delete(ctx, gadget)).To(Succeed())
		Eventually(data(ctx, namespace, "app")).Should(BeNil())
		Eventually(status(ctx, app)).Should(HaveKeyWithValue("found", "false"))
	}, NodeTimeout(time.Minute))

	// Row 94.
	It("Defect66: finds a resource by all of its labels, rendered, the oldest first", func(ctx context.Context) {
		cooperate(ctx, namespace, `
cross:
  - {crd: gadgets-NS, selector: {matchLabels: {tier: "{{ .spec.tier }}", zone: "{{ .spec.zone }}"}}, as: one}
  - {crd: gadgets-NS, selector: {matchLabels: {zone: "{{ .spec.zone }}"}}, strategy: all, as: every}
status:
  fields:
    - {path: one, value: "{{ .cross.one.found }} {{ .cross.one.name }}"}
    - {path: every, value: "{{ range .cross.every }}{{ .name }},{{ end }}"}
`, `{}`)
		app := create(ctx, namespace, "app", "{tier: gold, zone: a}")
		labelled := func(name, tier, zone string) *unstructured.Unstructured {
			g := other("Gadget", namespace, name, "{}")
			g.SetLabels(map[string]string{"tier": tier, "zone": zone})
			Expect(cluster.Create(ctx, g)).To(Succeed())
			return g
		}
		labelled("x", "gold", "b")
		labelled("y", "iron", "a")
		Eventually(status(ctx, app)).Should(And(HaveKeyWithValue("one", "false"), HaveKeyWithValue("every", "y,")))
		first := labelled("z", "gold", "a")
		Eventually(status(ctx, app)).Should(And(HaveKeyWithValue("one", "true z"), HaveKeyWithValue("every", "y,z,")))
		Eventually(func() bool { return time.Since(first.GetCreationTimestamp().Time) > time.Second }).Should(BeTrue())
		second := labelled("a", "gold", "a")
		Eventually(status(ctx, app)).Should(And(HaveKeyWithValue("one", "true z"), HaveKeyWithValue("every", "y,z,a,")))

		By("a label that is taken away")
		moved := latest(ctx, first)
		moved.SetLabels(map[string]string{"tier": "gold"})
		Expect(cluster.Update(ctx, moved)).To(Succeed())
		Eventually(status(ctx, app)).Should(And(HaveKeyWithValue("one", "true a"), HaveKeyWithValue("every", "y,a,")))
		Expect(cluster.Delete(ctx, second)).To(Succeed())
		Eventually(status(ctx, app)).Should(HaveKeyWithValue("one", "false"))
	}, NodeTimeout(time.Minute))

	// Row 94.
	It("finds an entry by the labels that it selects its resources by, as soon as there is one", func(ctx context.Context) {
		text := strings.Replace(katalogOf2(namespace, `
cross: [{labelSelector: {team: "NS"}, as: db}]
status: {fields: [{path: db, value: "{{ .cross.db.found }} {{ .cross.db.name }}"}]}
`, `{}`), "operatorBox: # gadgets", "labelSelector: {team: "+namespace+"}\n      operatorBox:", 1)
		result, err := katalog.Parse(katalog.Options{}, "katalog.yaml", []byte(text))
		Expect(err).NotTo(HaveOccurred())
		whole := result.Documents[0].Katalog
		part := whole.DeepCopy()
		delete(part.Spec.CRDs, "gadgets-"+namespace)
		o, err := operator.Start(ctx, env.Config(), part, namespace)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func() { Expect(o.Stop()).To(Succeed()) })
		for name, team := range map[string]string{"ours": namespace, "a": "others"} {
			gadget := other("Gadget", namespace, name, "{}")
			gadget.SetLabels(map[string]string{"team": team})
			Expect(cluster.Create(ctx, gadget)).To(Succeed())
		}
		app := create(ctx, namespace, "app", "{}")
		Eventually(status(ctx, app)).Should(HaveKeyWithValue("db", "false"))
		Expect(o.Settle(ctx)).To(Succeed())
		Expect(o.Engine().Replace(whole)).To(Succeed())
		Eventually(status(ctx, app)).Should(HaveKeyWithValue("db", "true ours"))
	}, NodeTimeout(time.Minute))

	It("costs nothing once all is as declared", func(ctx context.Context) {
		o := cooperate(ctx, namespace, `
cross: [{crd: gadgets-NS, as: own}]
onReconcile: {configMaps: [{data: {size: "{{ .cross.own.spec.size }}", state: "{{ .cross.own.health.state }}"}}]}
`, `{}`)
		Expect(cluster.Create(ctx, other("Gadget", namespace, "app", "size: 4"))).To(Succeed())
		Eventually(func() float64 {
			return series.Sum("controller_reconcile_total", map[string]string{"crd": "gadgets-" + namespace})
		}).Should(BeNumerically(">", 0), "the health of what is read changes with its first cycle")
		Expect(o.Settle(ctx)).To(Succeed())
		app := create(ctx, namespace, "app", "{}")
		Eventually(data(ctx, namespace, "app-config")).Should(HaveKeyWithValue("size", "4"))
		Expect(o.Settle(ctx)).To(Succeed())
		edited := latest(ctx, app)
		edited.SetAnnotations(map[string]string{"look": "again"})
		o.Take()
		cycles := o.Cycles()
		Expect(cluster.Update(ctx, edited)).To(Succeed())
		Eventually(func() int { return o.Cycles() }).Should(BeNumerically(">", cycles))
		Expect(o.Settle(ctx)).To(Succeed())
		Expect(o.Take()).To(BeEmpty())
	}, NodeTimeout(time.Minute))

	// Row 96.
	It("finds nothing of a CRD that lets nobody read it", func(ctx context.Context) {
		text := katalogOf2(namespace, `
cross: [{crd: gadgets-NS, as: db, source: {host: "http://127.0.0.1:1"}}]
status: {fields: [{path: found, value: "{{ .cross.db.found }}"}, {path: size, value: "x{{ .cross.db.spec.size }}"}]}
`, `{}`)
		o := operate(ctx, namespace, strings.Replace(text, "operatorBox: # gadgets", "crossAccess: false\n      operatorBox:", 1), engine.Options{})
		Expect(cluster.Create(ctx, other("Gadget", namespace, "app", "size: 4"))).To(Succeed())
		app := create(ctx, namespace, "app", "{}")
		Eventually(status(ctx, app)).Should(And(HaveKeyWithValue("found", "false"), HaveKeyWithValue("size", "x")))

		By("a Katalog that says otherwise")
		result, err := katalog.Parse(katalog.Options{}, "katalog.yaml", []byte(text))
		Expect(err).NotTo(HaveOccurred())
		Expect(o.Engine().Replace(result.Documents[0].Katalog)).To(Succeed())
		Eventually(status(ctx, app)).Should(And(HaveKeyWithValue("found", "true"), HaveKeyWithValue("size", "x4")))

		By("an entry that is gone")
		delete(result.Documents[0].Katalog.Spec.CRDs, "gadgets-"+namespace)
		Expect(o.Engine().Replace(result.Documents[0].Katalog)).To(Succeed())
		Eventually(status(ctx, app)).Should(HaveKeyWithValue("found", "false"))
	}, NodeTimeout(time.Minute))

	It("lets two CRDs read each other, and come to rest", func(ctx context.Context) {
		o := cooperate(ctx, namespace, `
cross: [{crd: gadgets-NS, as: peer}]
status: {fields: [{path: seen, value: "{{ .cross.peer.status.level }}"}, {path: level, value: "{{ .spec.level }}"}]}
`, `
cross: [{crd: apps-NS, as: peer}]
status: {fields: [{path: level, value: "{{ .cross.peer.status.level }}"}]}
`)
		gadget := other("Gadget", namespace, "app", "{}")
		Expect(cluster.Create(ctx, gadget)).To(Succeed())
		app := create(ctx, namespace, "app", "level: low")
		Eventually(status(ctx, app)).Should(HaveKeyWithValue("seen", "low"))
		Expect(o.Settle(ctx)).To(Succeed())
		edit(ctx, app, func(spec map[string]any) { spec["level"] = "high" })
		Eventually(status(ctx, app)).Should(HaveKeyWithValue("seen", "high"))
		Expect(o.Settle(ctx)).To(Succeed())
		cycles := o.Cycles()
		Consistently(func() int { return o.Cycles() }).Should(Equal(cycles))
	}, NodeTimeout(time.Minute))

	It("is there from the first cycle after a start, so that nothing is taken away", func(ctx context.Context) {
		apps, gadgets := `
cross: [{crd: gadgets-NS, as: db}]
onReconcile: {configMaps: [{data: {size: "{{ .cross.db.spec.size }}"}, when: [{field: cross.db.found, equals: "true"}]}]}
`, `{}`
		text := katalogOf2(namespace, apps, gadgets)
		result, err := katalog.Parse(katalog.Options{}, "katalog.yaml", []byte(text))
		Expect(err).NotTo(HaveOccurred())
		first, err := operator.Start(ctx, env.Config(), result.Documents[0].Katalog, namespace)
		Expect(err).NotTo(HaveOccurred())
		Expect(cluster.Create(ctx, other("Gadget", namespace, "app", "size: 4"))).To(Succeed())
		create(ctx, namespace, "app", "{}")
		Eventually(data(ctx, namespace, "app-config")).Should(HaveKeyWithValue("size", "4"))
		Expect(first.Stop()).To(Succeed())

		o := operate(ctx, namespace, text, engine.Options{})
		Eventually(func() int { return o.Cycles() }).Should(BeNumerically(">", 0))
		Expect(o.Settle(ctx)).To(Succeed())
		Expect(o.Take()).NotTo(ContainElement(ContainSubstring("configmaps app-config")))

		By("an entry that starts anew")
		again, err := katalog.Parse(katalog.Options{}, "katalog.yaml", []byte(strings.Replace(text, "operatorBox: # gadgets", "labels: {a: b}\n      operatorBox:", 1)))
		Expect(err).NotTo(HaveOccurred())
		Expect(o.Engine().Replace(again.Documents[0].Katalog)).To(Succeed())
		Expect(o.Settle(ctx)).To(Succeed())
		Expect(o.Take()).NotTo(ContainElement(ContainSubstring("configmaps app-config")))
	}, NodeTimeout(time.Minute))

	It("finds a cluster-scoped resource by its name alone, and lets a reader go whatever becomes of what it reads", func(ctx context.Context) {
		text := strings.ReplaceAll(katalogOf2(namespace, `
cross: [{crd: gadgets-NS, selector: {name: "NS"}, as: realm}]
onReconcile: {configMaps: [{data: {size: "{{ .cross.realm.spec.size }}"}}]}
onDelete: {configMaps: [{name: "{{ .metadata.name }}-{{ .cross.realm.spec.size }}"}]}
`, `{}`), "Gadget, plural: gadgets", "Realm, plural: realms")
		text = strings.Replace(text, "      namespace: "+namespace+" # gadgets\n", "      namespaced: false\n", 1)
		operate(ctx, namespace, text, engine.Options{})
		realm := other("Realm", "", namespace, "size: 7")
		Expect(cluster.Create(ctx, realm)).To(Succeed())
		app := create(ctx, namespace, "app", "{}")
		Eventually(data(ctx, namespace, "app-config")).Should(HaveKeyWithValue("size", "7"))
		Expect(cluster.Delete(ctx, realm)).To(Succeed())
		Expect(cluster.Delete(ctx, app)).To(Succeed())
		Eventually(func() bool { return apierrors.IsNotFound(cluster.Get(ctx, client.ObjectKeyFromObject(app), app)) }).Should(BeTrue())
	}, NodeTimeout(time.Minute))

	It("tells an autoscaler the metrics of another CRD", func(ctx context.Context) {
		o := cooperate(ctx, namespace, `
autoscale:
  interval: 200ms
  conditions: {when: [{field: cross.gadgets-NS.metrics.totalReconciles, greaterThan: "0"}]}
  do: {workers: 9}
`, `{}`)
		Consistently(func() int { return o.State().Capacity.Workers.Value }).Should(Equal(3))
		Expect(cluster.Create(ctx, other("Gadget", namespace, "a", "{}"))).To(Succeed())
		Eventually(func() int { return o.State().Capacity.Workers.Value }).Should(Equal(9))
	}, NodeTimeout(time.Minute))

	// Row 95.
	It("asks another operator with a token, keeps its answers, and tells the last one while it is silent", func(ctx context.Context) {
		far := newNamespace(ctx)
		remote := operate(ctx, far, strings.ReplaceAll(katalogOf2(far, "{}", `status: {fields: [{path: host, value: "{{ .spec.host }}"}]}`), "apps-", "far-"), engine.Options{})
		api := newAPI(remote, "t0ken-at-first")
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "token"}, StringData: map[string]string{"token": "t0ken-at-first"}}
		Expect(cluster.Create(ctx, secret)).To(Succeed())

		dialer, err := reach.New(reach.Options{Allow: []string{"127.0.0.1"}})
		Expect(err).NotTo(HaveOccurred())
		o := operate(ctx, namespace, katalogOf(namespace, "", "", fmt.Sprintf(`
reconciler: {resync: 1s}
cross:
  - crd: gadgets-%s
    as: db
    selector: {name: "{{ .spec.db }}", namespace: %s}
    source: {host: "%s", cacheFor: 1s, auth: {secretRef: {name: token, key: token}}}
status:
  fields:
    - {path: found, value: "{{ .cross.db.found }}"}
    - {path: host, value: "{{ .cross.db.status.host }}"}
    - {path: size, value: "{{ .cross.db.spec.size }}"}
    - {path: password, value: "{{ .cross.db.spec.password }}"}
`, far, far, api.URL)), engine.Options{External: external.Registry{orkv1.ProtocolHTTP: external.NewHTTP(dialer)}})
		app := create(ctx, namespace, "app", "db: main")
		Eventually(status(ctx, app)).Should(HaveKeyWithValue("found", "false"))
		gadget := other("Gadget", far, "main", "{host: a, size: 3, password: secret}")
		Expect(cluster.Create(ctx, gadget)).To(Succeed())
		Eventually(status(ctx, app)).Should(And(
			HaveKeyWithValue("found", "true"), HaveKeyWithValue("host", "a"), HaveKeyWithValue("size", int64(3)), HaveKeyWithValue("password", "<redacted>")))

		By("answers that are kept")
		cycles, asked, begin := o.Cycles(), api.asked.Load(), time.Now()
		Eventually(func() int { return o.Cycles() }).Should(BeNumerically(">", cycles+4))
		Expect(float64(api.asked.Load() - asked)).To(BeNumerically("<=", time.Since(begin).Seconds()+1))

		By("a name that would lead elsewhere")
		evil := create(ctx, namespace, "evil", `db: "../../gadgets-`+far+`/health"`)
		Eventually(status(ctx, evil)).Should(HaveKeyWithValue("found", "false"))
		Expect(api.paths()).To(HaveEach(HavePrefix("/katalog/gadgets-" + far + "/cr/" + far + "/main")))

		By("Defect67: a token that changes")
		api.token.Store(new("t0ken-later"))
		secret.StringData = map[string]string{"token": "t0ken-later"}
		Expect(cluster.Update(ctx, secret)).To(Succeed())
		edit(ctx, gadget, func(spec map[string]any) { spec["host"] = "b" })
		Eventually(status(ctx, app)).Should(HaveKeyWithValue("host", "b"))

		By("an operator that is silent")
		api.Close()
		edit(ctx, gadget, func(spec map[string]any) { spec["host"] = "c" })
		cycles = o.Cycles()
		Eventually(func() int { return o.Cycles() }).Should(BeNumerically(">", cycles+4))
		Consistently(status(ctx, app)).Should(And(HaveKeyWithValue("host", "b"), HaveKeyWithValue("found", "true")))
		Expect(o.State().Health.Failed).To(BeZero(), "no cycle fails")
	}, NodeTimeout(2*time.Minute))
})

// api is the live API of an operator, which counts who asks.
type api struct {
	*httptest.Server
	token atomic.Pointer[string]
	asked atomic.Int64
	seen  atomic.Pointer[[]string]
}

func newAPI(o *operator.Operator, token string) *api {
	a := &api{}
	a.token.Store(&token)
	a.seen.Store(&[]string{})
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.asked.Add(1)
		seen := append(*a.seen.Load(), r.URL.EscapedPath())
		a.seen.Store(&seen)
		o.Engine().Handler(live.Options{Token: *a.token.Load()}).ServeHTTP(w, r)
	}))
	DeferCleanup(a.Close)
	return a
}

func (a *api) paths() []string { return *a.seen.Load() }

// katalogOf2 is a Katalog of the Widgets of a namespace, as apps-<namespace>, and of its Gadgets, as gadgets-<namespace>, each with YAML of its
// box. NS stands for the namespace.
func katalogOf2(namespace, apps, gadgets string) string {
	indent := func(box string) string {
		return strings.ReplaceAll(strings.ReplaceAll("\n"+strings.Trim(box, "\n"), "\n", "\n        "), "NS", namespace)
	}
	box := func(text string) string {
		var declared map[string]any
		Expect(yaml.Unmarshal([]byte(text), &declared)).To(Succeed())
		if declared == nil {
			declared = map[string]any{}
		}
		if _, own := declared["reconciler"]; !own {
			declared["reconciler"] = map[string]any{"resync": "1h"}
		}
		out, err := yaml.Marshal(declared)
		Expect(err).NotTo(HaveOccurred())
		return indent(string(out))
	}
	return fmt.Sprintf(`apiVersion: orkestra.orkspace.io/v1
kind: Katalog
metadata: {name: world}
spec:
  crds:
    apps-%[1]s:
      apiTypes: {group: %[2]s, version: v1, kind: Widget, plural: widgets}
      namespace: %[1]s
      operatorBox: # apps%[3]s
    gadgets-%[1]s:
      apiTypes: {group: %[2]s, version: v1, kind: Gadget, plural: gadgets}
      namespace: %[1]s # gadgets
      operatorBox: # gadgets%[4]s
`, namespace, group, box(apps), box(gadgets))
}

// cooperate starts an operator of both.
func cooperate(ctx context.Context, namespace, apps, gadgets string) *operator.Operator {
	GinkgoHelper()
	return operate(ctx, namespace, katalogOf2(namespace, apps, gadgets), engine.Options{})
}

// other is a resource of another kind than Widget.
func other(kind, namespace, name, spec string) *unstructured.Unstructured {
	GinkgoHelper()
	o := widget(namespace, name, spec)
	o.SetKind(kind)
	if kind == "Realm" {
		o.SetNamespace("")
	}
	return o
}

// latest is a resource as the server has it.
func latest(ctx context.Context, o *unstructured.Unstructured) *unstructured.Unstructured {
	GinkgoHelper()
	found := &unstructured.Unstructured{}
	found.SetGroupVersionKind(o.GroupVersionKind())
	Expect(cluster.Get(ctx, client.ObjectKeyFromObject(o), found)).To(Succeed())
	return found
}

// edit changes the spec of a resource.
func edit(ctx context.Context, o *unstructured.Unstructured, change func(spec map[string]any)) {
	GinkgoHelper()
	Eventually(func() error {
		found := latest(ctx, o)
		spec, _ := found.Object["spec"].(map[string]any)
		change(spec)
		return cluster.Update(ctx, found)
	}).Should(Succeed())
}
