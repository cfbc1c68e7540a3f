package gateway_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net/http"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/definition"
)

// offered has one kind in two groups, and one without a namespace.
const offered = `apiVersion: orkestra.orkspace.io/v1
kind: Katalog
metadata: {name: offered}
gateway:
  endpoint: "http://gateway"
  api: {enabled: true, auth: {tokens: [{name: portal, secretRef: {name: portal-token, key: token}}]}}
spec:
  crds:
    ticket:
      apiTypes: {group: gateway.example.com, version: v1, kind: Ticket, plural: tickets}
      serve: {enabled: true, namespace: '{{ .team }}', fields: {seat: {}}, labels: {team: {}}}
    other-ticket:
      apiTypes: {group: other.example.com, version: v1, kind: Ticket, plural: tickets}
      serve: {enabled: true, namespace: '{{ .team }}', target: other-ticket, labels: {team: {}}}
    zone:
      apiTypes: {group: gateway.example.com, version: v1, kind: Zone, plural: zones}
      namespaced: false
      serve: {enabled: true, fields: {region: {}}}
`

// portalOf is a caller of the API of the gateways of a namespace, which have answered.
func portalOf(ctx context.Context, s *service, namespace, name string) *caller {
	GinkgoHelper()
	secret := &corev1.Secret{}
	read := func(name, key string) []byte {
		Eventually(func() error { return cluster.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, secret) }).Should(Succeed())
		return secret.Data[key]
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(read(orkv1.SecretTLS, "ca.crt"))
	c := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS13}, DisableKeepAlives: true}}
	found := &caller{c, s.url(), string(read(name, "token"))}
	for range 10 { // each replica
		Eventually(func() (int, error) { // one that has no certificate yet answers nothing
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url()+"/api/v1/schema", http.NoBody)
			if err != nil {
				return 0, err
			}
			request.Header.Set("Authorization", "Bearer "+string(read(name, "token")))
			response, err := c.Do(request)
			if err != nil {
				return 0, err
			}
			return response.StatusCode, response.Body.Close()
		}).Should(BeElementOf(http.StatusOK, http.StatusForbidden))
	}
	return found
}

