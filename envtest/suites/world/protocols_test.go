package world_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	goredis "github.com/redis/go-redis/v9"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"go.mongodb.org/mongo-driver/v2/bson"
	mongodriver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/servers"
	"github.com/orkestra-runtime/orkestra/internal/liar"
	"github.com/orkestra-runtime/orkestra/providers/external"
	"github.com/orkestra-runtime/orkestra/providers/external/all"
	"github.com/orkestra-runtime/orkestra/providers/reach"
)

// asking has a client for each protocol that may reach this machine. The variable PASSWORD is what it is told, WRONG is another one.
func asking(t *testing.T, password string) *external.Client {
	t.Helper()
	registry, err := all.Registry(reach.Options{Allow: []string{"127.0.0.1"}})
	if err != nil {
		t.Fatal(err)
	}
	client := external.NewClient(registry, external.ClientOptions{LookupEnv: func(name string) (string, bool) {
		return map[string]string{"PASSWORD": password, "WRONG": "wr0ng-s3cret"}[name], true
	}})
	t.Cleanup(client.Close)
	return client
}

// sown is a server with something to ask for, and how to ask it.
type sown struct {
	protocol orkv1.Protocol
	// url is where a user without a password finds the server at an address.
	url               func(address string) string
	address, password string
	query             string
	// direct tells that the server sends clients to its own address, so that nothing goes through a proxy for long.
	direct bool
	// silent tells that it closes the connection of whoever has a wrong credential, as no real one does.
	silent      bool
	stop, start func()
}

func (s *sown) request(address string) external.Request {
	return external.Request{Protocol: s.protocol, URL: s.url(address), Query: s.query, Auth: &orkv1.CallAuth{Env: "PASSWORD"}, Timeout: 5 * time.Second}
}

func withoutPassword(text string) string {
	u, _ := url.Parse(text)
	u.User = url.User(u.User.Username())
	return u.String()
}

