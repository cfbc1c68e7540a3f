package world_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	goredis "github.com/redis/go-redis/v9"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/operator"
	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/series"
	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/servers"
	"github.com/orkestra-runtime/orkestra/providers/external"
	"github.com/orkestra-runtime/orkestra/providers/external/all"
	"github.com/orkestra-runtime/orkestra/providers/reach"
	"github.com/orkestra-runtime/orkestra/runtime/engine"
)

// counting counts the calls that reach a client.
type counting struct {
	external.Caller
	calls *atomic.Int64
}

func (c counting) Call(ctx context.Context, r external.Request) (external.Answer, error) {
	c.calls.Add(1)
	return c.Caller.Call(ctx, r)
}

// parsed is the Katalog of a text.
func parsed(text string) *orkv1.Katalog {
	GinkgoHelper()
	result, err := katalog.Parse(katalog.Options{}, "katalog.yaml", []byte(text))
	Expect(err).NotTo(HaveOccurred(), text)
	return result.Documents[0].Katalog
}

// calling starts an operator whose calls may reach this machine, and counts what its clients are asked.
func calling(ctx context.Context, namespace, box string) (*operator.Operator, *atomic.Int64) {
	GinkgoHelper()
	registry, err := all.Registry(reach.Options{Allow: []string{"127.0.0.1"}})
	Expect(err).NotTo(HaveOccurred())
	calls := &atomic.Int64{}
	for protocol, caller := range registry {
		registry[protocol] = counting{caller, calls}
	}
	return operate(ctx, namespace, katalogOf(namespace, "", "", box), engine.Options{External: registry}), calls
}

func secret(ctx context.Context, namespace, name, key, value string) {
	GinkgoHelper()
	Expect(cluster.Create(ctx, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, StringData: map[string]string{key: value},
	})).To(Succeed())
}

