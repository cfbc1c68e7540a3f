package servers

import (
	"context"
	"net/url"
	"path/filepath"
	"syscall"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// Mongo is a FerretDB with SQLite, which speaks MongoDB's protocol and checks users by SCRAM. MongoDB itself is not free to have. It has no
// roles: whoever is let in may do anything, and a user can be made with no roles only.
type Mongo struct {
	*process
	// Address is host:port.
	Address string
	// User and Password are those of the first user, in the database admin.
	User, Password string
}

// StartMongo starts a FerretDB.
func StartMongo(t T) *Mongo {
	t.Helper()
	address, dir := local(reserve(t)), folder(t, "mongo")
	m := &Mongo{Address: address, User: "root", Password: "root-secret"}
	m.process = &process{
		t: t, binary: built(t, "ferretdb"), dir: dir, quit: syscall.SIGTERM,
		args: []string{
			"--listen-addr=" + address, "--handler=sqlite", "--sqlite-url=file:" + dir + "/", "--state-dir=" + filepath.Join(dir, "state"),
			"--telemetry=disable", "--debug-addr=-", "--log-level=warn",
			"--test-enable-new-auth", "--setup-database=admin", "--setup-username=" + m.User, "--setup-password=" + m.Password,
		},
		ready: func(ctx context.Context) error {
			client, err := mongo.Connect(options.Client().ApplyURI(m.URL(m.User, m.Password, "admin")))
			if err != nil {
				return err
			}
			defer func() { _ = client.Disconnect(ctx) }()
			return client.Ping(ctx, nil)
		},
	}
	m.launch()
	return m
}

// URL is where a user of a database finds the server.
func (m *Mongo) URL(user, password, database string) string {
	return MongoURL(m.Address, user, password, database)
}

// MongoURL is where a user of a database finds the server at an address, such as a Proxy's.
func MongoURL(address, user, password, database string) string {
	u := url.URL{Scheme: "mongodb", User: url.UserPassword(user, password), Host: address, Path: "/" + database, RawQuery: "authMechanism=SCRAM-SHA-256&directConnection=true"}
	return u.String()
}
