package events_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/envtest"
	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/definition"
	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/requests"
	"github.com/orkestra-runtime/orkestra/providers/external"
	"github.com/orkestra-runtime/orkestra/providers/reach"
	"github.com/orkestra-runtime/orkestra/runtime/engine"
	"github.com/orkestra-runtime/orkestra/runtime/live"
)

const liveGroup = "live.example.com"

// liveKatalog has a CRD that is shown, one that is hidden, and one whose health is.
const liveKatalog = `
apiVersion: orkestra.orkspace.io/v1
kind: Katalog
metadata: {name: live, version: 1.0.0, description: Shows itself}
spec:
  crds:
    shown:
      apiTypes: {group: live.example.com, version: v1, kind: Shown, plural: showns}
      validation: {rules: [{field: spec.forbidden, operator: notEquals, value: "yes", message: not that, action: deny}]}
      operatorBox:
        reconciler: {resync: 2s}
        onReconcile:
          configMaps:
            - {name: "{{ .metadata.name }}", namespace: '{{ default .metadata.namespace .spec.in }}', data: {a: "1"}}
            - {name: "{{ .metadata.name }}-when-healthy", data: {a: "1"}, when: [{field: health.state, equals: healthy}]}
          secrets:
            - {name: "{{ .metadata.name }}", data: {password: hunter2}}
    hidden:
      apiTypes: {group: live.example.com, version: v1, kind: Hidden, plural: hiddens}
      endpoints: {enabled: false}
      operatorBox: {onReconcile: {configMaps: [{name: "{{ .metadata.name }}", namespace: '{{ default .metadata.namespace .spec.in }}'}]}}
`

// liveOperator is an engine whose live API is at an address of its own.
type liveOperator struct {
	requests.Recorder
	engine  *engine.Engine
	address string
	stop    func()
}

func startLive(ctx context.Context) *liveOperator {
	GinkgoHelper()
	return startLiveWith(ctx, liveKatalog, live.Options{})
}

// startLiveWith starts an engine of another Katalog of the same kinds, whose live API has options. External calls may reach this machine.
func startLiveWith(ctx context.Context, text string, opts live.Options) *liveOperator {
	GinkgoHelper()
	for _, kind := range []string{"Shown", "Hidden"} {
		Expect(envtest.InstallCRDs(ctx, env.Config(), definition.Open(liveGroup, kind, strings.ToLower(kind)+"s", apiextensionsv1.NamespaceScoped))).To(Succeed())
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	Expect(err).NotTo(HaveOccurred())
	o := &liveOperator{address: listener.Addr().String()}
	Expect(listener.Close()).To(Succeed())

	result, err := katalog.Parse(katalog.Options{}, "katalog.yaml", []byte(text))
	Expect(err).NotTo(HaveOccurred(), text)
	cfg := env.Config()
	cfg.Wrap(o.Wrap)
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{
		Metrics: metricsserver.Options{BindAddress: o.address}, Controller: config.Controller{SkipNameValidation: new(true)},
	})
	Expect(err).NotTo(HaveOccurred())
	dialer, err := reach.New(reach.Options{Allow: []string{thisMachine}})
	Expect(err).NotTo(HaveOccurred())
	o.engine, err = engine.New(mgr, engine.Options{
		Katalogs: []*orkv1.Katalog{result.Documents[0].Katalog}, Namespace: "default", External: external.Registry{orkv1.ProtocolHTTP: external.NewHTTP(dialer)},
	})
	Expect(err).NotTo(HaveOccurred())
	opts.Written = func(*orkv1.Katalog) *orkv1.Katalog { return result.Documents[0].Written }
	Expect(mgr.AddMetricsServerExtraHandler("/", o.engine.Handler(opts))).To(Succeed())

	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan error, 1)
	go func() { done <- mgr.Start(running) }()
	o.stop = sync.OnceFunc(func() {
		cancel()
		Eventually(done, 30*time.Second).Should(Receive(BeNil()))
	})
	DeferCleanup(o.stop)
	Eventually(func() (running bool) {
		running = true
		for _, state := range o.engine.States() {
			running = running && state.Running
		}
		return running
	}, 20*time.Second, 50*time.Millisecond).Should(BeTrue())
	return o
}

// get asks the live API, and returns the code and what the answer says.
func (o *liveOperator) get(path string) (int, map[string]any) {
	GinkgoHelper()
	status, text := o.text(path)
	var body map[string]any
	Expect(json.Unmarshal([]byte(text), &body)).To(Succeed(), text)
	return status, body
}

func (o *liveOperator) text(path string) (int, string) {
	GinkgoHelper()
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "http://"+o.address+path, http.NoBody)
	Expect(err).NotTo(HaveOccurred())
	response, err := http.DefaultClient.Do(request)
	Expect(err).NotTo(HaveOccurred())
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	Expect(err).NotTo(HaveOccurred())
	return response.StatusCode, string(body)
}

