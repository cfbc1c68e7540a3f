package mongo

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	mongodriver "go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver"

	"github.com/orkestra-runtime/orkestra/providers/external"
	"github.com/orkestra-runtime/orkestra/providers/reach"
)

// Caller makes calls of the protocol mongo. It is safe for concurrent use, and keeps connections.
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
	c.clients = external.NewConnections(c.open, func(one *client) { one.shut() })
	return c
}

// Close closes the connections that nobody uses.
func (c *Caller) Close() { c.clients.Close() }

// Call makes one try. The result is the first document, or what a command replies.
func (c *Caller) Call(ctx context.Context, r external.Request) (external.Answer, error) {
	return r.Try(ctx, func(ctx context.Context) (external.Answer, error) {
		asked, err := questionOf(r.Query)
		if err != nil {
			return external.Answer{}, err
		}
		return c.clients.Use(ctx, &r, func(one *client) (external.Answer, error) {
			found, err := asked.ask(ctx, one)
			if err != nil {
				return external.Answer{}, one.told(&r, err)
			}
			return r.Answered(found.text, map[string]any{"result": found.result, "documents": found.documents, "count": found.count})
		})
	})
}

// client asks one deployment.
type client struct {
	*mongodriver.Client
	database string

	dialer *reach.Dialer
	secure *tls.Config // nil: connections are in the clear
	mu     sync.Mutex  // guards the rest
	failed error       // of the last attempt to connect
}

// Times of a client: how long it looks for a server, how long a connection is kept that nobody uses, and how long it may take to end.
const (
	selecting = 3 * time.Second
	idle      = 2 * time.Minute
	ending    = 2 * time.Second
)

// parameters are those of a URL that lead to no file, no other server and no credential of the machine.
var parameters = []string{
	"authSource", "authMechanism", "replicaSet", "tls", "ssl", "directConnection", "readPreference", "readConcernLevel", "appName", "loadBalanced",
	"retryReads", "retryWrites", "w", "connectTimeoutMS", "maxStalenessSeconds", "srvServiceName",
}

// open makes a client, which connects beside.
func (c *Caller) open(r *external.Request) (*client, error) {
	target, hosts, err := r.Targets("mongodb", "mongodb+srv")
	if err != nil {
		return nil, err
	}
	values, err := external.Parameters(target, parameters...)
	if err != nil {
		return nil, err
	}
	if by := values.Get("authMechanism"); by != "" && !slices.Contains([]string{"SCRAM-SHA-1", "SCRAM-SHA-256", "PLAIN"}, by) {
		return nil, &external.RequestError{Problem: fmt.Sprintf("the url has the authMechanism %.40q (valid: SCRAM-SHA-1, SCRAM-SHA-256, PLAIN)", by)}
	}
	for _, ours := range []string{"retryReads", "retryWrites", "connectTimeoutMS"} {
		values.Del(ours)
	}
	address := url.URL{Scheme: target.Scheme, Host: strings.Join(hosts, ","), Path: "/" + strings.Trim(target.Path, "/"), RawQuery: values.Encode()}
	switch user := target.User.Username(); {
	case user != "":
		address.User = url.UserPassword(user, r.Password(target))
	case r.Auth != nil:
		return nil, &external.RequestError{Problem: "auth is the password of a user, and the url names none, as in mongodb://user@host/database"}
	}
	one := &client{database: strings.Trim(target.Path, "/"), dialer: c.dialer}
	size := uint64(r.Size()) //nolint:gosec // positive
	opts := options.Client().ApplyURI(address.String())
	one.secure, opts.TLSConfig = opts.TLSConfig, nil // what is read is looked at in the clear
	opts.SetDialer(one).SetMaxPoolSize(size).SetMaxConnIdleTime(idle).SetServerSelectionTimeout(selecting).SetConnectTimeout(reach.Timeout).
		SetRetryReads(false).SetServerMonitoringMode("poll")
	opts.Compressors = nil
	if one.Client, err = mongodriver.Connect(opts); err != nil {
		return nil, &external.RequestError{Problem: r.Say("the url: " + err.Error())}
	}
	return one, nil
}

func (c *client) shut() {
	ctx, cancel := context.WithTimeout(context.Background(), ending)
	defer cancel()
	_ = c.Disconnect(ctx) // nobody asks it any more
}

// DialContext connects to a server of the deployment, and does what tls means itself.
func (c *client) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	connection, err := c.connect(ctx, network, address)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed = err; err != nil {
		return nil, err
	}
	return &screen{Conn: connection}, nil
}

func (c *client) connect(ctx context.Context, network, address string) (net.Conn, error) {
	connection, err := c.dialer.DialContext(ctx, network, address)
	if err != nil || c.secure == nil {
		return connection, err //nolint:wrapcheck // Plain does
	}
	config := c.secure.Clone()
	config.MinVersion = tls.VersionTLS12
	if config.ServerName == "" {
		config.ServerName, _, _ = net.SplitHostPort(address)
	}
	secured := tls.Client(connection, config)
	if err := secured.HandshakeContext(ctx); err != nil {
		_ = connection.Close()
		return nil, err //nolint:wrapcheck // Plain does
	}
	return secured, nil
}

// refusals are the codes of errors about a credential: a user that is not there, one without the right, a wrong password.
var refusals = []int32{11, 13, 18}

// told is an error in the server's words, if they are that, or else why there is no connection.
func (c *client) told(r *external.Request, err error) error {
	if server, ok := errors.AsType[mongodriver.CommandError](err); ok && !server.HasErrorLabel("NetworkError") {
		return said(r, server.Code, server.Name, server.Message)
	}
	if server, ok := errors.AsType[driver.Error](err); ok && server.Code != 0 {
		return said(r, server.Code, server.Name, server.Message)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed != nil {
		return c.failed
	}
	return err
}

func said(r *external.Request, code int32, name, message string) error {
	text := message
	if name != "" {
		text = name + ": " + message
	}
	return &external.ServerError{Text: r.Say(text), Refused: slices.Contains(refusals, code)}
}

// database is the one that a question names, or else that of the URL.
func (c *client) in(name string) (*mongodriver.Database, error) {
	if name == "" {
		name = c.database
	}
	if name == "" {
		return nil, &external.RequestError{Problem: "neither the url nor the query names a database, as in mongodb://host/shop"}
	}
	return c.Database(name), nil
}

// found is what an answer comes to.
type found struct {
	result    any
	documents []any
	count     int64
	text      any
}

func (f *found) add(document bson.Raw) error {
	value, err := plainDocument(document)
	if err != nil {
		return err
	}
	f.documents = append(f.documents, value)
	return nil
}
