package gateway_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/client"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

const self = `apiVersion: orkestra.orkspace.io/v1
kind: Katalog
metadata: {name: self}
gateway:
  endpoint: "http://gateway"
  api:
    enabled: true
    auth:
      tokens:
      - {name: portal, secretRef: {name: portal-token, key: token, rotateAfter: 90d}}
      - {name: reader, secretRef: {name: reader-token, key: token}}
security:
  webhooks: {admission: {enabled: true}}
spec:
  crds:
    cache:
      apiTypes: {group: gateway.example.com, version: v1, kind: Cache, plural: caches}
      validation:
        rules: [{field: spec.storage.size, in: "1Gi,5Gi", message: no such size, link: size}]
      serve:
        enabled: true
        namespace: '{{ .team }}'
        target:
          cache: {primary: true}
          cache-preview: {config: {response: {default: false, payload: {size: '{{ .spec.storage.size }}', phase: '{{ .status.phase }}'}}}}
          cache-off: {enabled: false}
        fields:
          size: {path: storage.size, label: Size}
          secret: {sensitive: true, path: password}
          node: {path: 'nodes["a.example.com"]', type: enum, enum: [up, down]}
        labels:
          team: {label: Team}
        tokens:
          portal: {permissions: {global: ['*']}}
          reader: {permissions: {resources: [get], schema: [list]}}
`

// caller is a client of the API.
type caller struct {
	http  *http.Client
	url   string
	token string
}

// ask makes a request, and reads the answer.
func (c *caller) ask(ctx context.Context, method, path, body string) (int, map[string]any) {
	GinkgoHelper()
	r, err := http.NewRequestWithContext(ctx, method, c.url+path, bytes.NewBufferString(body))
	Expect(err).NotTo(HaveOccurred())
	r.Header.Set("Content-Type", "application/json")
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	response, err := c.http.Do(r)
	Expect(err).NotTo(HaveOccurred())
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	Expect(err).NotTo(HaveOccurred())
	answer := map[string]any{}
	if len(text) > 0 {
		Expect(json.Unmarshal(text, &answer)).To(Succeed(), string(text))
	}
	return response.StatusCode, answer
}

