package gateway_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/operator"
	"github.com/orkestra-runtime/orkestra/gateway/liveapi"
	"github.com/orkestra-runtime/orkestra/gateway/server"
	"github.com/orkestra-runtime/orkestra/providers/external"
	"github.com/orkestra-runtime/orkestra/providers/reach"
	"github.com/orkestra-runtime/orkestra/runtime/live"
)

var _ = Describe("Rules that ask others", Ordered, func() {
	const token = "of-the-operator"
	var (
		in string
		// down has the service that is called fail.
		down atomic.Bool
		stop func()
	)
	BeforeAll(func(ctx SpecContext) {
		namespace := newNamespace(ctx)
		in = newNamespace(ctx)
		install(ctx, "Lodge", "lodges")
		plans := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if down.Load() {
				w.WriteHeader(http.StatusInternalServerError)
				return
			}
			_, _ = fmt.Fprintf(w, `{"known": %t}`, r.URL.Path == "/gold")
		}))
		DeferCleanup(plans.Close)
		text := fmt.Sprintf(`apiVersion: orkestra.orkspace.io/v1
kind: Katalog
metadata: {name: lodging}
gateway: {}
security: {webhooks: {admission: {}}}
spec:
  crds:
    lodge:
      apiTypes: {group: %s, version: v1, kind: Lodge, plural: lodges}
      normalize: {spec: {plan: "{{ lower .spec.plan }}"}}
      validation:
        external: [{name: plans, url: "%s/{{ .spec.plan }}", fires: {reconcile: false}}]
        rules:
        - {field: external.plans.known, equals: "true", message: "no such plan: {{ .spec.plan }}", fires: {reconcile: false}}
        - {field: spec.host, operator: unique, message: the host is taken}
        - field: spec.rooms
          max: "3"
          message: not more while nothing fails
          when: [{field: health.consecutiveFails, lessThan: "1"}]
      operatorBox: {onReconcile: {configMaps: [{name: "{{ .metadata.name }}"}]}}
`, group, plans.URL)
		result, err := katalog.Parse(katalog.Options{Env: func(string) string { return "" }}, "katalog.yaml", []byte(text))
		Expect(err).NotTo(HaveOccurred())
		o, err := operator.Start(ctx, env.Config(), result.Documents[0].Katalog, namespace)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func() { Expect(o.Stop()).To(Succeed()) })
		api := httptest.NewServer(o.Engine().Handler(live.Options{Token: token, Written: func(k *orkv1.Katalog) *orkv1.Katalog { return k }}))
		stop = api.Close
		DeferCleanup(stop)
		asks, err := liveapi.New(liveapi.Options{URL: api.URL, Token: token, KeepFor: 1})
		Expect(err).NotTo(HaveOccurred())
		dialer, err := reach.New(reach.Options{Allow: []string{"127.0.0.1"}})
		Expect(err).NotTo(HaveOccurred())
		serve(ctx, namespace, text, func(opts *server.Options) {
			opts.Runtime, opts.External = asks, external.Registry{orkv1.ProtocolHTTP: external.NewHTTP(dialer)}
		})
		// The server learns of a configuration a moment after it is stored.
		Eventually(func() error {
			return cluster.Create(ctx, resource("v1", "Lodge", in, "probe", "{plan: none}"), client.DryRunAll)
		}).Should(MatchError(ContainSubstring("no such plan")))
	})

	It("answer by what a service says, and deny when it says nothing", func(ctx SpecContext) {
		Expect(cluster.Create(ctx, resource("v1", "Lodge", in, "called", "{plan: GOLD, host: called}"))).To(Succeed(), "a rule reads the form of a cycle")
		Expect(cluster.Create(ctx, resource("v1", "Lodge", in, "unknown", "{plan: iron}"))).To(MatchError(ContainSubstring("no such plan: iron")))
		down.Store(true)
		DeferCleanup(func() { down.Store(false) })
		Expect(cluster.Create(ctx, resource("v1", "Lodge", in, "failed", "{plan: gold}"))).To(
			MatchError(And(ContainSubstring("can't be validated: external calls: plans"), ContainSubstring("500"))))
	})

	// Row 31.
	It("deny a value that another resource has, and let it keep its own", func(ctx SpecContext) {
		first := resource("v1", "Lodge", in, "first", "{plan: gold, host: taken}")
		Expect(cluster.Create(ctx, first)).To(Succeed())
		Eventually(func() error {
			return cluster.Create(ctx, resource("v1", "Lodge", in, "second", "{plan: gold, host: taken}"), client.DryRunAll)
		}).Should(MatchError(ContainSubstring("the host is taken")), "as soon as the operator knows of it")
		Expect(cluster.Patch(ctx, first, client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"rooms":2}}`)))).To(Succeed())
	})

	It("read how the CRD is doing, and deny when nobody tells", func(ctx SpecContext) {
		Expect(cluster.Create(ctx, resource("v1", "Lodge", in, "large", "{plan: gold, host: large, rooms: 7}"))).To(
			MatchError(ContainSubstring("not more while nothing fails")))
		stop()
		Eventually(func() string {
			err := cluster.Create(ctx, resource("v1", "Lodge", in, "small", "{plan: gold, host: small, rooms: 1}"), client.DryRunAll)
			return strings.TrimSpace(fmt.Sprint(err))
		}).Should(ContainSubstring("the operator does not tell health and metrics"))
	})
})