var _ = Describe("an external call of another protocol than http", func() {
	// Rows 98 and 130.
	It("lets the answers of all of them decide what there is, and tells no credential", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		redis, postgres, mongo, kafka := servers.StartRedis(GinkgoT(), nil), servers.StartPostgres(GinkgoT()), servers.StartMongo(GinkgoT()), servers.StartKafka(GinkgoT(), "orders")
		prometheus := servers.StartPrometheus(GinkgoT())
		secret(ctx, namespace, "redis", "password", redis.Password)
		secret(ctx, namespace, "postgres", "password", postgres.Password)
		secret(ctx, namespace, "mongo", "password", mongo.Password)
		secret(ctx, namespace, "kafka", "password", kafka.Password)
		client := goredis.NewClient(&goredis.Options{Addr: redis.Address, Password: redis.Password})
		defer func() { _ = client.Close() }()
		Expect(client.Set(ctx, "flags:w", "gold", 0).Err()).To(Succeed())
		auth := func(name string) string {
			return fmt.Sprintf("auth: {secretRef: {name: %s, namespace: %s, key: password}}", name, namespace)
		}
		calling(ctx, namespace, `
onReconcile:
  external:
    - {name: flag, protocol: redis, url: "redis://`+redis.Address+`", query: GET, args: ["flags:{{ .metadata.name }}"], `+auth("redis")+`}
    - {name: sum, protocol: postgres, url: "postgres://postgres@`+postgres.Address+`/postgres?sslmode=disable", query: "SELECT $1::int + 1 AS n", args: ["{{ .spec.seats }}"], `+auth("postgres")+`}
    - {name: there, protocol: mongo, url: "mongodb://root@`+mongo.Address+`/admin?directConnection=true", query: '{"collection": "none"}', `+auth("mongo")+`}
    - {name: topic, protocol: kafka, url: "kafka://kafka@`+kafka.Address+`", query: "topic=orders", `+auth("kafka")+`}
    - {name: load, protocol: prometheus, url: "http://`+prometheus.Address+`", query: "vector(0.5) * 3"}
    - {name: skipped, protocol: redis, url: "redis://`+redis.Address+`", query: GET a, when: [{field: spec.other, equals: "true"}]}
  configMaps:
    - name: a
      when: [{field: external.sum.result, greaterThan: 2}]
      data:
        flag: "{{ .external.flag.result }} {{ .external.flag.raw.value }} {{ .external.flag.status }}"
        sum: "{{ (index .external.sum.rows 0).n }} of {{ .external.sum.rowCount }}"
        there: "{{ .external.there.count }} {{ .external.there.called }}"
        topic: "{{ .external.topic.partitionCount }}<{{ .external.topic.lag }}>"
        load: "{{ .external.load.result }} {{ promValue .external.load }} {{ .external.load.status }}"
        skipped: "{{ .external.skipped.called }}<{{ .external.skipped.result }}{{ .external.skipped.raw.value }}>"
`)
		w := create(ctx, namespace, "w", "seats: 2")
		Eventually(data(ctx, namespace, "a")).Should(Equal(map[string]string{
			"flag": "gold gold ok", "sum": "3 of 1", "there": "0 true", "topic": "1<>", "load": "1.5 1.5 200", "skipped": "false<>", //nolint:dupword // as it is
		}), func() string { return fmt.Sprint(status(ctx, w)()) })
		Expect(series.Sum("orkestra_external_calls_total", map[string]string{"crd": namespace, "name": "sum", "url": postgres.Address, "result": "success"})).To(BeNumerically(">=", 1))
	})

	// Rows 99 and 130.
	It("ends the cycle when it fails, tells why in the conditional status, and goes on when the server is back", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		postgres := servers.StartPostgres(GinkgoT())
		secret(ctx, namespace, "postgres", "password", "wr0ng-s3cret")
		calling(ctx, namespace, `
reconciler: {resync: 10h}
onReconcile:
  external:
    - name: db
      protocol: postgres
      url: "postgres://postgres@`+postgres.Address+`/postgres?sslmode=disable"
      query: SELECT current_database()
      auth: {secretRef: {name: postgres, namespace: `+namespace+`, key: password}}
  configMaps: [{name: a, data: {a: "{{ .external.db.result }}"}}]
status:
  fields: [{path: problem, value: "{{ .external.db.error }}", when: [{field: external.db.error, notEquals: ""}], clearOnFalse: true}]`)
		w := create(ctx, namespace, "w", "")
		Eventually(status(ctx, w)).Should(HaveKeyWithValue("problem", ContainSubstring("password authentication failed")))
		Expect(fmt.Sprint(status(ctx, w)())).To(And(ContainSubstring("external calls: db: "), Not(ContainSubstring("s3cret"))))
		Expect(data(ctx, namespace, "a")()).To(BeNil())

		By("the Secret holds the right one, which is read as soon as the wrong one is refused")
		right := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "postgres"}, StringData: map[string]string{"password": postgres.Password}}
		Expect(cluster.Update(ctx, right)).To(Succeed())
		Eventually(data(ctx, namespace, "a")).Should(HaveKeyWithValue("a", "postgres"))
		Eventually(status(ctx, w)).Should(HaveKeyWithValue("problem", ""))
	})

	// Row 100.
	It("is made once within the time of its cache, and again when it fails", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		redis := servers.StartRedis(GinkgoT(), nil)
		proxy := servers.StartProxy(GinkgoT(), redis.Address)
		_, calls := calling(ctx, namespace, `
reconciler: {resync: 10h}
onReconcile:
  external:
    - {name: ping, protocol: redis, url: "redis://:`+redis.Password+`@`+proxy.Address+`", query: PING, cacheFor: 10m, retryBackoff: {initial: 100ms, maxAttempts: 3}}
  configMaps: [{name: "{{ .metadata.name }}", data: {a: "{{ .external.ping.result }}"}}]`)
		proxy.Set(servers.Refuse)
		create(ctx, namespace, "a", "")
		Eventually(calls.Load).Should(BeNumerically(">=", 3))
		proxy.Set(servers.Pass)
		Eventually(data(ctx, namespace, "a")).Should(HaveKeyWithValue("a", "PONG"))
		made := calls.Load()
		for _, name := range []string{"b", "c", "d"} {
			create(ctx, namespace, name, "")
			Eventually(data(ctx, namespace, name)).Should(HaveKeyWithValue("a", "PONG"))
		}
		Expect(calls.Load()).To(Equal(made))
	})

	It("is refused at the start by a program that has no client for it, which names those that it has", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		result := parsed(katalogOf(namespace, "", "", `
onReconcile:
  external: [{name: db, protocol: postgres, url: "postgres://u@db.example.com/d", query: SELECT 1}]`))
		_, err := operator.StartWith(ctx, env.Config(), engine.Options{Katalogs: []*orkv1.Katalog{result}, Namespace: namespace})
		Expect(err).To(MatchError(And(
			ContainSubstring("operatorBox.onReconcile.external[0].protocol: Invalid value: \"postgres\": has no client in this program"),
			ContainSubstring("(it has: http)"))))
	})

	// Defect 98.
	It("Defect98: leads a resource to no address of the machine", func(ctx context.Context) {
		namespace := newNamespace(ctx)
		redis := servers.StartRedis(GinkgoT(), nil)
		registry, err := all.Registry(reach.Options{})
		Expect(err).NotTo(HaveOccurred())
		operate(ctx, namespace, katalogOf(namespace, "", "", `
onReconcile:
  external: [{name: a, protocol: redis, url: "{{ .spec.url }}", query: PING, continueOnError: true}]
status:
  fields: [{path: said, value: "{{ .external.a.result }}<{{ .external.a.error }}>"}]`), engine.Options{External: registry})
		w := create(ctx, namespace, "w", `url: "redis://:`+redis.Password+`@`+redis.Address+`"`)
		Eventually(status(ctx, w)).Should(HaveKeyWithValue("said", HavePrefix("<the address 127.0.0.1 is loopback, which is refused")))
		Expect(strings.Contains(fmt.Sprint(status(ctx, w)()), redis.Password)).To(BeFalse())
	})
})