var _ = Describe("The API", Ordered, func() {
	var team string
	var portal, reader, nobody *caller
	BeforeAll(func(ctx SpecContext) {
		namespace := newNamespace(ctx)
		team = newNamespace(ctx)
		install(ctx, "Cache", "caches")
		s, _ := serve(ctx, namespace, self)
		portal, reader = portalOf(ctx, s, namespace, "portal-token"), portalOf(ctx, s, namespace, "reader-token")
		nobody = &caller{portal.http, s.url(), "nobody"}
		Eventually(func() error {
			return cluster.Create(ctx, resource("v1", "Cache", team, "probe", "{storage: {size: 9Gi}}"), client.DryRunAll)
		}).Should(MatchError(ContainSubstring("no such size")))
	})

	It("makes a resource of an intent, and tells where to read it", func(ctx SpecContext) {
		code, answer := portal.ask(ctx, http.MethodPost, "/api/v1/apply", `{"target":"cache","name":"c1","team":"`+team+`","size":"5Gi","secret":"s3cret"}`)
		Expect(code).To(Equal(http.StatusCreated), "%v", answer)
		Expect(answer).To(HaveKeyWithValue("accepted", true))
		Expect(answer).To(HaveKeyWithValue("pollUrl", "/api/v1/resources/cache/"+team+"/c1"))
		code, read := portal.ask(ctx, http.MethodGet, answer["pollUrl"].(string), "")
		Expect(code).To(Equal(http.StatusOK))
		Expect(read["spec"]).To(Equal(map[string]any{"storage": map[string]any{"size": "5Gi"}, "password": "s3cret"}))
		annotations := read["metadata"].(map[string]any)["annotations"].(map[string]any)
		Expect(annotations).To(HaveKeyWithValue(orkv1.AnnotationServeTarget, "cache"))
		Expect(annotations).To(HaveKeyWithValue(orkv1.AnnotationServeSource, "portal"))
		Expect(annotations[orkv1.AnnotationServeIntent]).NotTo(ContainSubstring("s3cret"))
		code, answer = portal.ask(ctx, http.MethodPost, "/api/v1/apply", `{"target":"cache","name":"c1","team":"`+team+`","size":"1Gi"}`)
		Expect(code).To(Equal(http.StatusOK), "%v", answer)
	})

	It("writes and checks a key with dots as one key", func(ctx SpecContext) {
		code, answer := portal.ask(ctx, http.MethodPost, "/api/v1/apply", `{"target":"cache","name":"dotted","team":"`+team+`","size":"5Gi","node":"up"}`)
		Expect(code).To(Equal(http.StatusCreated), "%v", answer)
		_, read := portal.ask(ctx, http.MethodGet, answer["pollUrl"].(string), "")
		Expect(read["spec"]).To(HaveKeyWithValue("nodes", map[string]any{"a.example.com": "up"}))
		code, answer = portal.ask(ctx, http.MethodPost, "/api/v1/apply", `{"target":"cache","name":"dotted","team":"`+team+`","size":"5Gi","node":"sideways"}`)
		Expect(code).To(Equal(http.StatusUnprocessableEntity), "%v", answer)
		Expect(answer["violations"]).To(ContainElement(HaveKeyWithValue("field", "node")))
	})

	It("tells each violation by the field that the caller knows", func(ctx SpecContext) {
		code, answer := portal.ask(ctx, http.MethodPost, "/api/v1/apply", `{"target":"cache","name":"c2","team":"`+team+`","size":"9Gi"}`)
		Expect(code).To(Equal(http.StatusUnprocessableEntity), "%v", answer)
		Expect(answer["violations"]).To(ConsistOf(map[string]any{"field": "size", "message": "no such size", "severity": "error"}))
	})

	It("Weakness01: takes whole resources, without what they say of where they come from", func(ctx SpecContext) {
		body := `{"apiVersion":"gateway.example.com/v1","kind":"Cache","metadata":{"name":"c3","annotations":{"` + orkv1.AnnotationServeAlias +
			`":"forged","orkestra.orkspace.io/serve-source":"forged"},"finalizers":["a/b"]},"spec":{"team":"` + team + `","storage":{"size":"1Gi"}}}`
		code, answer := portal.ask(ctx, http.MethodPost, "/api/v1/apply", body)
		Expect(code).To(Equal(http.StatusCreated), "%v", answer)
		_, read := portal.ask(ctx, http.MethodGet, "/api/v1/resources/cache/"+team+"/c3", "")
		metadata := read["metadata"].(map[string]any)
		Expect(metadata).NotTo(HaveKey("finalizers"))
		Expect(metadata["annotations"]).To(And(HaveKeyWithValue(orkv1.AnnotationServeSource, "portal"), Not(HaveKey(orkv1.AnnotationServeAlias)),
			Not(HaveKey("orkestra.orkspace.io/serve-source"))))
	})

	It("keeps a resource on its surface, unless it is moved", func(ctx SpecContext) {
		intent := `{"target":"cache-preview","name":"c1","team":"` + team + `","size":"5Gi"}`
		code, answer := portal.ask(ctx, http.MethodPost, "/api/v1/apply", intent)
		Expect(code).To(Equal(http.StatusConflict), "%v", answer)
		code, answer = portal.ask(ctx, http.MethodPost, "/api/v1/apply?override=true&dryRun=true", intent)
		Expect(code).To(Equal(http.StatusOK), "%v", answer)
		Expect(answer).To(HaveKeyWithValue("dryRun", true))
		code, answer = portal.ask(ctx, http.MethodPost, "/api/v1/apply?override=true", intent)
		Expect(code).To(Equal(http.StatusOK), "%v", answer)
		_, read := portal.ask(ctx, http.MethodGet, "/api/v1/resources/cache-preview/"+team+"/c1", "")
		Expect(read).To(Equal(map[string]any{"size": "5Gi", "phase": ""}))
	})

	It("tells the unknown nothing, and each caller what it may", func(ctx SpecContext) {
		for _, path := range []string{"/api/v1/schema", "/api/v1/resources/cache/" + team + "/c1", "/api/v1/resources/nothing/x"} {
			code, answer := nobody.ask(ctx, http.MethodGet, path, "")
			Expect(code).To(Equal(http.StatusUnauthorized), path)
			Expect(answer).To(HaveKeyWithValue("error", "unauthenticated"))
		}
		code, _ := reader.ask(ctx, http.MethodGet, "/api/v1/resources/cache/"+team+"/c3", "")
		Expect(code).To(Equal(http.StatusOK))
		for method, path := range map[string]string{
			http.MethodDelete: "/api/v1/resources/cache/" + team + "/c3", http.MethodGet: "/api/v1/resources/cache/" + team, http.MethodPost: "/api/v1/apply",
		} {
			code, answer := reader.ask(ctx, method, path, `{"target":"cache","name":"c9","team":"`+team+`"}`)
			Expect(code).To(Equal(http.StatusForbidden), "%s %s: %v", method, path, answer)
		}
		code, _ = reader.ask(ctx, http.MethodGet, "/api/v1/schema?target=cache", "")
		Expect(code).To(Equal(http.StatusForbidden))
	})

	It("Weakness12: answers the same for a target that is switched off as for one that is not there", func(ctx SpecContext) {
		codes := map[string]string{}
		for _, target := range []string{"cache-off", "cache-non"} {
			code, answer := portal.ask(ctx, http.MethodPost, "/api/v1/apply", `{"target":"`+target+`","name":"x"}`)
			Expect(code).To(Equal(http.StatusBadRequest))
			codes[target] = strings.ReplaceAll(answer["message"].(string), target, "T")
		}
		Expect(codes["cache-off"]).To(Equal(codes["cache-non"]))
	})

	It("guards methods, sizes and types", func(ctx SpecContext) {
		for _, one := range []struct {
			method, path, body string
			code               int
		}{
			{http.MethodGet, "/api/v1/apply", "", http.StatusMethodNotAllowed},
			{http.MethodGet, "/api/v1/nothing", "", http.StatusNotFound},
			{http.MethodPost, "/api/v1/apply", "[]", http.StatusBadRequest},
			{http.MethodPost, "/api/v1/apply", `{}`, http.StatusBadRequest},
			{http.MethodPost, "/api/v1/apply", `{"target":7}`, http.StatusBadRequest},
			{http.MethodPost, "/api/v1/apply", `{"a":"` + strings.Repeat("x", 1<<20) + `"}`, http.StatusRequestEntityTooLarge},
			{http.MethodGet, "/api/v1/resources/cache/" + team + "/none", "", http.StatusNotFound},
			{http.MethodGet, "/api/v1/resources/cache/" + team + "/c3?field=status.phase", "", http.StatusNotFound},
			{http.MethodGet, "/api/v1/resources/none/" + team + "/c3", "", http.StatusNotFound},
			{http.MethodGet, "/api/v1/schema?target=cache-off", "", http.StatusNotFound},
		} {
			code, answer := portal.ask(ctx, one.method, one.path, one.body)
			Expect(code).To(Equal(one.code), "%s %s: %v", one.method, one.path, answer)
		}
	})
})