var _ = Describe("What is offered", Ordered, func() {
	var portal *caller
	var team string
	BeforeAll(func(ctx SpecContext) {
		install(ctx, "Ticket", "tickets")
		for _, one := range []*apiextensionsv1.CustomResourceDefinition{
			definition.Open("other.example.com", "Ticket", "tickets", apiextensionsv1.NamespaceScoped),
			definition.Open(group, "Zone", "zones", apiextensionsv1.ClusterScoped),
		} {
			Expect(cluster.Create(ctx, one)).To(Succeed())
		}
		team = newNamespace(ctx)
		namespace := newNamespace(ctx)
		s, _ := serve(ctx, namespace, offered)
		portal = portalOf(ctx, s, namespace, "portal-token")
	})

	It("Weakness44: takes, tells and deletes what has no namespace", func(ctx SpecContext) {
		var code int
		var answer map[string]any
		Eventually(func() int {
			code, answer = portal.ask(ctx, http.MethodPost, "/api/v1/apply", `{"target":"zone","name":"north","region":"eu"}`)
			return code
		}).Should(BeElementOf(http.StatusCreated, http.StatusOK), "%v", answer)
		Expect(answer).To(HaveKeyWithValue("pollUrl", "/api/v1/resources/zone/-/north"))
		code, answer = portal.ask(ctx, http.MethodGet, "/api/v1/resources/zone/-/north", "")
		Expect(code).To(Equal(http.StatusOK), "%v", answer)
		Expect(answer["spec"]).To(Equal(map[string]any{"region": "eu"}))
		code, answer = portal.ask(ctx, http.MethodGet, "/api/v1/resources/Zone/-", "")
		Expect(code).To(Equal(http.StatusOK), "%v", answer)
		Expect(answer["items"]).To(HaveLen(1))
		code, _ = portal.ask(ctx, http.MethodGet, "/api/v1/resources/zone/"+team+"/north", "")
		Expect(code).To(Equal(http.StatusBadRequest))
		code, _ = portal.ask(ctx, http.MethodDelete, "/api/v1/resources/zone/-/north", "")
		Expect(code).To(Equal(http.StatusNoContent))
	})

	It("Weakness45: tells two kinds of one name apart by their groups", func(ctx SpecContext) {
		for _, api := range []string{group, "other.example.com"} {
			body := `{"apiVersion":"` + api + `/v1","kind":"Ticket","metadata":{"name":"same","namespace":"` + team + `"},"spec":{"team":"` + team + `"}}`
			var code int
			var answer map[string]any
			Eventually(func() int {
				code, answer = portal.ask(ctx, http.MethodPost, "/api/v1/apply", body)
				return code
			}).Should(BeElementOf(http.StatusCreated, http.StatusOK), "%v", answer)
			Expect(answer).To(HaveKeyWithValue("apiVersion", api+"/v1"))
			found := &unstructured.Unstructured{}
			found.SetGroupVersionKind(schema.GroupVersionKind{Group: api, Version: "v1", Kind: "Ticket"})
			Expect(cluster.Get(ctx, client.ObjectKey{Namespace: team, Name: "same"}, found)).To(Succeed())
		}
		code, answer := portal.ask(ctx, http.MethodPost, "/api/v1/apply", `{"apiVersion":"third.example.com/v1","kind":"Ticket","metadata":{"name":"same","namespace":"`+team+`"}}`)
		Expect(code).To(Equal(http.StatusBadRequest), "%v", answer)
	})

	It("Weakness47: answers a field of each resource of a list", func(ctx SpecContext) {
		for name, seat := range map[string]string{"one": "1a", "two": "2b"} {
			code, answer := portal.ask(ctx, http.MethodPost, "/api/v1/apply", `{"target":"ticket","name":"`+name+`","team":"`+team+`","seat":"`+seat+`"}`)
			Expect(code).To(BeElementOf(http.StatusCreated, http.StatusOK), "%v", answer)
		}
		code, answer := portal.ask(ctx, http.MethodGet, "/api/v1/resources/ticket/"+team+"?field=spec.seat", "")
		Expect(code).To(Equal(http.StatusOK))
		Expect(answer["items"]).To(ContainElements(
			map[string]any{"name": "one", "field": "spec.seat", "value": "1a"}, map[string]any{"name": "two", "field": "spec.seat", "value": "2b"}))
		code, answer = portal.ask(ctx, http.MethodGet, "/api/v1/resources/ticket/"+team+"/one?field="+`metadata.annotations%5B%22`+orkv1.AnnotationServeTarget+`%22%5D`, "")
		Expect(code).To(Equal(http.StatusOK), "%v", answer)
		Expect(answer["value"]).To(Equal("ticket"))
	})

	It("Weakness42: takes a field from another manager only when it is asked to", func(ctx SpecContext) {
		intent := `{"target":"ticket","name":"held","team":"` + team + `","seat":"3c"}`
		code, answer := portal.ask(ctx, http.MethodPost, "/api/v1/apply", intent)
		Expect(code).To(Equal(http.StatusCreated), "%v", answer)
		theirs := resource("v1", "Ticket", team, "held", "{seat: 9z}")
		Expect(cluster.Apply(ctx, client.ApplyConfigurationFromUnstructured(theirs), client.FieldOwner("them"), client.ForceOwnership)).To(Succeed())
		code, answer = portal.ask(ctx, http.MethodPost, "/api/v1/apply", intent)
		Expect(code).To(Equal(http.StatusConflict), "%v", answer)
		seat := func() any {
			_, answer := portal.ask(ctx, http.MethodGet, "/api/v1/resources/ticket/"+team+"/held?field=spec.seat", "")
			return answer["value"]
		}
		Expect(seat()).To(Equal("9z"))
		code, answer = portal.ask(ctx, http.MethodPost, "/api/v1/apply?overwrite=true", intent)
		Expect(code).To(Equal(http.StatusOK), "%v", answer)
		Expect(seat()).To(Equal("3c"))
	})

	It("Weakness48: tells failures of the API server by their reason, in JSON", func(ctx SpecContext) {
		for _, one := range []struct {
			method, path, body string
			code               int
		}{
			{http.MethodGet, "/api/v1/resources/ticket/" + team + "/none", "", http.StatusNotFound},
			{http.MethodDelete, "/api/v1/resources/ticket/" + team + "/none", "", http.StatusNotFound},
			// It speaks of something that is not found, and means that the namespace is none.
			{http.MethodPost, "/api/v1/apply", `{"target":"ticket","name":"x","team":"nowhere"}`, http.StatusNotFound},
			{http.MethodPost, "/api/v1/apply", `{"target":"ticket","name":"Not Found","team":"` + team + `"}`, http.StatusBadRequest},
		} {
			code, answer := portal.ask(ctx, one.method, one.path, one.body)
			Expect(code).To(Equal(one.code), "%s %s: %v", one.method, one.path, answer)
			Expect(answer["message"]).NotTo(BeEmpty())
		}
	})
})
