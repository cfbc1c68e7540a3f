package gateway_test

import (
	"context"
	"net/http"
	"os"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/envtest"
	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/definition"
	"github.com/orkestra-runtime/orkestra/gateway/rights"
	"github.com/orkestra-runtime/orkestra/gateway/server"
)

// spread is served to two other clusters, one of which is the suite's own by another way, and to one that is not there.
const spread = `apiVersion: orkestra.orkspace.io/v1
kind: Katalog
metadata: {name: spread}
gateway:
  endpoint: "http://gateway"
  api:
    enabled: true
    auth:
      tokens: [{name: portal, secretRef: {name: portal-token, key: token}}]
  clusters:
    eu: {endpoint: "EU", tokenRef: {name: eu, key: token}, caRef: {name: eu, key: ca.crt}}
    us: {endpoint: "US", secretRef: {name: us, key: kubeconfig}}
    down: {endpoint: "https://127.0.0.1:1", tokenRef: {name: eu, key: token}, caRef: {name: eu, key: ca.crt}}
spec:
  crds:
    page:
      apiTypes: {group: gateway.example.com, version: v1, kind: Page, plural: pages}
      serve:
        enabled: true
        namespace: default
        clusters: [eu, us, down, "{{ .region }}"]
        target:
          page: {primary: true, clusters: ["{{ .region }}"]}
          page-eu: {clusters: [eu]}
          page-both: {clusters: [eu, us]}
          page-partly: {clusters: [eu, down]}
          page-kept: {clusters: [eu], apply: {overrides: {targetConflict: false}}}
        fields:
          title: {}
          region: {gateOnly: true}
`

