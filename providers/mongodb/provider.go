package mongodb

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/topology"

	"github.com/orkestra-runtime/orkestra/providers"
	"github.com/orkestra-runtime/orkestra/providers/declared"
	"github.com/orkestra-runtime/orkestra/providers/pool"
)

// Options of a Provider.
type Options = declared.Options

// Provider keeps what is declared in MongoDB servers.
type Provider struct {
	declared.Provider

	clients *pool.Pool[key, *mongo.Client]
}

var _ providers.Checker = (*Provider)(nil)

// New returns a Provider, whose name is mongodb. Its kinds are database and user.
func New(opts Options) *Provider {
	p := &Provider{}
	p.clients = pool.New[key](p.disconnect)
	p.Provider = declared.New("mongodb", opts, p.clients.Close)
	p.Add("database", p.databases())
	p.Add("user", p.users())
	return p
}

// key is all that makes clients different. An empty user is the one of the address.
type key struct{ uri, user, password string }

// mostConnections is how many connections there are to one server at most.
const mostConnections = 8

// open makes a client. It connects when it is used.
func (p *Provider) open(k key) (*mongo.Client, error) {
	return p.client(k, "")
}

// client makes a client of a user in a database, which may be empty, as may be the user: then those of the address are meant.
func (p *Provider) client(k key, database string) (*mongo.Client, error) {
	opts := options.Client().ApplyURI(k.uri).SetAppName("orkestra").SetTimeout(p.Timeout()).
		SetServerSelectionTimeout(p.Timeout()).SetConnectTimeout(p.Timeout()).SetMaxPoolSize(mostConnections).SetRetryReads(false).SetRetryWrites(false)
	if k.user != "" {
		login := options.Credential{Username: k.user, Password: k.password}
		if opts.Auth != nil {
			login.AuthMechanism, login.AuthSource = opts.Auth.AuthMechanism, opts.Auth.AuthSource
		}
		login.AuthSource = cmp.Or(database, login.AuthSource)
		opts.SetAuth(login)
	}
	client, err := mongo.Connect(opts)
	if err != nil {
		return nil, errAddress
	}
	return client, nil
}

// errAddress is an address that is none. What the driver says of it may hold the password.
var errAddress = errors.New("the uri of the Katalog's claim is no address such as mongodb://user:password@host:27017/?authSource=admin")

func (p *Provider) disconnect(client *mongo.Client) {
	ctx, cancel := context.WithTimeout(context.Background(), p.Timeout())
	defer cancel()
	_ = client.Disconnect(ctx) // it is not used any more, whatever the server says
}

// key is where the server of a thing is, with the credential for it.
func (p *Provider) key(ctx context.Context, t *declared.Thing) (key, error) {
	k := key{uri: t.Request.Auth["uri"]}
	if k.uri == "" {
		return k, errors.New("the Katalog's claim of the provider mongodb has no uri in its auth")
	}
	t.Hide(k.uri)
	if t.Fields["authSecret.name"] == "" {
		return k, nil
	}
	auth, err := t.Auth(ctx, "username", "password")
	k.user, k.password = auth["username"], auth["password"]
	return k, err
}

// server is a MongoDB server, as its administrator sees it.
type server struct {
	*mongo.Client
	provider *Provider
	key      key
}

// use runs f with the server of a thing.
func (p *Provider) use(ctx context.Context, t *declared.Thing, f func(*server) error) error {
	k, err := p.key(ctx, t)
	if err != nil {
		return err
	}
	return p.clients.Use(k, p.open, func(client *mongo.Client) error {
		return p.told(f(&server{Client: client, provider: p, key: k}))
	})
}

// told says what went wrong in few words: the driver tells of all it knows of the servers.
func (p *Provider) told(err error) error {
	if err == nil {
		return nil
	}
	if said, ok := errors.AsType[mongo.CommandError](err); ok && said.Code != 0 {
		return &serverError{fmt.Sprintf("%s (%s)", said.Message, cmp.Or(said.Name, fmt.Sprint(said.Code)))}
	}
	if none, ok := errors.AsType[topology.ServerSelectionError](err); ok {
		for i := range none.Desc.Servers {
			if last := none.Desc.Servers[i].LastError; last != nil {
				return fmt.Errorf("no server was found within %s: %w", p.Timeout(), declared.Cause(last))
			}
		}
	}
	if mongo.IsTimeout(err) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("the server did not answer within %s: %w", p.Timeout(), context.DeadlineExceeded)
	}
	if driver, ok := errors.AsType[mongo.LabeledError](err); ok {
		return fmt.Errorf("ask the server: %w", declared.Cause(driver))
	}
	return err
}

// serverError is what the server says.
type serverError struct{ text string }

func (e *serverError) Error() string { return e.text }

// Answered tells that the server is there.
func (e *serverError) Answered() {}
