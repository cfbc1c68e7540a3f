package postgres

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/orkestra-runtime/orkestra/providers"
	"github.com/orkestra-runtime/orkestra/providers/declared"
	"github.com/orkestra-runtime/orkestra/providers/pool"
)

// Options of a Provider.
type Options = declared.Options

// Provider keeps what is declared in PostgreSQL servers.
type Provider struct {
	declared.Provider

	pools *pool.Pool[string, *pgxpool.Pool]
}

var _ providers.Checker = (*Provider)(nil)

// New returns a Provider, whose name is postgres. Its kinds are database, role and grant.
func New(opts Options) *Provider {
	p := &Provider{pools: pool.New[string]((*pgxpool.Pool).Close)}
	p.Provider = declared.New("postgres", opts, p.pools.Close)
	p.Add("database", p.databases())
	p.Add("role", p.roles())
	p.Add("grant", p.grants())
	return p
}

// mostConnections is how many connections there are to one server at most.
const mostConnections = 4

// mostMessage is how long one message of a server may be, in bytes: what is read has few and short rows.
const mostMessage = 4 << 20

// open makes a pool for an address that has all that is needed. It does not connect.
func (p *Provider) open(address string) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, errAddress
	}
	p.bound(config.ConnConfig)
	config.MaxConns, config.MinConns, config.MaxConnIdleTime = mostConnections, 0, time.Minute
	made, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		return nil, errAddress
	}
	return made, nil
}

// errAddress is an address that is none. What pgx says of it may hold the password.
var errAddress = errors.New("the url of the Katalog's claim is no address such as postgres://user:password@host:5432/postgres")

// bound has a connection be made in time, and its texts read in one way.
func (p *Provider) bound(config *pgx.ConnConfig) {
	config.ConnectTimeout = p.Timeout()
	config.MaxProtocolMessageBodyLen = mostMessage
	config.RuntimeParams["application_name"] = "orkestra"
	config.RuntimeParams["standard_conforming_strings"] = "on"
	// A server behind a pooler keeps no statements for us.
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
}

// address is where the server of a thing is, with the credential for it.
func (p *Provider) address(ctx context.Context, t *declared.Thing) (string, error) {
	claimed := t.Request.Auth["url"]
	if claimed == "" {
		return "", errors.New("the Katalog's claim of the provider postgres has no url in its auth")
	}
	parsed, err := url.Parse(claimed)
	if err != nil || parsed.Scheme != "postgres" && parsed.Scheme != "postgresql" {
		return "", errAddress
	}
	if password, ok := parsed.User.Password(); ok {
		t.Hide(password)
	}
	if parsed.Path == "" || parsed.Path == "/" {
		parsed.Path = "/postgres"
	}
	if t.Fields["authSecret.name"] != "" {
		auth, err := t.Auth(ctx, "username", "password")
		if err != nil {
			return "", err
		}
		parsed.User = url.UserPassword(auth["username"], auth["password"])
	}
	t.Hide(parsed.String())
	return parsed.String(), nil
}

// use runs f with the server of a thing.
func (p *Provider) use(ctx context.Context, t *declared.Thing, f func(*server) error) error {
	address, err := p.address(ctx, t)
	if err != nil {
		return err
	}
	return p.pools.Use(address, p.open, func(connections *pgxpool.Pool) error {
		return f(&server{timeout: p.Timeout(), pool: connections, bound: p.bound})
	})
}

// server is a PostgreSQL server, as its administrator sees it.
type server struct {
	timeout time.Duration
	pool    *pgxpool.Pool
	bound   func(*pgx.ConnConfig)
}

// executor runs statements: the pool, a connection to one database, or a transaction.
type executor interface {
	Exec(ctx context.Context, statement string, args ...any) (pgconn.CommandTag, error)
	QueryRow(ctx context.Context, query string, args ...any) pgx.Row
	Query(ctx context.Context, query string, args ...any) (pgx.Rows, error)
}

// do runs a statement in time.
func (s *server) do(ctx context.Context, on executor, statement string) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	_, err := on.Exec(ctx, statement)
	return told(err, s.timeout)
}

// doLong runs a statement that copies or removes files, which takes longer.
func (s *server) doLong(ctx context.Context, on executor, statement string) error {
	const longer = 6
	slow := *s
	slow.timeout *= longer
	return slow.do(ctx, on, statement)
}

// row reads one row, and tells whether there is one.
func (s *server) row(ctx context.Context, on executor, query string, args, into []any) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	err := on.QueryRow(ctx, query, args...).Scan(into...)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	return err == nil, told(err, s.timeout)
}

// texts reads a column of texts.
func (s *server) texts(ctx context.Context, on executor, query string, args ...any) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	rows, err := on.Query(ctx, query, args...)
	if err != nil {
		return nil, told(err, s.timeout)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	return all, told(err, s.timeout)
}

// transaction does all that f does, or nothing.
func (s *server) transaction(ctx context.Context, f func(executor) error) error {
	bounded, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	tx, err := s.pool.Begin(bounded)
	if err != nil {
		return told(err, s.timeout)
	}
	if err := f(tx); err != nil {
		_ = tx.Rollback(context.WithoutCancel(bounded)) // the server does so itself when the connection is gone
		return err
	}
	return told(tx.Commit(bounded), s.timeout)
}

// in runs f with a connection to a database of the server.
func (s *server) in(ctx context.Context, database string, f func(executor) error) error {
	config := s.pool.Config().ConnConfig
	config.Database = database
	s.bound(config)
	bounded, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	connection, err := pgx.ConnectConfig(bounded, config)
	if err != nil {
		return fmt.Errorf("database %s: %w", declared.Name(database), told(err, s.timeout))
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.timeout)
		defer cancel()
		_ = connection.Close(closing) // there is nothing to be lost
	}()
	return f(connection)
}

// told says what went wrong in few words: pgx tells of each address that it has tried, and how.
func told(err error, timeout time.Duration) error {
	if err == nil {
		return nil
	}
	if said, ok := errors.AsType[*pgconn.PgError](err); ok {
		return &serverError{code: said.Code, message: said.Message}
	}
	if errors.Is(err, context.DeadlineExceeded) || pgconn.Timeout(err) {
		return fmt.Errorf("the server did not answer within %s: %w", timeout, context.DeadlineExceeded)
	}
	return fmt.Errorf("ask the server: %w", declared.Cause(err))
}

// serverError is what the server says. Details, which may hold values, are left out.
type serverError struct{ code, message string }

func (e *serverError) Error() string { return e.message + " (SQLSTATE " + e.code + ")" }

// Answered tells that the server is there.
func (e *serverError) Answered() {}

// Codes of a server's errors.
const (
	codeDuplicateDatabase = "42P04"
	codeNoPrivilege       = "42501"
	codeWrongPassword     = "28P01"
)

// is tells whether an error is one of the server's with a code.
func is(err error, code string) bool {
	said, ok := errors.AsType[*serverError](err)
	return ok && said.code == code
}
