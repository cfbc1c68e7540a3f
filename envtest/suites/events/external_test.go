package events_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/operator"
	"github.com/orkestra-runtime/orkestra/providers/external"
	"github.com/orkestra-runtime/orkestra/providers/reach"
	"github.com/orkestra-runtime/orkestra/runtime/engine"
)

// service is a service outside of the cluster that answers as it is told.
type service struct {
	*httptest.Server
	mu      sync.Mutex // guards the rest
	status  int
	body    string
	seen    []string
	bearers []string
	at      []time.Time
}

func newService() *service {
	s := &service{status: http.StatusOK}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.seen, s.bearers = append(s.seen, r.Method+" "+r.URL.Path), append(s.bearers, r.Header.Get("Authorization"))
		s.at = append(s.at, time.Now())
		w.WriteHeader(s.status)
		_, _ = io.WriteString(w, s.body)
	}))
	DeferCleanup(s.Close)
	return s
}

func (s *service) answer(status int, body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status, s.body = status, body
}

func (s *service) calls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.seen)
}

// times are when it was called.
func (s *service) times() []time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.at)
}

func (s *service) bearer() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.bearers) == 0 {
		return ""
	}
	return s.bearers[len(s.bearers)-1]
}

// calling starts an operator of the Widgets of a namespace whose calls may reach this machine. URL stands in the box for the service.
func calling(ctx context.Context, namespace, entry, box string, s *service, allow ...string) *operator.Operator {
	GinkgoHelper()
	text := katalogOf(namespace, entry, strings.ReplaceAll(box, "URL", s.URL))
	result, err := katalog.Parse(katalog.Options{}, "katalog.yaml", []byte(text))
	Expect(err).NotTo(HaveOccurred(), text)
	dialer, err := reach.New(reach.Options{Allow: allow})
	Expect(err).NotTo(HaveOccurred())
	o, err := operator.StartWith(ctx, env.Config(), engine.Options{
		Katalogs: []*orkv1.Katalog{result.Documents[0].Katalog}, Namespace: namespace, External: external.Registry{orkv1.ProtocolHTTP: external.NewHTTP(dialer)},
	})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(o.Stop()).To(Succeed()) })
	return o
}

const thisMachine = "127.0.0.1"

// statusOf is a field of the status for an Eventually.
func statusOf(ctx context.Context, w *unstructured.Unstructured, field string) func() string {
	return func() string {
		if err := cluster.Get(ctx, client.ObjectKeyFromObject(w), w); err != nil {
			return err.Error()
		}
		text, _, _ := unstructured.NestedString(w.Object, "status", field)
		return text
	}
}

