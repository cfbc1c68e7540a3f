package gateway_test

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"strings"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/gateway/registration"
	"github.com/orkestra-runtime/orkestra/gateway/rights"
	"github.com/orkestra-runtime/orkestra/gateway/server"
)

// bound is a Katalog that needs every right that there is.
func bound(elsewhere string) string {
	return fmt.Sprintf(`apiVersion: orkestra.orkspace.io/v1
kind: Katalog
metadata: {name: bound}
gateway:
  endpoint: "http://gateway"
  api:
    enabled: true
    auth:
      tokens:
      - {name: portal, secretRef: {name: bound-token, key: token, rotateAfter: 90d}}
      - {name: other, secretRef: {name: bound-other, namespace: %[1]s, key: token}}
      - {name: builder, serviceAccount: {allow: {namespace: %[1]s}}}
security:
  webhooks: {admission: {enabled: true}, cleanupOnShutdown: true}
  conversion: {enabled: true}
  deletionProtection: {enabled: true, strictMode: true, cleanupOnShutdown: true}
  namespaceProtection: {enabled: true, cleanupOnShutdown: true}
  provenance: {enforce: true}
spec:
  crds:
    bound:
      apiTypes: {group: gateway.example.com, version: v1, kind: Bound, plural: bounds}
      restrictedNamespaces: [kube-public]
      mutation:
        rules: [{field: spec.size, default: 1}]
      validation:
        rules: [{field: spec.size, max: "5", message: at most 5}]
      conversion:
        storageVersion: v1
        updateCRD: true
        paths:
        - {from: v1, to: v2, passthrough: true, spec: {size: "{{ .spec.size }}"}}
        - {from: v2, to: v1, passthrough: true, spec: {size: "{{ .spec.size }}"}}
      serve:
        enabled: true
        namespace: '{{ .team }}'
        target: {bound: {primary: true}}
        fields: {size: {path: size, type: integer}}
        labels: {team: {label: Team}}
`, elsewhere)
}

// forbidden notes which requests were refused.
type forbidden struct {
	next http.RoundTripper
	mu   sync.Mutex // guards seen
	seen []string
}

func (f *forbidden) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := f.next.RoundTrip(r)
	if err == nil && response.StatusCode == http.StatusForbidden {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.seen = append(f.seen, r.Method+" "+r.URL.String())
	}
	return response, err //nolint:wrapcheck // as it came
}

func (f *forbidden) requests() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.seen
}