var _ = Describe("Other clusters", Ordered, func() {
	var (
		other     *envtest.Environment
		remote    client.Client
		portal    *caller
		namespace string
		registry  = prometheus.NewRegistry()
	)
	page := func(name string) *unstructured.Unstructured { return resource("v1", "Page", "default", name, "{}") }
	there := func(ctx context.Context, in client.Client, name string) error {
		return in.Get(ctx, client.ObjectKey{Namespace: "default", Name: name}, page(name))
	}
	absent := Satisfy(apierrors.IsNotFound)
	// token is one of the account that the gateway has in the other cluster.
	token := func(ctx context.Context) []byte {
		GinkgoHelper()
		account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: rights.RemoteNamespace, Name: rights.Name}}
		request := &authenticationv1.TokenRequest{}
		Expect(remote.SubResource("token").Create(ctx, account, request)).To(Succeed())
		return []byte(request.Status.Token)
	}

	BeforeAll(func(ctx SpecContext) {
		var err error
		other, err = envtest.Start(ctx, envtest.Options{StartTimeout: 4 * time.Minute})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func() { Expect(other.Stop()).To(Succeed()) })
		remote, err = client.New(other.Config(), client.Options{Scheme: cluster.Scheme()})
		Expect(err).NotTo(HaveOccurred())
		install(ctx, "Page", "pages")
		Expect(remote.Create(ctx, definition.Open(group, "Page", "pages", "Namespaced"))).To(Succeed())
		Eventually(func() error { return there(ctx, remote, "none") }).Should(absent)
		text := strings.NewReplacer("EU", other.Config().Host, "US", env.Config().Host).Replace(spread)
		katalog := &orkv1.Katalog{}
		Expect(yaml.Unmarshal([]byte(text), katalog)).To(Succeed())
		granted, chosen, err := rights.Remote([]*orkv1.Katalog{katalog})
		Expect(err).NotTo(HaveOccurred())
		Expect(chosen).To(Equal([]string{"page"}))
		for _, one := range granted["eu"] {
			fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(one)
			Expect(err).NotTo(HaveOccurred())
			Expect(remote.Create(ctx, &unstructured.Unstructured{Object: fields})).To(Succeed())
		}
		namespace = newNamespace(ctx)
		kubeconfig, err := os.ReadFile(env.Kubeconfig())
		Expect(err).NotTo(HaveOccurred())
		for name, data := range map[string]map[string][]byte{
			"eu": {"token": token(ctx), "ca.crt": other.Config().CAData}, "us": {"kubeconfig": kubeconfig},
		} {
			Expect(cluster.Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Data: data})).To(Succeed())
		}
		s, _ := serve(ctx, namespace, text, func(o *server.Options) { o.Registerer = registry })
		portal = portalOf(ctx, s, namespace, "portal-token")
	}, NodeTimeout(5*time.Minute))

	It("applies where the intent says, and reads it there", func(ctx SpecContext) {
		code, answer := portal.ask(ctx, http.MethodPost, "/api/v1/apply", `{"target":"page","name":"a","region":"eu","title":"one"}`)
		Expect(code).To(Equal(http.StatusCreated), "%v", answer)
		Expect(answer).To(And(HaveKeyWithValue("accepted", true), HaveKeyWithValue("pollUrl", "/api/v1/resources/page/default/a?cluster=eu"), Not(HaveKey("clusters"))))
		Expect(there(ctx, remote, "a")).To(Succeed())
		Expect(there(ctx, cluster, "a")).To(absent)
		code, read := portal.ask(ctx, http.MethodGet, answer["pollUrl"].(string), "")
		Expect(code).To(Equal(http.StatusOK), "%v", read)
		Expect(read["spec"]).To(Equal(map[string]any{"title": "one"}))
		code, listed := portal.ask(ctx, http.MethodGet, "/api/v1/resources/page/default?cluster=eu", "")
		Expect(code).To(Equal(http.StatusOK))
		Expect(listed["items"]).To(HaveLen(1))
		code, _ = portal.ask(ctx, http.MethodGet, "/api/v1/resources/page/default/a?cluster=us", "")
		Expect(code).To(Equal(http.StatusNotFound))
		code, answer = portal.ask(ctx, http.MethodDelete, "/api/v1/resources/page/default/a?cluster=eu", "")
		Expect(code).To(Equal(http.StatusNoContent), "%v", answer)
		Expect(there(ctx, remote, "a")).To(absent)
	})

	It("Weakness51: refuses an intent that leads nowhere, or to a cluster that there is not", func(ctx SpecContext) {
		for region, says := range map[string]string{"": "leads to no cluster", "moon": `there is no cluster "moon"`} {
			code, answer := portal.ask(ctx, http.MethodPost, "/api/v1/apply", `{"target":"page","name":"b","region":"`+region+`"}`)
			Expect(code).To(Equal(http.StatusBadRequest), "%v", answer)
			Expect(answer["message"]).To(ContainSubstring(says))
		}
		for path, code := range map[string]int{
			"/api/v1/resources/page/default/b?cluster=moon": http.StatusNotFound, "/api/v1/resources/page-eu/default/b?cluster=us": http.StatusNotFound,
		} {
			got, answer := portal.ask(ctx, http.MethodGet, path, "")
			Expect(got).To(Equal(code), "%v", answer)
			Expect(answer["message"]).To(ContainSubstring("there is no cluster"))
		}
	})

	It("applies to several, and reads from the first", func(ctx SpecContext) {
		code, answer := portal.ask(ctx, http.MethodPost, "/api/v1/apply", `{"target":"page-both","name":"c","title":"two"}`)
		Expect(code).To(Equal(http.StatusCreated), "%v", answer)
		Expect(answer).To(And(HaveKeyWithValue("accepted", true), Not(HaveKey("partialSuccess"))))
		Expect(answer["clusters"]).To(HaveExactElements(
			And(HaveKeyWithValue("cluster", "eu"), HaveKeyWithValue("accepted", true), HaveKeyWithValue("pollUrl", "/api/v1/resources/page-both/default/c?cluster=eu")),
			And(HaveKeyWithValue("cluster", "us"), HaveKeyWithValue("accepted", true), HaveKeyWithValue("pollUrl", "/api/v1/resources/page-both/default/c?cluster=us")),
		))
		Expect(there(ctx, remote, "c")).To(Succeed())
		Expect(there(ctx, cluster, "c")).To(Succeed())
		code, answer = portal.ask(ctx, http.MethodDelete, "/api/v1/resources/page-both/default/c", "")
		Expect(code).To(Equal(http.StatusNoContent), "%v", answer)
		Expect(there(ctx, remote, "c")).To(absent)
		Expect(there(ctx, cluster, "c")).To(Succeed())
	})

	It("Weakness30: serves the others while one cannot be reached, and says so", func(ctx SpecContext) {
		code, answer := portal.ask(ctx, http.MethodPost, "/api/v1/apply", `{"target":"page-partly","name":"d"}`)
		Expect(code).To(Equal(http.StatusMultiStatus), "%v", answer)
		Expect(answer).To(And(HaveKeyWithValue("accepted", true), HaveKeyWithValue("partialSuccess", true), HaveKeyWithValue("message", "cluster down: cluster down cannot be reached")))
		Expect(there(ctx, remote, "d")).To(Succeed())
		code, answer = portal.ask(ctx, http.MethodPost, "/api/v1/apply", `{"target":"page","name":"d","region":"down"}`)
		Expect(code).To(Equal(http.StatusServiceUnavailable), "%v", answer)
		Eventually(func() error {
			return testutil.GatherAndCompare(registry, strings.NewReader(`# HELP orkestra_gateway_cluster_reachable 1 for another cluster that answered and took the credential when it was last tried, else 0.
# TYPE orkestra_gateway_cluster_reachable gauge
orkestra_gateway_cluster_reachable{cluster="down"} 0
orkestra_gateway_cluster_reachable{cluster="eu"} 1
orkestra_gateway_cluster_reachable{cluster="us"} 1
`), "orkestra_gateway_cluster_reachable")
		}).Should(Succeed())
	})

	It("Weakness43: keeps a resource on its surface in each cluster", func(ctx SpecContext) {
		code, answer := portal.ask(ctx, http.MethodPost, "/api/v1/apply", `{"target":"page-kept","name":"e"}`)
		Expect(code).To(Equal(http.StatusCreated), "%v", answer)
		code, answer = portal.ask(ctx, http.MethodPost, "/api/v1/apply", `{"target":"page-both","name":"e"}`)
		Expect(code).To(Equal(http.StatusMultiStatus), "%v", answer)
		Expect(answer["clusters"]).To(HaveExactElements(
			And(HaveKeyWithValue("accepted", false), HaveKeyWithValue("message", ContainSubstring("it is of target page-kept"))), HaveKeyWithValue("accepted", true)))
		code, answer = portal.ask(ctx, http.MethodPost, "/api/v1/apply?override=true", `{"target":"page-both","name":"e"}`)
		Expect(code).To(Equal(http.StatusMultiStatus), "%v", answer)
		Expect(answer["clusters"]).To(HaveExactElements(
			And(HaveKeyWithValue("accepted", false), HaveKeyWithValue("message", ContainSubstring("does not let its resources be moved"))), HaveKeyWithValue("accepted", true)))
	})

	It("takes a credential that has changed", func(ctx SpecContext) {
		put := func(value []byte) {
			GinkgoHelper()
			secret := &corev1.Secret{}
			Expect(cluster.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "eu"}, secret)).To(Succeed())
			secret.Data["token"] = value
			Expect(cluster.Update(ctx, secret)).To(Succeed())
		}
		apply := func() int {
			code, _ := portal.ask(ctx, http.MethodPost, "/api/v1/apply", `{"target":"page","name":"f","region":"eu"}`)
			return code
		}
		put([]byte("nobody"))
		Eventually(apply).Should(Equal(http.StatusServiceUnavailable))
		put(token(ctx))
		Eventually(apply).Should(Or(Equal(http.StatusCreated), Equal(http.StatusOK)))
	})
})