var _ = Describe("an external call", func() {
	It("shows status, body, error and the fields of a JSON answer, cut to 4096 bytes", func(ctx context.Context) {
		namespace, s := newNamespace(ctx), newService()
		s.answer(200, `{"tier":"gold","seats":3,"pad":"`+strings.Repeat("x", 5000)+`"}`)
		calling(ctx, namespace, "", quietResync+`
onReconcile:
  external:
    - {name: plan, url: "URL/plans/{{ .metadata.name }}"}
    - {name: other, url: "URL/tiers/{{ .external.plan.tier }}", when: [{field: spec.other, equals: "true"}]}
  configMaps:
    - name: a
      data:
        tier: "{{ .external.plan.tier }}"
        status: "{{ .external.plan.status }}"
        error: "{{ .external.plan.error }}"
        length: "{{ len .external.plan.body }}"
        called: "{{ .external.plan.called }} {{ .external.other.called }}"
        skipped: "<{{ .external.other.status }}{{ .external.other.body }}>"`, s, thisMachine)
		create(ctx, namespace, "w", "")
		Eventually(data(ctx, namespace, "a")).Should(Equal(map[string]string{
			"tier": "gold", "status": "200", "error": "", "length": "4096", "called": "true false", "skipped": "<>",
		}))
		Expect(counted("orkestra_external_calls_total", namespace, map[string]string{
			"name": "plan", "url": strings.TrimPrefix(s.URL, "http://"), "result": "success",
		})()).To(BeNumerically(">=", 1))
	})

	It("ends the cycle when it fails, and the conditional status tells of it", func(ctx context.Context) {
		namespace, s := newNamespace(ctx), newService()
		s.answer(503, "busy")
		calling(ctx, namespace, "", quietResync+`
onReconcile:
  external: [{name: plan, url: "URL/"}]
  configMaps: [{name: a, data: {plan: "{{ .external.plan.body }}"}}]
status:
  fields: [{path: problem, value: "{{ .external.plan.error }}", when: [{field: external.plan.error, notEquals: ""}], clearOnFalse: true}]`,
			s, thisMachine)
		w := create(ctx, namespace, "w", "")
		Eventually(statusOf(ctx, w, "problem")).Should(Equal("status 503, want 2xx"))
		Expect(readyReason(ctx, w)()).To(Equal(orkv1.ReasonReconcileError))
		Expect(fmt.Sprint(w.Object["status"])).To(ContainSubstring("external calls: plan: status 503, want 2xx"))
		Expect(data(ctx, namespace, "a")()).To(BeNil())
		Expect(counted("orkestra_external_call_errors_total", namespace, map[string]string{
			"name": "plan", "url": strings.TrimPrefix(s.URL, "http://"), "error_type": "http_503",
		})()).To(BeNumerically(">=", 1))

		By("the service is back")
		s.answer(200, "gold")
		Eventually(data(ctx, namespace, "a")).Should(HaveKeyWithValue("plan", "gold"))
		Eventually(statusOf(ctx, w, "problem")).Should(BeEmpty())
	})

	It("lets the cycle go on with continueOnError", func(ctx context.Context) {
		namespace, s := newNamespace(ctx), newService()
		s.answer(503, "busy")
		calling(ctx, namespace, "", quietResync+`
onReconcile:
  external: [{name: plan, url: "URL/", continueOnError: true}]
  configMaps: [{name: a, data: {status: "{{ .external.plan.status }}", body: "{{ .external.plan.body }}"}}]`, s, thisMachine)
		w := create(ctx, namespace, "w", "")
		Eventually(data(ctx, namespace, "a")).Should(Equal(map[string]string{"status": "503", "body": "busy"}))
		Eventually(readyReason(ctx, w)).Should(Equal(orkv1.ReasonReconcileSucceeded))
	})

	It("Defect64: is not made again while its answer is kept, and is for another resource", func(ctx context.Context) {
		namespace, s := newNamespace(ctx), newService()
		o := calling(ctx, namespace, "", quietResync+`
onReconcile:
  external: [{name: plan, url: "URL/{{ .spec.plan }}", cacheFor: 10m}]`, s, thisMachine)
		w := create(ctx, namespace, "w", "plan: a")
		Eventually(readyReason(ctx, w)).Should(Equal(orkv1.ReasonReconcileSucceeded))
		before := o.Cycles()
		patch(ctx, w, `{"spec":{"again":"yes"}}`)
		Expect(o.AwaitCycle(ctx, before)).To(Succeed())
		Expect(s.calls()).To(Equal(1))
		create(ctx, namespace, "v", "plan: b")
		Eventually(s.calls).Should(Equal(2))
	})

	It("is tried again as its retryBackoff says, within one cycle", func(ctx context.Context) {
		namespace, s := newNamespace(ctx), newService()
		s.answer(500, "")
		calling(ctx, namespace, "", quietResync+`
onReconcile:
  external: [{name: plan, url: "URL/", continueOnError: true, retryBackoff: {initial: 10ms, maxAttempts: 3}}]`, s, thisMachine)
		w := create(ctx, namespace, "w", "")
		Eventually(readyReason(ctx, w)).Should(Equal(orkv1.ReasonReconcileSucceeded))
		Expect(s.calls() % 3).To(BeZero())
	})

	It("Defect67: uses a credential that has changed, and never tells it", func(ctx context.Context) {
		namespace, s := newNamespace(ctx), newService()
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "api"}, StringData: map[string]string{"token": "first-s3cret"}}
		Expect(cluster.Create(ctx, secret)).To(Succeed())
		s.answer(401, "first-s3cret is wrong")
		calling(ctx, namespace, "", quietResync+`
onReconcile:
  external: [{name: plan, url: "URL/", auth: {secretRef: {name: api, key: token}}}]
status:
  fields: [{path: said, value: "{{ .external.plan.body }}", when: [{field: external.plan.called, equals: "true"}]}]`, s, thisMachine)
		w := create(ctx, namespace, "w", "")
		Eventually(statusOf(ctx, w, "said")).Should(Equal("[redacted] is wrong"))
		Expect(s.bearer()).To(Equal("Bearer first-s3cret"))
		s.answer(401, "no") // it does not know the old one any more, as we do not
		patch(ctx, secret, `{"stringData":{"token":"second"}}`)
		Eventually(s.bearer).Should(Equal("Bearer second"))
		Expect(cluster.Get(ctx, client.ObjectKeyFromObject(w), w)).To(Succeed())
		Expect(fmt.Sprint(w.Object)).NotTo(ContainSubstring("s3cret"))
	})

	It("Defect98: does not reach the operator's own machine, whatever a resource says", func(ctx context.Context) {
		namespace, s := newNamespace(ctx), newService()
		calling(ctx, namespace, "", quietResync+`
onReconcile:
  external: [{name: plan, url: "{{ .spec.url }}"}]`, s)
		w := create(ctx, namespace, "w", "url: "+s.URL)
		Eventually(readyReason(ctx, w)).Should(Equal(orkv1.ReasonReconcileError))
		Expect(fmt.Sprint(w.Object["status"])).To(ContainSubstring("is loopback, which is refused"))
		Expect(s.calls()).To(BeZero())
	})

	It("decides by a rule what a resource becomes", func(ctx context.Context) {
		namespace, s := newNamespace(ctx), newService()
		s.answer(200, `{"replicas": 3, "limit": 5}`)
		calling(ctx, namespace, strings.ReplaceAll(`
mutation: {external: [{name: defaults, url: "URL/"}], rules: [{field: spec.replicas, default: "{{ .external.defaults.replicas }}"}]}
validation:
  external: [{name: admission, url: "URL/", fires: {reconcile: false}}]
  rules: [{field: spec.replicas, lessThanOrEqual: "{{ .external.defaults.limit }}", message: too many}]`, "URL", s.URL), quietResync+`
onReconcile: {configMaps: [{name: "{{ .metadata.name }}", data: {replicas: "{{ .spec.replicas }}"}}]}`, s, thisMachine)
		create(ctx, namespace, "w", "")
		Eventually(data(ctx, namespace, "w")).Should(HaveKeyWithValue("replicas", "3"))
		v := create(ctx, namespace, "v", "replicas: 6")
		Eventually(readyReason(ctx, v)).Should(Equal(orkv1.ReasonValidationFailed))
	})
})

