package world_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/servers"
	"github.com/orkestra-runtime/orkestra/providers/builtin"
	"github.com/orkestra-runtime/orkestra/providers/external/all"
	"github.com/orkestra-runtime/orkestra/providers/git"
	"github.com/orkestra-runtime/orkestra/providers/reach"
	"github.com/orkestra-runtime/orkestra/runtime/engine"
)

// written is what several goroutines write.
type written struct {
	mu   sync.Mutex // guards text
	text bytes.Buffer
}

func (w *written) Write(text []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(text)
}

func (w *written) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

var _ = Describe("what an operator says", func() {
	It("holds no credential, wherever that is refused, and whatever the other side answers", func(ctx SpecContext) {
		namespace := newNamespace(ctx)
		before := len(heard.log.String())
		const token, wrong, claimed, checkedOut = "t0ken-of-a-call", "wr0ng-of-a-call", "cl4imed-by-a-provider", "g1t-of-a-block"
		postgres, redis, mongo, repositories := servers.StartPostgres(GinkgoT()), servers.StartRedis(GinkgoT(), nil), servers.StartMongo(GinkgoT()), servers.StartGit(GinkgoT())
		repositories.Repository("app")
		repositories.Protect("somebody", "else")
		echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"you sent": "` + r.Header.Get("Authorization") + `"}`))
		}))
		DeferCleanup(echo.Close)
		secret(ctx, namespace, "call", "token", token)
		secret(ctx, namespace, "wrong", "password", wrong)
		Expect(cluster.Create(ctx, &corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "checkout"}, StringData: map[string]string{"username": "somebody", "password": checkedOut},
		})).To(Succeed())
		const variable = "WORLD_CLAIM"
		Expect(os.Setenv(variable, claimed)).To(Succeed())
		DeferCleanup(os.Unsetenv, variable)

		allowed := reach.Options{Allow: []string{"127.0.0.1"}}
		calls, err := all.Registry(allowed)
		Expect(err).NotTo(HaveOccurred())
		dialer, err := reach.New(allowed)
		Expect(err).NotTo(HaveOccurred())
		checkouts, err := git.New(git.Options{Dialer: dialer, Dir: GinkgoT().TempDir()})
		Expect(err).NotTo(HaveOccurred())
		keepers, err := builtin.Registry()
		Expect(err).NotTo(HaveOccurred())
		auth := "auth: {secretRef: {name: wrong, namespace: " + namespace + ", key: password}}"
		o := operate(ctx, namespace, katalogOf(namespace,
			`providers: [{name: postgres, auth: {url: "postgres://postgres:${`+variable+`}@`+postgres.Address+`/postgres?sslmode=disable"}}]`, "", `
onReconcile:
  git: {repo: "`+repositories.HTTP("app")+`", continueOnError: true, auth: {secretRef: {name: checkout, namespace: `+namespace+`}}}
  external:
    - {name: echo, url: "`+echo.URL+`", continueOnError: true, auth: {secretRef: {name: call, namespace: `+namespace+`, key: token}}}
    - {name: sql, protocol: postgres, url: "postgres://postgres@`+postgres.Address+`/postgres?sslmode=disable", query: SELECT 1, continueOnError: true, `+auth+`}
    - {name: keys, protocol: redis, url: "redis://`+redis.Address+`", query: GET a, continueOnError: true, `+auth+`}
    - {name: documents, protocol: mongo, url: "mongodb://root@`+mongo.Address+`/admin?directConnection=true", query: '{"collection": "a"}', continueOnError: true, `+auth+`}
  configMaps:
    - name: said
      data:
        git: "{{ .git.error }}"
        echo: "{{ .external.echo.body }} {{ .external.echo.error }}"
        others: "{{ .external.sql.error }} {{ .external.keys.error }} {{ .external.documents.error }}"
providers:
  postgres: [{database: {name: "d"}}]
status:
  fields:
    - {path: calls, value: "{{ toJson .external }}", when: [{field: external.echo.called, equals: "true"}]}
    - {path: git, value: "{{ toJson .git }}", when: [{field: git.called, equals: "true"}]}
`), engine.Options{External: calls, Checkouts: checkouts, Providers: keepers})
		w := create(ctx, namespace, "w", "")
		Eventually(readiness(ctx, w)).WithTimeout(time.Minute).Should(HavePrefix("ProviderError: providers: postgres: "))
		Eventually(data(ctx, namespace, "said")).Should(And(
			HaveKeyWithValue("git", Not(BeEmpty())), HaveKeyWithValue("echo", ContainSubstring("[redacted]")), HaveKeyWithValue("others", ContainSubstring("authentication failed"))))

		said := saidOf(ctx, o, namespace)
		said["the log"] = heard.log.String()[before:]
		Expect(said["/metrics"]).To(ContainSubstring(`orkestra_external_calls_total{crd="` + namespace))
		Expect(said["the resources"]).To(ContainSubstring("ProviderError"))
		Expect(said["the log"]).To(ContainSubstring(namespace))
		heard.given(claimed, postgres.Password)
		for what, text := range said {
			for _, credential := range []string{token, wrong, claimed, checkedOut, postgres.Password, redis.Password, mongo.Password} {
				Expect(strings.Contains(text, credential)).To(BeFalse(), "%s holds a credential: %s", what, text)
			}
		}
	})
})