func sowPostgres(t *testing.T) (*sown, *servers.Postgres) {
	t.Helper()
	p := servers.StartPostgres(t)
	connection, err := pgx.Connect(t.Context(), p.URL(p.User, p.Password, "postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = connection.Close(context.WithoutCancel(t.Context())) }()
	if _, err := connection.Exec(t.Context(), `CREATE TABLE orders (id int PRIMARY KEY, name text, price numeric, paid bool, at timestamptz, tags text[], detail jsonb, none text);
		INSERT INTO orders VALUES (1, 'book', 12.50, true, '2026-01-02T03:04:05+01', '{a,"b c"}', '{"n":[1,2]}', NULL);
		INSERT INTO orders (id, name, price, paid) VALUES (2, 'pen', 3, false)`); err != nil {
		t.Fatal(err)
	}
	return &sown{
		protocol: orkv1.ProtocolPostgres, address: p.Address, password: p.Password, query: "SELECT count(*) FROM orders", stop: p.Stop, start: p.Start,
		url: func(address string) string {
			return withoutPassword(servers.PostgresURL(address, p.User, "x", "postgres"))
		},
	}, p
}

func sowRedis(t *testing.T) *sown {
	t.Helper()
	r := servers.StartRedis(t, nil)
	client := goredis.NewClient(&goredis.Options{Addr: r.Address, Password: r.Password})
	defer func() { _ = client.Close() }()
	pipe := client.Pipeline()
	pipe.Set(t.Context(), "flag", "on", 0)
	pipe.Set(t.Context(), "a b", "spaced", 0)
	pipe.HSet(t.Context(), "shop", "tier", "gold", "seats", "3")
	pipe.RPush(t.Context(), "queue", "x", "y")
	pipe.Set(t.Context(), "huge", strings.Repeat("x", 2*external.MaxBody), 0)
	if _, err := pipe.Exec(t.Context()); err != nil {
		t.Fatal(err)
	}
	return &sown{
		protocol: orkv1.ProtocolRedis, address: r.Address, password: r.Password, query: "GET flag", stop: r.Stop, start: r.Start,
		url: func(address string) string { return "redis://" + address + "/0" },
	}
}

func sowMongo(t *testing.T) *sown {
	t.Helper()
	m := servers.StartMongo(t)
	client, err := mongodriver.Connect(options.Client().ApplyURI(m.URL(m.User, m.Password, "admin")))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Disconnect(context.WithoutCancel(t.Context())) }()
	documents := []any{
		bson.D{{Key: "_id", Value: 1}, {Key: "state", Value: "open"}, {Key: "total", Value: 12.5}, {Key: "at", Value: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}},
		bson.D{{Key: "_id", Value: 2}, {Key: "state", Value: "open"}},
		bson.D{{Key: "_id", Value: 3}, {Key: "state", Value: "closed"}},
	}
	if _, err := client.Database("shop").Collection("orders").InsertMany(t.Context(), documents); err != nil {
		t.Fatal(err)
	}
	many := make([]any, 0, 1100)
	for i := range 1100 {
		many = append(many, bson.D{{Key: "_id", Value: i}})
	}
	if _, err := client.Database("shop").Collection("many").InsertMany(t.Context(), many); err != nil {
		t.Fatal(err)
	}
	return &sown{
		protocol: orkv1.ProtocolMongo, address: m.Address, password: m.Password, query: `{"collection": "orders", "filter": {"state": "open"}, "sort": {"_id": 1}, "database": "shop"}`,
		stop: m.Stop, start: m.Start,
		url: func(address string) string {
			return withoutPassword(servers.MongoURL(address, m.User, "x", "admin"))
		},
	}
}

func sowKafka(t *testing.T) *sown {
	t.Helper()
	k := servers.StartKafka(t, "orders")
	client, err := kgo.NewClient(kgo.SeedBrokers(k.Address), kgo.SASL(plain.Auth{User: k.User, Pass: k.Password}.AsMechanism()))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for range 5 {
		if err := client.ProduceSync(t.Context(), &kgo.Record{Topic: "orders", Value: []byte("x")}).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := kadm.NewClient(client).CreateTopic(t.Context(), external.MaxRows+1, 1, nil, "wide"); err != nil {
		t.Fatal(err)
	}
	offsets := kadm.Offsets{}
	offsets.AddOffset("orders", 0, 2, -1)
	if err := kadm.NewClient(client).CommitAllOffsets(t.Context(), "billing", offsets); err != nil {
		t.Fatal(err)
	}
	return &sown{
		protocol: orkv1.ProtocolKafka, address: k.Address, password: k.Password, query: "topic=orders group=billing", stop: k.Stop, start: k.Start, direct: true, silent: true,
		url: func(address string) string { return "kafka://" + k.User + "@" + address },
	}
}

// answered are what a table of calls to one server says of them.
type answered struct {
	reason, query string
	args          []string
	want          map[string]any
	err           string
}

func (s *sown) ask(t *testing.T, cases map[string]answered) {
	t.Helper()
	client := asking(t, s.password)
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := s.request(s.address)
			r.Query, r.Args = tc.query, tc.args
			answer, err := client.Call(t.Context(), r)
			text := ""
			if err != nil {
				text = err.Error()
			}
			if (tc.err == "") != (err == nil) || !strings.Contains(text, tc.err) {
				t.Errorf("\n%s\nCall(...): error %q, want %q", tc.reason, text, tc.err)
			}
			if diff := cmp.Diff(tc.want, answer.Fields); tc.err == "" && diff != "" {
				t.Errorf("\n%s\nCall(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestPostgresAnswers(t *testing.T) {
	s, p := sowPostgres(t)
	one := func(value any) map[string]any {
		return map[string]any{"result": value, "rows": []any{map[string]any{"v": value}}, "rowCount": int64(1)}
	}
	s.ask(t, map[string]answered{
		"Row": {
			reason: "values have the types of JSON, times are of RFC 3339", query: "SELECT * FROM orders WHERE id = 1;",
			want: map[string]any{"result": int64(1), "rowCount": int64(1), "rows": []any{map[string]any{
				"id": int64(1), "name": "book", "price": 12.5, "paid": true, "at": "2026-01-02T02:04:05Z", "tags": []any{"a", "b c"},
				"detail": map[string]any{"n": []any{int64(1), int64(2)}}, "none": nil,
			}}},
		},
		"None":      {reason: "no row", query: "SELECT 1 AS v WHERE false", want: map[string]any{"result": "", "rows": []any{}, "rowCount": int64(0)}},
		"Fixture":   {reason: "what users ask", query: "SELECT current_database() AS v", want: one("postgres")},
		"Args":      {reason: "a value in args is a value, of the type that is needed", query: "SELECT name AS v FROM orders WHERE id = $1 AND name = $2", args: []string{"1", "book"}, want: one("book")},
		"Injection": {reason: "whatever it says", query: "SELECT count(*) AS v FROM orders WHERE name = $1", args: []string{"' OR true; DROP TABLE orders --"}, want: one(int64(0))},
		"Two":       {reason: "one statement only", query: "SELECT 1; DROP TABLE orders", err: "cannot insert multiple commands"},
		"Write":     {reason: "which reads", query: "DELETE FROM orders", err: "the query begins with DELETE, and a call only reads"},
		"Hidden": {
			reason: "also when it does not look like writing", query: "WITH gone AS (DELETE FROM orders RETURNING id) SELECT count(*) FROM gone",
			err: "in a read-only transaction (SQLSTATE 25006)",
		},
		"Copy":    {reason: "nor runs a program", query: "COPY (SELECT 1) TO PROGRAM 'touch /tmp/owned'", err: "begins with COPY"},
		"Unknown": {reason: "the server's own words", query: "SELECT nothing FROM orders", err: `column "nothing" does not exist (SQLSTATE 42703)`},
		"Columns": {reason: "a row is a map", query: "SELECT 1 AS v, 2 AS v", err: `two columns are called "v": name one of them with AS`},
		"Rows":    {reason: "too many rows are no answer", query: "SELECT generate_series(1, 5000000)", err: "the answer has more than 1000 rows: add a LIMIT"},
		"Huge":    {reason: "nor is one that is too long", query: "SELECT repeat('x', 5000000)", err: "the answer is longer than 1048576 bytes"},
		"Big":     {reason: "also in many rows", query: "SELECT repeat('x', 10000) FROM generate_series(1, 900)", err: "the answer is longer than 1048576 bytes"},
		"State":   {reason: "nothing of a session stays", query: "SELECT set_config('search_path', 'elsewhere', false) AS v", want: one("elsewhere")},
		"Stays":   {reason: "for the next one", query: "SELECT count(*) AS v FROM orders", want: one(int64(2))},
	})
	client := asking(t, p.Password)
	began := time.Now()
	slow := s.request(s.address)
	slow.Query, slow.Timeout = "SELECT pg_sleep(60)", time.Second
	if _, err := client.Call(t.Context(), slow); err == nil || time.Since(began) > 5*time.Second {
		t.Errorf("a slow statement: %v after %s", err, time.Since(began))
	}
	slow.Query = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep%' AND state = 'active' AND pid <> pg_backend_pid()"
	deadline := time.Now().Add(5 * time.Second)
	for {
		answer, err := client.Call(t.Context(), slow)
		if err == nil && answer.Fields["result"] == int64(0) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the server goes on for nobody: %v, %v", answer.Fields, err)
		}
	}
}

func TestRedisAnswers(t *testing.T) {
	s := sowRedis(t)
	one := func(value any) map[string]any {
		return map[string]any{"result": value, "raw": map[string]any{"value": value}}
	}
	s.ask(t, map[string]answered{
		"Get":       {reason: "a text", query: "get flag", want: one("on")},
		"Quotes":    {reason: "a key with a space", query: `GET "a b"`, want: one("spaced")},
		"Args":      {reason: "or as an argument", query: "GET", args: []string{"a b"}, want: one("spaced")},
		"Injection": {reason: "an argument is one word", query: "GET", args: []string{"flag\r\nFLUSHALL\r\n"}, want: map[string]any{"result": "", "raw": map[string]any{"value": nil}}},
		"None":      {reason: "no such key", query: "GET none", want: map[string]any{"result": "", "raw": map[string]any{"value": nil}}},
		"Number":    {reason: "a number", query: "LLEN queue", want: one(int64(2))},
		"List":      {reason: "a list", query: "LRANGE queue 0 -1", want: one([]any{"x", "y"})},
		"Map":       {reason: "a hash is a map", query: "HGETALL shop", want: one(map[string]any{"tier": "gold", "seats": "3"})},
		"Ping":      {reason: "is it there", query: "PING", want: one("PONG")},
		"Write":     {reason: "a call reads", query: "FLUSHALL", err: `the command "FLUSHALL" is none of those that a call may use`},
		"Script":    {reason: "and runs no scripts", query: "EVAL 'return 1' 0", err: `the command "EVAL" is none of those`},
		"Config":    {reason: "nor tells a password", query: "CONFIG GET requirepass", err: `the command "CONFIG" is none of those`},
		"Wrong":     {reason: "the server's own words", query: "LLEN flag", err: "WRONGTYPE Operation against a key"},
		"Quote":     {reason: "a quote too few", query: `GET "a`, err: `the query has a " without another one`},
		"Huge":      {reason: "a text that is too long", query: "GET huge", err: "the answer is longer than 1048576 bytes"},
		"AfterHuge": {reason: "and all is well again", query: "GET flag", want: one("on")},
	})
}

func TestMongoAnswers(t *testing.T) {
	s := sowMongo(t)
	first := map[string]any{"_id": int64(1), "state": "open", "total": 12.5, "at": "2026-01-02T03:04:05Z"}
	second := map[string]any{"_id": int64(2), "state": "open"}
	s.ask(t, map[string]answered{
		"Find":       {reason: "documents with the types of JSON", query: s.query, want: map[string]any{"result": first, "documents": []any{first, second}, "count": int64(2)}},
		"None":       {reason: "no document", query: `{"collection": "orders", "filter": {"state": "lost"}, "database": "shop"}`, want: map[string]any{"result": "", "documents": []any{}, "count": int64(0)}},
		"Count":      {reason: "a number alone", query: `{"collection": "orders", "count": true, "filter": {"state": "open"}, "database": "shop"}`, want: map[string]any{"result": int64(2), "documents": []any{}, "count": int64(2)}},
		"Projection": {reason: "part of it", query: `{"collection": "orders", "limit": 1, "sort": {"_id": -1}, "projection": {"_id": 0, "state": 1}, "database": "shop"}`, want: map[string]any{"result": map[string]any{"state": "closed"}, "documents": []any{map[string]any{"state": "closed"}}, "count": int64(1)}},
		"Pipeline":   {reason: "an aggregation", query: `{"collection": "orders", "pipeline": [{"$match": {"_id": 3}}, {"$project": {"_id": 1}}], "database": "shop"}`, want: map[string]any{"result": map[string]any{"_id": int64(3)}, "documents": []any{map[string]any{"_id": int64(3)}}, "count": int64(1)}},
		"Many":       {reason: "too many documents are no answer", query: `{"collection": "many", "database": "shop"}`, err: "the answer has more than 1000 documents: give the query a limit"},
		"Drop":       {reason: "a call reads", query: `{"drop": "orders"}`, err: `"drop" is no command that a call may use`},
		"Out":        {reason: "also in a pipeline", query: `{"collection": "orders", "pipeline": [{"$out": "copy"}]}`, err: "the query has $out"},
		"Where":      {reason: "and runs no code", query: `{"collection": "orders", "filter": {"$or": [{"$where": "sleep(1)"}]}}`, err: "the query has $where"},
		"NoJSON":     {reason: "it is JSON", query: "db.orders.find()", err: "the query is not JSON of an object"},
		"Field":      {reason: "with these fields", query: `{"collection": "orders", "filters": {}}`, err: `the query has "filters" (valid: collection, filter,`},
	})
	client := asking(t, s.password)
	ping := s.request(s.address)
	ping.Query = `{"ping": 1}`
	answer, err := client.Call(t.Context(), ping)
	if result, _ := answer.Fields["result"].(map[string]any); err != nil || fmt.Sprint(result["ok"]) != "1" {
		t.Errorf("a command: %v, %v", answer.Fields, err)
	}
}

func TestKafkaAnswers(t *testing.T) {
	s := sowKafka(t)
	part := func(committed any, lag int64) map[string]any {
		return map[string]any{"partition": int64(0), "end": int64(5), "committed": committed, "lag": lag}
	}
	lag := map[string]any{"result": int64(3), "lag": int64(3), "partitionCount": int64(1), "partitions": []any{part(int64(2), 3)}}
	s.ask(t, map[string]answered{
		"Lag":     {reason: "how far a group is behind", query: s.query, want: lag},
		"YAML":    {reason: "in other words", query: `{"topic": "orders", "group": "billing"}`, want: lag},
		"Words":   {reason: "in few words", query: "orders billing", want: lag},
		"New":     {reason: "a group that has committed nothing has all before it", query: "topic=orders group=new", want: map[string]any{"result": int64(5), "lag": int64(5), "partitionCount": int64(1), "partitions": []any{part(nil, 5)}}},
		"Topic":   {reason: "a topic alone", query: "topic=orders", want: map[string]any{"result": int64(1), "partitionCount": int64(1)}},
		"Unknown": {reason: "no such topic", query: "topic=none", err: `there is no topic "none"`},
		"Huge":    {reason: "no answer is too long", query: "topic=wide group=billing", err: "the answer has more than 1000 partitions"},
		"Other":   {reason: "a slip", query: "topics=orders", err: `the query has "topics" (valid: topic, group)`},
		"Nothing": {reason: "which?", query: "group=billing", err: "the query names no topic"},
	})
}

func TestPrometheusAnswers(t *testing.T) {
	p := servers.StartPrometheus(t)
	p.Scraped(t)
	s := &sown{protocol: orkv1.ProtocolPrometheus, address: p.Address, url: func(address string) string { return "http://" + address }}
	client := asking(t, "x")
	for name, tc := range map[string]struct{ query, result, err string }{
		"Vector":  {`up{job="suite"}`, "1", ""},
		"Scalar":  {"1 + 1", "2", ""},
		"Scalar2": {"scalar(vector(0.5))", "0.5", ""},
		"None":    {"nothing_of_the_kind", "", ""},
		"NaN":     {"vector(0) / 0", "NaN", ""},
		"Wrong":   {"up{", "", "status 400: "},
	} {
		r := s.request(s.address)
		r.Query = tc.query
		answer, err := client.Call(t.Context(), r)
		switch {
		case tc.err != "":
			if err == nil || !strings.Contains(err.Error(), tc.err) || !strings.Contains(err.Error(), "parse error") {
				t.Errorf("%s: %v, want %s", name, err, tc.err)
			}
		case err != nil || answer.Fields["result"] != tc.result || answer.Fields["raw"] == nil:
			t.Errorf("%s: %v, %v", name, answer.Fields, err)
		}
	}
}

// Whatever becomes of a server, a call tells of it in time and without its credential, and the first call after it is back succeeds.
func TestProtocolsInTrouble(t *testing.T) {
	postgres, _ := sowPostgres(t)
	for _, s := range []*sown{postgres, sowRedis(t), sowMongo(t), sowKafka(t)} {
		t.Run(string(s.protocol), func(t *testing.T) { s.suffer(t) })
	}
}

func (s *sown) suffer(t *testing.T) {
	t.Helper()
	client := asking(t, s.password)
	call := func(when string, r external.Request, want string) {
		t.Helper()
		began := time.Now()
		answer, err := client.Call(t.Context(), r)
		text := ""
		if err != nil {
			text = err.Error()
		}
		if (want == "") != (err == nil) || !strings.Contains(strings.ToLower(text), want) {
			t.Errorf("%s: %v (%v), want %q", when, err, answer.Fields, want)
		}
		if took := time.Since(began); took > r.Timeout+3*time.Second {
			t.Errorf("%s: took %s", when, took)
		}
		if strings.Contains(text, s.password) || strings.Contains(text, "wr0ng") {
			t.Errorf("%s: the error tells the credential: %v", when, err)
		}
	}
	good := s.request(s.address)
	call("at first", good, "")

	refused := good
	refused.Auth = &orkv1.CallAuth{Env: "WRONG"}
	_, err := client.Call(t.Context(), refused)
	server, ok := errors.AsType[*external.ServerError](err)
	if !s.silent && (!ok || !server.Refused || external.FailureOf(err) != "server") || err == nil || strings.Contains(err.Error(), "wr0ng") {
		t.Errorf("a wrong credential: %v", err)
	}
	call("after a wrong credential", good, "")

	inURL := good
	inURL.Auth, inURL.URL = nil, strings.Replace(good.URL, "://", "://"+url.UserPassword("nobody", "wr0ng-too").String()+"@", 1)
	if strings.Contains(good.URL, "@") {
		user, rest, _ := strings.Cut(good.URL, "@")
		inURL.URL = user + ":wr0ng-too@" + rest
	}
	if _, err := client.Call(t.Context(), inURL); err == nil || strings.Contains(err.Error(), "wr0ng") {
		t.Errorf("a wrong password in the url: %v", err)
	}

	s.stop()
	call("while it is down", good, "connection refused")
	s.start()
	call("as soon as it is back", good, "")
	s.stop()
	s.start()
	call("after it was gone for a moment", good, "")

	proxy := servers.StartProxy(t, s.address)
	through := s.request(proxy.Address)
	through.Timeout = time.Second
	proxy.Set(servers.Hang)
	call("while it hangs", through, "no answer within 1s")
	proxy.Set(servers.Refuse)
	through.Timeout = 5 * time.Second
	call("while it refuses", through, "connection refused")
	proxy.Set(servers.Pass)
	call("when it does no longer", through, "")
	if s.direct {
		return
	}
	before := proxy.Accepted()
	for range 5 {
		call("again and again", through, "")
	}
	if made := proxy.Accepted() - before; made > 1 {
		t.Errorf("%d connections are made for calls one after the other", made)
	}
	proxy.Drop()
	call("after its connections were cut", through, "")
	proxy.CutAfter(100)
	through.Timeout = 2 * time.Second
	_, _ = client.Call(t.Context(), through)
	proxy.Set(servers.Pass)
	call("after an answer was cut", through, "")
}

// A URL from a resource leads to no address that is refused, also under another name.
func TestProtocolsRefuseAddresses(t *testing.T) {
	strict, err := all.Registry(reach.Options{})
	if err != nil {
		t.Fatal(err)
	}
	lied, err := all.Registry(reach.Options{Resolver: liar.Resolver(t, net.IPv4(169, 254, 169, 254))})
	if err != nil {
		t.Fatal(err)
	}
	for protocol, of := range map[orkv1.Protocol]struct{ scheme, path, query string }{
		orkv1.ProtocolPrometheus: {"http://", "", "up"},
		orkv1.ProtocolRedis:      {"redis://", "", "PING"},
		orkv1.ProtocolPostgres:   {"postgres://u@", "/d?sslmode=disable", "SELECT 1"},
		orkv1.ProtocolMongo:      {"mongodb://", "/d", `{"ping": 1}`},
		orkv1.ProtocolKafka:      {"kafka://", "", "topic=a"},
	} {
		for host, registry := range map[string]external.Registry{
			"127.0.0.1:1": strict, "[::1]:1": strict, "169.254.169.254:80": strict, "0.0.0.0:1": strict, "db.example.com:1": lied,
		} {
			client := external.NewClient(registry, external.ClientOptions{})
			_, err := client.Call(t.Context(), external.Request{Protocol: protocol, URL: of.scheme + host + of.path, Query: of.query, Timeout: 5 * time.Second})
			if _, ok := errors.AsType[*reach.AddressError](err); !ok || external.FailureOf(err) != "address" {
				t.Errorf("%s at %s: %v, want an AddressError", protocol, host, err)
			}
			client.Close()
		}
	}
}

// hostile answers each connection with what it is told, and goes on with it for as long as somebody reads.
func hostile(t *testing.T, greeting []byte, more func() []byte) string {
	t.Helper()
	return listening(t, func(connection net.Conn) {
		go func() { _, _ = io.Copy(io.Discard, connection) }()
		_, err := connection.Write(greeting)
		for i := 0; err == nil && i < 4096 && more != nil; i++ {
			_, err = connection.Write(more())
		}
		time.AfterFunc(2*time.Second, func() { _ = connection.Close() })
		_, _ = connection.Read(make([]byte, 1))
	})
}

// listening is the address of a server that answers each connection, which ends with the answer.
func listening(t *testing.T, answer func(net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // closed below
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = connection.Close() }()
				answer(connection)
			}()
		}
	}()
	return listener.Addr().String()
}