var _ = Describe("an external call of a gate", func() {
	// Row 39.
	It("has the enqueue gate decide by the answer", func(ctx context.Context) {
		namespace, s := newNamespace(ctx), newService()
		s.answer(200, `{"state":"frozen"}`)
		calling(ctx, namespace, "", quietResync+`
preReconcile:
  enqueueGate: {external: [{name: freeze, url: "URL/{{ .metadata.name }}"}], when: [{field: external.freeze.state, notEquals: frozen}]}
onReconcile: {configMaps: [{name: a, data: {a: b}}]}`, s, thisMachine)
		w := create(ctx, namespace, "w", "")
		Eventually(gate(namespace, "enqueue", "refused")).Should(Equal(1))
		Expect(data(ctx, namespace, "a")()).To(BeNil())
		s.answer(200, `{"state":"open"}`)
		patch(ctx, w, `{"spec":{"a":"b"}}`)
		Eventually(data(ctx, namespace, "a")).ShouldNot(BeNil())
	})

	// Row 39.
	It("has the reconcile gate decide by the answer", func(ctx context.Context) {
		namespace, s := newNamespace(ctx), newService()
		s.answer(200, "frozen")
		o := calling(ctx, namespace, "", quietResync+`
preReconcile:
  reconcileGate: {external: [{name: freeze, url: "URL/"}], when: [{field: external.freeze.body, notEquals: frozen}]}
onReconcile: {configMaps: [{name: a, data: {a: b}}]}`, s, thisMachine)
		w := create(ctx, namespace, "w", "")
		Eventually(gate(namespace, "reconcile", "refused")).Should(Equal(1))
		Expect(o.State().Health.GatedReason).To(Equal(`when: "external.freeze.body" = "frozen", want "not frozen"`))
		s.answer(200, "open")
		patch(ctx, w, `{"spec":{"a":"b"}}`)
		Eventually(data(ctx, namespace, "a")).ShouldNot(BeNil())
	})

	// Row 38.
	DescribeTable("Defect04: follows failPolicy when it fails, shared or not", func(ctx context.Context, gates string, admitted bool, which string) {
		namespace, s := newNamespace(ctx), newService()
		s.answer(503, "")
		calling(ctx, namespace, "", quietResync+"preReconcile: "+gates+"\nonReconcile: {configMaps: [{name: a, data: {a: b}}]}", s, thisMachine)
		create(ctx, namespace, "w", "")
		if admitted {
			Eventually(data(ctx, namespace, "a")).ShouldNot(BeNil())
			return
		}
		Eventually(gate(namespace, which, "refused")).Should(BeNumerically(">=", 1))
		Consistently(data(ctx, namespace, "a")).Should(BeNil())
	},
		Entry("enqueue, shared, open", `{external: [{name: a, url: "URL/"}], enqueueGate: {failPolicy: open}}`, true, "enqueue"),
		Entry("enqueue, shared, closed", `{external: [{name: a, url: "URL/"}], enqueueGate: {failPolicy: closed}}`, false, "enqueue"),
		Entry("enqueue, own, closed", `{enqueueGate: {failPolicy: closed, external: [{name: a, url: "URL/"}]}}`, false, "enqueue"),
		Entry("reconcile, shared, open", `{external: [{name: a, url: "URL/"}], reconcileGate: {when: [{field: external.a.status, equals: "200"}]}}`, true, "reconcile"),
		Entry("reconcile, shared, closed", `{external: [{name: a, url: "URL/"}], reconcileGate: {failPolicy: closed}}`, false, "reconcile"),
	)
})

var _ = DescribeTable("a Katalog with external calls that cannot be", func(entry, box, want string) {
	Expect(problems(katalogOf("w", entry, box))).To(ContainSubstring(want))
},
	Entry("Defect64: another protocol", "", `onReconcile: {external: [{name: a, url: "grpc://a", protocol: grpc}]}`, "reserved"),
	Entry("Defect65: one name twice", "", `onReconcile: {external: [{name: a, url: "http://a"}]}
onCreate: {external: [{name: a, url: "http://a"}]}`, "choose another"),
	Entry("failPolicy", "", `preReconcile: {enqueueGate: {failPolicy: maybe}}`, "open, closed"),
)
