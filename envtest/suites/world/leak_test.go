package world_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/operator"
	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/servers"
	"github.com/orkestra-runtime/orkestra/providers/builtin"
	"github.com/orkestra-runtime/orkestra/providers/external/all"
	"github.com/orkestra-runtime/orkestra/providers/git"
	"github.com/orkestra-runtime/orkestra/providers/reach"
	"github.com/orkestra-runtime/orkestra/runtime/engine"
	"github.com/orkestra-runtime/orkestra/runtime/live"
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

// saidOf is everything that an operator of a namespace says to anybody besides its log: resources with their status, Events, metrics, the live API.
func saidOf(ctx context.Context, o *operator.Operator, namespace, name string) map[string]string {
	GinkgoHelper()
	said := map[string]string{}
	note := func(what string, value any) {
		text, err := json.Marshal(value)
		Expect(err).NotTo(HaveOccurred())
		said[what] = string(text)
	}
	w := widget(namespace, name, "")
	Expect(cluster.Get(ctx, client.ObjectKeyFromObject(w), w)).To(Succeed())
	note("the resource", w.Object)
	events, older, maps := &eventsv1.EventList{}, &corev1.EventList{}, &corev1.ConfigMapList{}
	for what, list := range map[string]client.ObjectList{"events": events, "core events": older, "config maps": maps} {
		Expect(cluster.List(ctx, list, client.InNamespace(namespace))).To(Succeed())
		note(what, list)
	}
	ask := func(handler http.Handler, path string) {
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, httptest.NewRequestWithContext(ctx, http.MethodGet, path, http.NoBody))
		said[path] = answer.Body.String()
	}
	ask(promhttp.HandlerFor(ctrlmetrics.Registry, promhttp.HandlerOpts{}), "/metrics")
	api := o.Engine().Handler(live.Options{Gatherer: ctrlmetrics.Registry})
	of := "/katalog/" + namespace
	for _, path := range []string{
		"/katalog", "/katalog/raw", "/katalog/enriched", of, of + "/raw", of + "/enriched", of + "/health", of + "/cr",
		of + "/cr/" + namespace + "/" + name, of + "/cr/" + namespace + "/" + name + "/events", of + "/cr/" + namespace + "/" + name + "/explain",
		"/api/v1/query?query=orkestra_external_calls_total",
	} {
		ask(api, path)
	}
	return said
}

var _ = Describe("what an operator says", func() {
	It("holds no credential, wherever that is refused, and whatever the other side answers", func(ctx SpecContext) {
		namespace := newNamespace(ctx)
		log := &written{}
		GinkgoWriter.TeeTo(log)
		DeferCleanup(GinkgoWriter.ClearTeeWriters)
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

		said := saidOf(ctx, o, namespace, "w")
		said["the log"] = log.String()
		Expect(said["/metrics"]).To(ContainSubstring(`orkestra_external_calls_total{crd="` + namespace))
		Expect(said["the resource"]).To(ContainSubstring("ProviderError"))
		Expect(said["the log"]).To(ContainSubstring(namespace))
		for what, text := range said {
			for _, credential := range []string{token, wrong, claimed, checkedOut, postgres.Password, redis.Password, mongo.Password} {
				Expect(strings.Contains(text, credential)).To(BeFalse(), "%s holds a credential: %s", what, text)
			}
		}
	})
})