// A server that is none, or means ill, gets an error out of a call and nothing else: no panic, and no memory.
func TestProtocolsOfHostileServers(t *testing.T) {
	random := make([]byte, 64<<10)
	_, _ = rand.Read(random)
	noise := func() []byte { return random }
	fine := []byte(strings.Repeat("+OK\r\n", 1000))
	answers := map[string]struct {
		greeting string
		more     func() []byte
	}{
		"Noise":         {more: noise},
		"HTTP":          {greeting: "HTTP/1.1 400 Bad Request\r\nContent-Length: 3\r\n\r\nno\n"},
		"Nothing":       {},
		"RedisLong":     {greeting: "$9223372036854775800\r\n", more: noise},
		"RedisMany":     {greeting: strings.Repeat("*300000\r\n", 1000), more: noise},
		"RedisEndless":  {more: func() []byte { return fine }},
		"RedisNested":   {greeting: strings.Repeat("*1\r\n", 200000)},
		"PostgresLong":  {greeting: "R\x7f\xff\xff\xff\x00\x00\x00\x00", more: noise},
		"PostgresHuge":  {greeting: "R\x00\x00\x00\x08\x00\x00\x00\x00Z\x00\x00\x00\x05IT\x7f\xff\xff\xff", more: noise},
		"PostgresLoud":  {greeting: "E\x00\x00\x00\x0eMsome \x00\x00\x00"},
		"MongoLong":     {greeting: "\xff\xff\xff\x7f\x01\x00\x00\x00\x01\x00\x00\x00\xdd\x07\x00\x00", more: noise},
		"MongoNegative": {greeting: "\xff\xff\xff\xff\x01\x00\x00\x00\x01\x00\x00\x00\xdd\x07\x00\x00", more: noise},
		"MongoBomb":     {greeting: "\x40\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\xdc\x07\x00\x00", more: noise},
		"KafkaLong":     {greeting: "\x7f\xff\xff\xff\x00\x00\x00\x00", more: noise},
	}
	for name, tc := range answers {
		t.Run(name, func(t *testing.T) {
			address := hostile(t, []byte(tc.greeting), tc.more)
			client := asking(t, "s3cret-of-ours")
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for protocol, of := range map[orkv1.Protocol]struct{ scheme, path, query string }{
				orkv1.ProtocolPrometheus: {"http://", "", "up"},
				orkv1.ProtocolRedis:      {"redis://", "", "LRANGE a 0 -1"},
				orkv1.ProtocolPostgres:   {"postgres://u@", "/d?sslmode=disable", "SELECT 1"},
				orkv1.ProtocolMongo:      {"mongodb://u@", "/d", `{"ping": 1}`},
				orkv1.ProtocolKafka:      {"kafka://u@", "", "topic=a"},
			} {
				began := time.Now()
				_, err := client.Call(t.Context(), external.Request{
					Protocol: protocol, URL: of.scheme + address + of.path, Query: of.query, Auth: &orkv1.CallAuth{Env: "PASSWORD"}, Timeout: time.Second,
				})
				if took := time.Since(began); err == nil || took > 4*time.Second || strings.Contains(err.Error(), "s3cret") {
					t.Errorf("%s: %v after %s", protocol, err, took)
				}
			}
			runtime.ReadMemStats(&after)
			if used := int64(after.TotalAlloc-before.TotalAlloc) >> 20; used > 64 {
				t.Errorf("%d MiB were taken for it", used)
			}
		})
	}
}