var _ = Describe("The gateway's rights", func() {
	It("Weakness09: are enough for all that it does, and no more", func(ctx SpecContext) {
		namespace, team := newNamespace(ctx), newNamespace(ctx)
		crd := plans()
		crd.Name, crd.Spec.Names = "bounds."+group, apiextensionsv1.CustomResourceDefinitionNames{Kind: "Bound", Plural: "bounds", ListKind: "BoundList"}
		Expect(cluster.Create(ctx, crd)).To(Succeed())
		text := bound(team)
		loaded, err := katalog.Parse(katalog.Options{Gateway: true}, "katalog.yaml", []byte(text))
		Expect(err).NotTo(HaveOccurred())
		opts := rights.Options{Namespace: namespace}
		granted, err := rights.Of([]*orkv1.Katalog{loaded.Documents[0].Katalog}, opts)
		Expect(err).NotTo(HaveOccurred())
		for _, one := range granted.Objects(opts) {
			object := one.(client.Object)
			Expect(cluster.Create(ctx, object)).To(Succeed())
			DeferCleanup(func(ctx SpecContext) { Expect(client.IgnoreNotFound(cluster.Delete(ctx, object))).To(Succeed()) })
		}
		refused := &forbidden{}
		cfg := rest.CopyConfig(env.Config())
		cfg.Impersonate = rest.ImpersonationConfig{
			UserName: "system:serviceaccount:" + namespace + ":" + rights.Name, Groups: []string{"system:serviceaccounts", "system:authenticated"},
		}
		cfg.Wrap(func(next http.RoundTripper) http.RoundTripper {
			refused.next = next
			return refused
		})
		s := newService()
		one := startAs(ctx, cfg, s, namespace, text, func(o *server.Options) { o.Pod = "a" })
		s.put(one.address)

		By("admission, conversion and repair")
		Eventually(func() error {
			return cluster.Create(ctx, resource("v2", "Bound", team, "probe", "{size: 9}"), client.DryRunAll)
		}).Should(MatchError(ContainSubstring("at most 5")))
		validation := &admissionregistrationv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: registration.AdmissionValidation}}
		Expect(cluster.Delete(ctx, validation)).To(Succeed())
		Eventually(func() error { return cluster.Get(ctx, client.ObjectKeyFromObject(validation), validation) }, "5s").Should(Succeed())
		secret := &corev1.Secret{}
		read := func(in, name string) error {
			return cluster.Get(ctx, client.ObjectKey{Namespace: in, Name: name}, secret)
		}
		Expect(read(namespace, orkv1.SecretTLS)).To(Succeed())
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(secret.Data["ca.crt"])
		Expect(cluster.Delete(ctx, secret)).To(Succeed())
		Eventually(func() error { return read(namespace, orkv1.SecretTLS) }, "5s").Should(Succeed())

		By("the API, with each kind of token")
		Expect(read(team, "bound-other")).To(Succeed())
		Expect(cluster.Delete(ctx, secret)).To(Succeed())
		Eventually(func() error { return read(team, "bound-other") }, "5s").Should(Succeed(), "of another namespace, and watched there")
		asked := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{Audiences: []string{orkv1.DefaultAudience}}}
		account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: team, Name: "builder"}}
		Expect(cluster.Create(ctx, account)).To(Succeed())
		Expect(cluster.SubResource("token").Create(ctx, account, asked)).To(Succeed())
		Expect(read(namespace, "bound-token")).To(Succeed())
		transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS13}, DisableKeepAlives: true}
		for i, token := range []string{string(secret.Data["token"]), asked.Status.Token} {
			c := &caller{http: &http.Client{Transport: transport}, url: s.url(), token: token}
			at := fmt.Sprintf("/api/v1/resources/bound/%s/c%d", team, i)
			for _, request := range []struct {
				method, path, body string
				want               int
			}{
				{http.MethodPost, "/api/v1/apply", fmt.Sprintf(`{"target":"bound","name":"c%d","team":%q,"size":2}`, i, team), http.StatusCreated},
				{http.MethodPost, "/api/v1/apply", fmt.Sprintf(`{"target":"bound","name":"c%d","team":%q,"size":3}`, i, team), http.StatusOK},
				{http.MethodGet, at, "", http.StatusOK},
				{http.MethodGet, "/api/v1/resources/bound/" + team, "", http.StatusOK},
				{http.MethodGet, "/api/v1/raw-schema?kind=Bound", "", http.StatusOK},
				{http.MethodDelete, at, "", http.StatusNoContent},
			} {
				code, answer := c.ask(ctx, request.method, request.path, request.body)
				Expect(code).To(Equal(request.want), "%s %s: %v", request.method, request.path, answer)
			}
		}

		By("the end")
		one.stop()
		Expect(cluster.Get(ctx, client.ObjectKeyFromObject(validation), validation)).To(Satisfy(apierrors.IsNotFound))
		Expect(read(namespace, orkv1.SecretTLS)).To(Satisfy(apierrors.IsNotFound))
		Expect(refused.requests()).To(BeEmpty())

		By("what it may not do")
		gate, err := client.New(cfg, client.Options{Scheme: cluster.Scheme()})
		Expect(err).NotTo(HaveOccurred())
		Expect(gate.List(ctx, &corev1.SecretList{}, client.InNamespace(namespace))).To(Satisfy(apierrors.IsForbidden))
		Expect(gate.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "default"}, &corev1.Secret{})).To(Satisfy(apierrors.IsForbidden))
		Expect(gate.List(ctx, &corev1.PodList{})).To(Satisfy(apierrors.IsForbidden))
		Expect(strings.Join(refused.requests(), " ")).To(ContainSubstring("/pods"))

		// The definition points to a gateway that is gone: nothing could be listed any more, and no namespace could go.
		Expect(cluster.Delete(ctx, crd)).To(Succeed())
	})
})
