package all_test

import (
	"strings"
	"testing"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/providers/external"
	"github.com/orkestra-runtime/orkestra/providers/external/all"
	"github.com/orkestra-runtime/orkestra/providers/reach"
)

// What would be refused whenever it is asked is known before anything runs.
func TestCheck(t *testing.T) {
	clients, err := all.Registry(reach.Options{})
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		protocol    orkv1.Protocol
		query, want string
		args        []string
	}{
		"Redis":         {protocol: orkv1.ProtocolRedis, query: "GET", args: []string{"{{ .metadata.name }}"}},
		"RedisWrites":   {protocol: orkv1.ProtocolRedis, query: "SET", args: []string{"a", "{{ .spec.a }}"}, want: `the command "SET" is none of those`},
		"RedisPart":     {protocol: orkv1.ProtocolRedis, query: "MEMORY", args: []string{"{{ .spec.a }}"}},
		"RedisPurge":    {protocol: orkv1.ProtocolRedis, query: "MEMORY PURGE", want: "of MEMORY, it may use USAGE"},
		"RedisQuote":    {protocol: orkv1.ProtocolRedis, query: "GET 'a", want: "without another one that ends"},
		"Postgres":      {protocol: orkv1.ProtocolPostgres, query: "select 1"},
		"PostgresWrite": {protocol: orkv1.ProtocolPostgres, query: "DELETE FROM a", want: "the query begins with DELETE, and a call only reads"},
		"Mongo":         {protocol: orkv1.ProtocolMongo, query: `{"collection": "orders"}`},
		"MongoText":     {protocol: orkv1.ProtocolMongo, query: "db.orders.find()", want: "the query is not JSON of an object"},
		"MongoOut":      {protocol: orkv1.ProtocolMongo, query: `{"collection": "a", "pipeline": [{"$out": "b"}]}`, want: "the query has $out"},
		"Kafka":         {protocol: orkv1.ProtocolKafka, query: "topic=orders group=billing"},
		"KafkaTopic":    {protocol: orkv1.ProtocolKafka, query: "group=billing", want: "the query names no topic"},
		"KafkaWord":     {protocol: orkv1.ProtocolKafka, query: "topics=orders", want: `the query has "topics"`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			checker, ok := clients[tc.protocol].(external.Checker)
			if !ok {
				t.Fatalf("the client of %s checks nothing", tc.protocol)
			}
			err := checker.Check(tc.query, tc.args)
			if (tc.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("Check(%q, %q): %v, want %q", tc.query, tc.args, err, tc.want)
			}
		})
	}
}
