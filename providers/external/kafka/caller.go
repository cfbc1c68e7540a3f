package kafka

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"github.com/orkestra-runtime/orkestra/providers/external"
	"github.com/orkestra-runtime/orkestra/providers/reach"
)

// Caller makes calls of the protocol kafka. It is safe for concurrent use, and keeps connections.
type Caller struct {
	dialer  *reach.Dialer
	clients *external.Connections[*client]
}

var (
	_ external.Caller  = (*Caller)(nil)
	_ external.Checker = (*Caller)(nil)
)

// New returns a Caller that connects with a Dialer. Nil is the one without exceptions.
func New(dialer *reach.Dialer) *Caller {
	c := &Caller{dialer: dialer.OrStrict()}
	c.clients = external.NewConnections(c.open, func(one *client) { one.Close() })
	return c
}

// Close closes the connections that nobody uses.
func (c *Caller) Close() { c.clients.Close() }

// Call makes one try. The result is the lag of the group over all partitions, or without a group the number of partitions.
func (c *Caller) Call(ctx context.Context, r external.Request) (external.Answer, error) {
	return r.Try(ctx, func(ctx context.Context) (external.Answer, error) {
		asked, err := questionOf(r.Query)
		if err != nil {
			return external.Answer{}, err
		}
		return c.clients.Use(ctx, &r, func(one *client) (external.Answer, error) {
			fields, err := asked.ask(ctx, kadm.NewClient(one.Client))
			if err != nil {
				return external.Answer{}, one.told(&r, err)
			}
			return r.Answered(withoutResult(fields), fields)
		})
	})
}

func withoutResult(fields map[string]any) map[string]any {
	text := map[string]any{}
	for name, value := range fields {
		if name != "result" {
			text[name] = value
		}
	}
	return text
}

// client asks one cluster.
type client struct {
	*kgo.Client

	mu     sync.Mutex // guards the rest
	failed error      // of the last attempt to connect
}

// Bounds of a client: how much a broker may answer, how long a connection is kept that nobody uses, and how long an attempt may take when no
// context says so.
const (
	mostAnswer = 4 << 20
	idle       = 2 * time.Minute
	ending     = 10 * time.Second
)

// open makes a client, which connects when it is asked. Brokers tell of others, which are dialed as the first are.
func (c *Caller) open(r *external.Request) (*client, error) {
	withScheme := *r
	if !strings.Contains(r.URL, "://") {
		withScheme.URL = "kafka://" + strings.TrimSpace(r.URL)
	}
	target, hosts, err := withScheme.Targets("kafka")
	if err != nil {
		return nil, err
	}
	parameters, err := external.Parameters(target, "tls", "mechanism")
	if err != nil {
		return nil, err
	}
	one := &client{}
	opts := []kgo.Opt{
		kgo.SeedBrokers(hosts...), kgo.ClientID("orkestra"), kgo.DisableClientMetrics(), kgo.FetchMaxBytes(mostAnswer), kgo.BrokerMaxReadBytes(mostAnswer),
		kgo.ConnIdleTimeout(idle), kgo.RequestRetries(1), kgo.RetryTimeout(ending), kgo.RequestTimeoutOverhead(ending), kgo.MetadataMinAge(time.Second),
	}
	secured := false
	switch by := parameters.Get("tls"); by {
	case "true":
		secured = true
	case "", "false":
	default:
		return nil, &external.RequestError{Problem: fmt.Sprintf("the url has tls=%.20s (valid: true, false)", by)}
	}
	opts = append(opts, kgo.Dialer(func(ctx context.Context, network, address string) (net.Conn, error) {
		connection, err := c.connect(ctx, network, address, secured)
		one.mu.Lock()
		defer one.mu.Unlock()
		one.failed = err
		return connection, err
	}))
	switch user := target.User.Username(); {
	case user == "" && r.Auth != nil:
		return nil, &external.RequestError{Problem: "auth is the password of a user, and the url names none, as in kafka://user@host:9092"}
	case user != "":
		mechanism, err := mechanismOf(parameters, user, r.Password(target))
		if err != nil {
			return nil, err
		}
		opts = append(opts, kgo.SASL(mechanism))
	}
	if one.Client, err = kgo.NewClient(opts...); err != nil {
		return nil, &external.RequestError{Problem: r.Say("the url: " + err.Error())}
	}
	return one, nil
}

func (c *Caller) connect(ctx context.Context, network, address string, secured bool) (net.Conn, error) {
	connection, err := c.dialer.DialContext(ctx, network, address)
	if err != nil || !secured {
		return connection, err //nolint:wrapcheck // Plain does
	}
	host, _, _ := net.SplitHostPort(address)
	over := tls.Client(connection, &tls.Config{ServerName: host, MinVersion: tls.VersionTLS12})
	if err := over.HandshakeContext(ctx); err != nil {
		_ = connection.Close()
		return nil, err //nolint:wrapcheck // Plain does
	}
	return over, nil
}

func mechanismOf(parameters url.Values, user, password string) (sasl.Mechanism, error) {
	switch by := strings.ToLower(parameters.Get("mechanism")); by {
	case "", "plain":
		return plain.Auth{User: user, Pass: password}.AsMechanism(), nil
	case "scram-sha-256":
		return scram.Auth{User: user, Pass: password}.AsSha256Mechanism(), nil
	case "scram-sha-512":
		return scram.Auth{User: user, Pass: password}.AsSha512Mechanism(), nil
	default:
		return nil, &external.RequestError{Problem: fmt.Sprintf("the url has mechanism=%.20s (valid: plain, scram-sha-256, scram-sha-512)", by)}
	}
}

// told is an error in the cluster's words, if they are that, or else why there is no connection.
func (c *client) told(r *external.Request, err error) error {
	if server, ok := errors.AsType[*kerr.Error](err); ok {
		refused := errors.Is(server, kerr.SaslAuthenticationFailed) || errors.Is(server, kerr.TopicAuthorizationFailed) ||
			errors.Is(server, kerr.GroupAuthorizationFailed) || errors.Is(server, kerr.ClusterAuthorizationFailed)
		return &external.ServerError{Text: r.Say(server.Message + ": " + server.Description), Refused: refused}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed != nil {
		return c.failed
	}
	return err
}
