package katalog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// reservedProtocols are names that no call may use yet.
var reservedProtocols = setOf("grpc", "nats", "mqtt")

// protocolOnly are the fields of an external call that not every protocol has, and those that have them.
var protocolOnly = []struct {
	name string
	set  func(*orkv1.ExternalCall) bool
	by   []orkv1.Protocol
}{
	{"method", func(c *orkv1.ExternalCall) bool { return c.Method != "" }, []orkv1.Protocol{orkv1.ProtocolHTTP}},
	{"body", func(c *orkv1.ExternalCall) bool { return c.Body != "" }, []orkv1.Protocol{orkv1.ProtocolHTTP}},
	{"expectedStatus", func(c *orkv1.ExternalCall) bool { return c.ExpectedStatus != 0 }, []orkv1.Protocol{orkv1.ProtocolHTTP}},
	{"headers", func(c *orkv1.ExternalCall) bool { return len(c.Headers) > 0 }, []orkv1.Protocol{orkv1.ProtocolHTTP, orkv1.ProtocolPrometheus}},
	{"args", func(c *orkv1.ExternalCall) bool { return len(c.Args) > 0 }, []orkv1.Protocol{orkv1.ProtocolPostgres, orkv1.ProtocolRedis}},
	{
		"poolSize", func(c *orkv1.ExternalCall) bool { return c.PoolSize != nil && *c.PoolSize > 0 },
		[]orkv1.Protocol{orkv1.ProtocolRedis, orkv1.ProtocolPostgres, orkv1.ProtocolMongo, orkv1.ProtocolKafka},
	},
}

// instead tells what a call of a protocol without a field uses in its place.
var instead = map[string]string{
	"method": "query says what is asked", "body": "query says what is asked", "expectedStatus": "it has no statuses",
	"headers": "they belong to http and prometheus", "args": "write {{ toJson .spec.value }} in query", "poolSize": "it needs none",
}

func protocolOf(call *orkv1.ExternalCall) orkv1.Protocol {
	return cmp.Or(call.Protocol, orkv1.ProtocolHTTP)
}

func isHTTP(call *orkv1.ExternalCall) bool { return protocolOf(call) == orkv1.ProtocolHTTP }

// protocol checks the fields that not every protocol has.
func (c *checker) protocol(call *orkv1.ExternalCall, at *field.Path) {
	protocol := protocolOf(call)
	switch {
	case call.Query == "" && protocol != orkv1.ProtocolHTTP:
		c.errorf(at, "query is required: it is what a call of the protocol %s asks", protocol)
	case call.Query != "" && protocol == orkv1.ProtocolHTTP:
		c.errorf(at.Child("query"), "the protocol http has no query: put it into url, or name another protocol")
	}
	for _, one := range protocolOnly {
		if !one.set(call) || slices.Contains(one.by, protocol) {
			continue
		}
		remedy := instead[one.name]
		if protocol == orkv1.ProtocolHTTP {
			remedy = fmt.Sprintf("it belongs to %s", joined(one.by))
		}
		c.errorf(at.Child(one.name), "the protocol %s has no %s: %s", protocol, one.name, remedy)
	}
	if header := call.Auth; header != nil && header.Header != "" && !isHTTP(call) && protocol != orkv1.ProtocolPrometheus {
		c.errorf(at.Child("auth", "header"), "the protocol %s has no headers: the credential is the password of the user in url", protocol)
	}
}

func joined(protocols []orkv1.Protocol) string {
	texts := make([]string, 0, len(protocols))
	for _, one := range protocols {
		texts = append(texts, string(one))
	}
	return strings.Join(texts, ", ")
}
