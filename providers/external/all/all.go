// Package all has a client for each protocol of external calls, with all that they take. Whoever builds a binary chooses it, or makes a
// registry of those that it needs.
package all

import (
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/providers/external"
	"github.com/orkestra-runtime/orkestra/providers/external/kafka"
	"github.com/orkestra-runtime/orkestra/providers/external/mongo"
	"github.com/orkestra-runtime/orkestra/providers/external/postgres"
	"github.com/orkestra-runtime/orkestra/providers/external/prometheus"
	"github.com/orkestra-runtime/orkestra/providers/external/redis"
	"github.com/orkestra-runtime/orkestra/providers/reach"
)

// Registry returns a Caller for each protocol, all of which connect with the same Dialer. An error names the exception that is none.
func Registry(opts reach.Options) (external.Registry, error) {
	dialer, err := reach.New(opts)
	if err != nil {
		return nil, err //nolint:wrapcheck // names the exception
	}
	return external.Registry{
		orkv1.ProtocolHTTP:       external.NewHTTP(dialer),
		orkv1.ProtocolPrometheus: prometheus.New(dialer),
		orkv1.ProtocolRedis:      redis.New(dialer),
		orkv1.ProtocolPostgres:   postgres.New(dialer),
		orkv1.ProtocolMongo:      mongo.New(dialer),
		orkv1.ProtocolKafka:      kafka.New(dialer),
	}, nil
}
