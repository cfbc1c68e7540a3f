package gateway_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gbytes"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// robots is a Katalog whose API two kinds of service accounts of a namespace may use.
func robots(namespace string) string {
	return fmt.Sprintf(`apiVersion: orkestra.orkspace.io/v1
kind: Katalog
metadata: {name: robots}
gateway:
  endpoint: "http://gateway"
  api:
    enabled: true
    auth:
      tokens:
      - {name: builder, serviceAccount: {allow: {namespace: %[1]s, name: {glob: "builder*"}}}}
      - {name: auditor, serviceAccount: {audience: audit, allow: {namespace: %[1]s, name: auditor}}}
spec:
  crds:
    robot-job:
      apiTypes: {group: gateway.example.com, version: v1, kind: RobotJob, plural: robotjobs}
      serve:
        enabled: true
        namespace: '{{ .team }}'
        target: {robot-job: {primary: true}}
        fields: {size: {path: size}}
        labels: {team: {label: Team}}
        tokens:
          builder: {permissions: {global: ['*']}}
          auditor: {permissions: {resources: [get, list]}}
`, namespace)
}

var _ = Describe("Tokens of service accounts", Ordered, func() {
	var (
		team  string
		asker *caller
	)
	// token is one of an account, for an audience.
	token := func(ctx SpecContext, account, audience string) string {
		GinkgoHelper()
		asked := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{Audiences: []string{audience}, ExpirationSeconds: new(int64(600))}}
		if audience == "" {
			asked.Spec.Audiences = nil
		}
		one := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: team, Name: account}}
		Expect(client.IgnoreAlreadyExists(cluster.Create(ctx, one))).To(Succeed())
		Expect(cluster.SubResource("token").Create(ctx, one, asked)).To(Succeed())
		return asked.Status.Token
	}
	ask := func(ctx SpecContext, token, method, path, body string) (int, map[string]any) {
		GinkgoHelper()
		one := *asker
		one.token = token
		return one.ask(ctx, method, path, body)
	}
	BeforeAll(func(ctx SpecContext) {
		namespace := newNamespace(ctx)
		team = newNamespace(ctx)
		install(ctx, "RobotJob", "robotjobs")
		s, _ := serve(ctx, namespace, robots(team))
		secret := &corev1.Secret{}
		Eventually(func() error {
			return cluster.Get(ctx, client.ObjectKey{Namespace: namespace, Name: orkv1.SecretTLS}, secret)
		}).Should(Succeed())
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(secret.Data["ca.crt"])
		asker = &caller{http: &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS13}, DisableKeepAlives: true}}, url: s.url()}
		good := token(ctx, "builder-ci", orkv1.DefaultAudience)
		Eventually(func() (err error) {
			_, err = asker.http.Head(s.url() + "/api/v1/schema")
			return err
		}).Should(Succeed())
		Eventually(func() int {
			code, _ := ask(ctx, good, http.MethodGet, "/api/v1/schema", "")
			return code
		}).Should(Equal(http.StatusOK))
	})

	It("let each account do what its entry may, and say who asked", func(ctx SpecContext) {
		builder, auditor := token(ctx, "builder-ci", orkv1.DefaultAudience), token(ctx, "auditor", "audit")
		intent := `{"target":"robot-job","name":"a","team":"` + team + `","size":"1"}`
		code, answer := ask(ctx, builder, http.MethodPost, "/api/v1/apply", intent)
		Expect(code).To(Equal(http.StatusCreated), "%v", answer)
		code, answer = ask(ctx, auditor, http.MethodGet, "/api/v1/resources/robot-job/"+team+"/a", "")
		Expect(code).To(Equal(http.StatusOK), "%v", answer)
		Expect(answer["metadata"].(map[string]any)["annotations"]).To(And(
			HaveKeyWithValue(orkv1.AnnotationServeSource, "builder"),
			HaveKeyWithValue(orkv1.AnnotationServeIdentity, "system:serviceaccount:"+team+":builder-ci")))
		code, _ = ask(ctx, auditor, http.MethodPost, "/api/v1/apply", intent)
		Expect(code).To(Equal(http.StatusForbidden))
	})

	It("Weakness06: are refused when they are for somebody else or of somebody else, all in the same way, and are told to nobody", func(ctx SpecContext) {
		log := gbytes.NewBuffer()
		GinkgoWriter.TeeTo(log)
		DeferCleanup(GinkgoWriter.ClearTeeWriters)
		good := token(ctx, "builder-ci", orkv1.DefaultAudience)
		parts := strings.Split(good, ".")
		header := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`))
		payload, err := base64.RawURLEncoding.DecodeString(parts[1])
		Expect(err).NotTo(HaveOccurred())
		changed := func(old, text string) string {
			to := strings.Replace(string(payload), old, text, 1)
			Expect(to).NotTo(Equal(string(payload)), old)
			return parts[0] + "." + base64.RawURLEncoding.EncodeToString([]byte(to)) + "." + parts[2]
		}
		for name, wrong := range map[string]string{
			"for the API server":     token(ctx, "builder-ci", ""),
			"for another service":    token(ctx, "builder-ci", "aws"),
			"for the other entry":    token(ctx, "builder-ci", "audit"),
			"of another account":     token(ctx, "stranger", orkv1.DefaultAudience),
			"of another signature":   parts[0] + "." + parts[1] + "." + strings.Repeat("A", len(parts[2])),
			"without a signature":    header + "." + parts[1] + ".",
			"of another issuer":      changed(`"iss":"`, `"iss":"https://evil.example.com/`),
			"that lives for longer":  changed(`"exp":1`, `"exp":9`),
			"of a changed account":   changed(`builder-ci"`, `builder-x"`),
			"that is none at all":    "a.b.c",
			"that is not even three": "abc",
		} {
			Eventually(func(g Gomega) { // so many at once are held up
				code, answer := ask(ctx, wrong, http.MethodGet, "/api/v1/schema", "")
				g.Expect(code).To(Equal(http.StatusUnauthorized), name)
				g.Expect(answer).To(And(HaveKeyWithValue("error", "unauthenticated"), HaveKeyWithValue("message", "a valid bearer token is needed"), HaveLen(3)), name)
			}).Should(Succeed())
			if len(wrong) > len("a.b.c") {
				Expect(string(log.Contents())).NotTo(ContainSubstring(wrong), name)
			}
		}
		code, _ := ask(ctx, good, http.MethodGet, "/api/v1/schema", "")
		Expect(code).To(Equal(http.StatusOK))
		Expect(string(log.Contents())).NotTo(ContainSubstring(good))
	})

	It("end with their account", func(ctx SpecContext) {
		short := token(ctx, "builder-short", orkv1.DefaultAudience)
		code, _ := ask(ctx, short, http.MethodGet, "/api/v1/schema", "")
		Expect(code).To(Equal(http.StatusOK))
		Expect(cluster.Delete(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: team, Name: "builder-short"}})).To(Succeed())
		Eventually(func() int {
			code, _ := ask(ctx, short, http.MethodGet, "/api/v1/schema", "")
			return code
		}).Should(Equal(http.StatusUnauthorized))
	})
})
