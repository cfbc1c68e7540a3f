package redis

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/orkestra-runtime/orkestra/providers/external"
	"github.com/orkestra-runtime/orkestra/providers/reach"
)

// Caller makes calls of the protocol redis. It is safe for concurrent use, and keeps connections.
type Caller struct {
	dialer *reach.Dialer
	pools  *external.Connections[*goredis.Client]
}

var (
	_ external.Caller  = (*Caller)(nil)
	_ external.Checker = (*Caller)(nil)
)

// quiet has the client log nothing: what is wrong stands in the error of a call.
var quiet = sync.OnceFunc(logging.Disable)

// New returns a Caller that connects with a Dialer. Nil is the one without exceptions.
func New(dialer *reach.Dialer) *Caller {
	quiet()
	c := &Caller{dialer: dialer.OrStrict()}
	c.pools = external.NewConnections(c.open, func(client *goredis.Client) { _ = client.Close() })
	return c
}

// Close closes the connections that nobody uses.
func (c *Caller) Close() { c.pools.Close() }

// Call makes one try. The result is the reply, empty where there is none. Raw has it as its value, which is null then.
func (c *Caller) Call(ctx context.Context, r external.Request) (external.Answer, error) {
	return r.Try(ctx, func(ctx context.Context) (external.Answer, error) {
		command, err := commandOf(&r)
		if err != nil {
			return external.Answer{}, err
		}
		return c.pools.Use(ctx, &r, func(client *goredis.Client) (external.Answer, error) {
			reply, err := client.Do(ctx, command...).Result()
			if err != nil && !errors.Is(err, goredis.Nil) {
				return external.Answer{}, told(&r, err)
			}
			value := plain(reply)
			result := value
			if value == nil {
				result = ""
			}
			return r.Answered(result, map[string]any{"result": result, "raw": map[string]any{"value": value}})
		})
	})
}

// idle is how long a connection is kept that nobody uses.
const idle = 2 * time.Minute

// open makes a client, which connects when it is asked.
func (c *Caller) open(r *external.Request) (*goredis.Client, error) {
	target, err := r.Target("redis", "rediss")
	if err != nil {
		return nil, err
	}
	if _, err := external.Parameters(target); err != nil {
		return nil, err
	}
	number := 0
	if path := strings.Trim(target.Path, "/"); path != "" {
		if number, err = strconv.Atoi(path); err != nil || number < 0 {
			return nil, &external.RequestError{Problem: "the path of the url is no number of a database, as in redis://host:6379/0"}
		}
	}
	size := r.Size()
	return goredis.NewClient(&goredis.Options{
		Addr: net.JoinHostPort(target.Hostname(), cmp.Or(target.Port(), "6379")), DB: number,
		Username: target.User.Username(), Password: r.Password(target),
		Dialer:   c.dial(target),
		PoolSize: size, MaxActiveConns: size, MaxIdleConns: size, ConnMaxIdleTime: idle, PoolTimeout: time.Hour,
		// The time of a try is that of its context, and Connections try once more.
		ContextTimeoutEnabled: true, ReadTimeout: -1, WriteTimeout: -1, DialTimeout: reach.Timeout, MaxRetries: -1, DialerRetries: 1,
		DisableIdentity:          true,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	}), nil
}

// dial connects, and does what rediss means itself: what is read is looked at in the clear.
func (c *Caller) dial(target *url.URL) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		connection, err := c.dialer.DialContext(ctx, network, address)
		if err != nil || target.Scheme == "redis" {
			return screened(connection, err)
		}
		secured := tls.Client(connection, &tls.Config{ServerName: target.Hostname(), MinVersion: tls.VersionTLS12})
		if err := secured.HandshakeContext(ctx); err != nil {
			_ = connection.Close()
			return nil, err //nolint:wrapcheck // Plain does
		}
		return screened(secured, nil)
	}
}

// refusals are what replies begin with that do not take the credential, or give it no right.
var refusals = []string{"WRONGPASS", "NOAUTH", "NOPERM", "ERR invalid password"}

// told is an error in the server's words, if they are that.
func told(r *external.Request, err error) error {
	server, ok := errors.AsType[goredis.Error](err)
	if !ok {
		return err
	}
	text := server.Error()
	refused := slices.ContainsFunc(refusals, func(one string) bool { return strings.HasPrefix(text, one) })
	return &external.ServerError{Text: r.Say(text), Refused: refused}
}