func (o *liveOperator) code(path string) func() int {
	return func() int {
		status, _ := o.text(path)
		return status
	}
}

// makeLive creates a resource. The server holds objects of a new definition back for a moment.
func makeLive(ctx context.Context, kind, space, name string, spec map[string]any) *unstructured.Unstructured {
	GinkgoHelper()
	object := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	object.SetGroupVersionKind(schema.GroupVersionKind{Group: liveGroup, Version: "v1", Kind: kind})
	object.SetNamespace(space)
	object.SetName(name)
	hand, err := client.New(env.Config(), client.Options{})
	Expect(err).NotTo(HaveOccurred())
	Eventually(func() error { return hand.Create(ctx, object) }, 10*time.Second, 100*time.Millisecond).Should(Succeed())
	DeferCleanup(func(ctx context.Context) { // others count those of the kind
		gone := object.DeepCopy()
		Expect(client.IgnoreNotFound(hand.Delete(ctx, gone))).To(Succeed())
		Expect(client.IgnoreNotFound(hand.Patch(ctx, gone, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))))).To(Succeed())
	})
	return object
}

var _ = Describe("The live API", func() {
	// Rows 111, 115, 116, 118 and 119.
	It("tells what the operator does, and what gates read of it is the same", func(ctx SpecContext) {
		o := startLive(ctx)
		space := newNamespace(ctx)
		health := "/katalog/shown/health"

		By("answering before there is a resource")
		status, body := o.get(health)
		Expect(status).To(Equal(200))
		Expect(body).To(And(HaveKeyWithValue("state", "pending"), HaveKeyWithValue("lastReconcile", "no reconciles yet"), HaveKeyWithValue("isKonductor", true)))

		By("a gate on health.state, which passes in the cycle after the first success")
		good := makeLive(ctx, "Shown", space, "good", map[string]any{"password": "hunter2"})
		Eventually(func() error {
			return cluster.Get(ctx, client.ObjectKey{Namespace: space, Name: "good-when-healthy"}, &corev1.ConfigMap{})
		}, 10*time.Second, 50*time.Millisecond).Should(Succeed())
		Eventually(o.code("/ready"), 5*time.Second).Should(Equal(200))
		_, body = o.get(health)
		Expect(body).To(And(HaveKeyWithValue("state", "healthy"), HaveKeyWithValue("readyCount", 1.0), HaveKeyWithValue("resourceCount", 1.0)))

		By("Defect53: an idle resource, which is looked at every two seconds and never written")
		cycles := func() float64 {
			_, body := o.get(health)
			return body["totalReconciles"].(float64)
		}
		before := cycles()
		Eventually(cycles, 10*time.Second, 100*time.Millisecond).Should(BeNumerically(">", before))
		o.Take()
		before = cycles()
		Eventually(cycles, 10*time.Second, 100*time.Millisecond).Should(BeNumerically(">", before+1))
		Expect(o.Take()).To(BeEmpty(), "also nothing was read: the answers come from memory")

		By("degrading with 503 at the fifth failure in a row, and telling it on the resources")
		bad := makeLive(ctx, "Shown", space, "bad", map[string]any{"in": "nowhere"})
		Eventually(o.code(health), 10*time.Second, 20*time.Millisecond).Should(Equal(503))
		_, body = o.get(health)
		Expect(body["consecutiveFails"]).To(BeNumerically(">=", 5))
		Expect(body["lastError"]).To(ContainSubstring("nowhere"))
		_, summary := o.get("/katalog")
		Expect(summary).To(And(HaveKeyWithValue("healthy", false), HaveKeyWithValue("status", 503.0), HaveKeyWithValue("totalDegraded", 1.0)))
		told := func(of *unstructured.Unstructured) func() string {
			return func() string {
				stored := of.DeepCopy()
				if err := cluster.Get(ctx, client.ObjectKeyFromObject(of), stored); err != nil {
					return err.Error()
				}
				return stored.GetAnnotations()[orkv1.AnnotationHealth]
			}
		}
		Eventually(told(bad), 5*time.Second).Should(ContainSubstring(`"state":"degraded"`))
		Eventually(told(good), 5*time.Second).Should(ContainSubstring(`"state":"degraded"`))

		By("Defect79: recovering with one success")
		Expect(cluster.Patch(ctx, bad, client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"in":null}}`)))).To(Succeed())
		Eventually(o.code(health), 10*time.Second, 20*time.Millisecond).Should(Equal(200))
		Eventually(told(good), 5*time.Second).Should(ContainSubstring(`"state":"healthy"`))
		_, body = o.get(health)
		Expect(body["lastError"]).To(ContainSubstring("nowhere"), "what went wrong is kept")

		By("telling of a resource, its children and its Events")
		_, body = o.get("/katalog/shown/cr?field=spec.password")
		Expect(body["items"]).To(HaveLen(2))
		Expect(fmt.Sprint(body["items"])).To(ContainSubstring("<redacted>"))
		_, body = o.get("/katalog/shown/cr/" + space + "/good")
		Expect(body).To(HaveKeyWithValue("ready", true))
		Expect(body["children"]).To(And(HaveKeyWithValue("ConfigMap", HaveLen(2)), HaveKeyWithValue("Secret", HaveLen(1))))
		Eventually(func() string {
			_, text := o.text("/katalog/shown/cr/" + space + "/bad/events")
			return text
		}, 10*time.Second, 100*time.Millisecond).Should(And(ContainSubstring(`"ReconcileError"`), ContainSubstring(`"Reconciled"`)))

		By("not telling of a CRD whose endpoints are off, nor on its resources")
		hidden := makeLive(ctx, "Hidden", space, "hidden", map[string]any{"in": "nowhere"})
		for _, path := range []string{"", "/health", "/cr", "/raw", "/enriched", "/cr/" + space + "/hidden"} {
			status, body := o.get("/katalog/hidden" + path)
			Expect(status).To(Equal(404), path)
			Expect(body).To(HaveKeyWithValue("reason", "EndpointDisabled"), path)
		}
		Eventually(func() string {
			_, body := o.get("/katalog")
			return fmt.Sprint(body["degradedReason"])
		}, 10*time.Second).Should(HavePrefix("hidden is degraded"))
		Expect(told(hidden)()).To(BeEmpty())

		By("counting under the names of the contract")
		_ = makeLive(ctx, "Shown", space, "denied", map[string]any{"forbidden": "yes"})
		Eventually(func() string {
			_, text := o.text("/metrics")
			return text
		}, 10*time.Second, 200*time.Millisecond).Should(And(
			ContainSubstring(`controller_reconcile_total{crd="shown",result="error"}`),
			ContainSubstring(`controller_reconcile_duration_seconds_bucket{crd="shown"`),
			ContainSubstring(`controller_resource_count{crd="shown"} 3`),
			ContainSubstring(`controller_queue_depth{crd="shown"}`),
			ContainSubstring(`controller_workers_active{crd="shown"}`),
			MatchRegexp(`controller_crd_activation_total\{crd="shown",result="success"\} [1-9]`),
			MatchRegexp(`controller_crd_activation_latency_seconds_count\{crd="shown"\} [1-9]`),
			MatchRegexp(`controller_validation_total\{crd="shown",result="rejected"\} [1-9]`),
			MatchRegexp(`controller_validation_rejected_total\{crd="shown",field="spec.forbidden",rule="[^"]+"\} [1-9]`),
		))
		_, query := o.get("/api/v1/query?query=controller_resource_count")
		Expect(query).To(HaveKeyWithValue("status", "success"))

		By("Defect99: showing no secret anywhere")
		for _, path := range []string{
			"/katalog", "/katalog/raw", "/katalog/enriched", "/katalog/shown", health, "/katalog/shown/raw", "/katalog/shown/enriched",
			"/katalog/shown/cr", "/katalog/shown/cr?field=spec", "/katalog/shown/cr/" + space + "/good",
		} {
			_, text := o.text(path)
			Expect(text).NotTo(ContainSubstring("hunter2"), path)
		}

		By("ending the series of a CRD that the Katalog has no more")
		result, err := katalog.Parse(katalog.Options{}, "katalog.yaml", []byte(liveKatalog))
		Expect(err).NotTo(HaveOccurred())
		next := result.Documents[0].Katalog
		delete(next.Spec.CRDs, "hidden")
		Expect(o.engine.Replace(next)).To(Succeed())
		_, text := o.text("/metrics")
		Expect(text).NotTo(ContainSubstring(`crd="hidden"`))
		Expect(text).To(ContainSubstring(`crd="shown"`))
		status, body = o.get("/katalog/hidden")
		Expect(status).To(Equal(404))
		Expect(body).To(HaveKeyWithValue("reason", "NotFound"))
	}, SpecTimeout(3*time.Minute))

	It("takes its series along when the engine ends and the process goes on", func(ctx context.Context) {
		o := startLive(ctx)
		series := func() string {
			families, err := ctrlmetrics.Registry.Gather()
			Expect(err).NotTo(HaveOccurred())
			return fmt.Sprint(families)
		}
		Expect(series()).To(And(ContainSubstring(`"shown"`), ContainSubstring(`"hidden"`)))
		o.stop()
		Expect(series()).NotTo(Or(ContainSubstring(`"shown"`), ContainSubstring(`"hidden"`)))
	}, SpecTimeout(time.Minute))
})
