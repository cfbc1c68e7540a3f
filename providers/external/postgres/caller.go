package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/orkestra-runtime/orkestra/providers/external"
	"github.com/orkestra-runtime/orkestra/providers/reach"
)

// Caller makes calls of the protocol postgres. It is safe for concurrent use, and keeps connections.
type Caller struct {
	dialer *reach.Dialer
	pools  *external.Connections[*pgxpool.Pool]
	types  *pgtype.Map
}

var (
	_ external.Caller  = (*Caller)(nil)
	_ external.Checker = (*Caller)(nil)
)

// New returns a Caller that connects with a Dialer. Nil is the one without exceptions.
func New(dialer *reach.Dialer) *Caller {
	c := &Caller{dialer: dialer.OrStrict(), types: pgtype.NewMap()}
	c.pools = external.NewConnections(c.open, func(pool *pgxpool.Pool) { pool.Close() })
	return c
}

// Close closes the connections that nobody uses.
func (c *Caller) Close() { c.pools.Close() }

// Call makes one try. The result is the first column of the first row, rows are maps by the names of their columns.
func (c *Caller) Call(ctx context.Context, r external.Request) (external.Answer, error) {
	return r.Try(ctx, func(ctx context.Context) (external.Answer, error) {
		if err := check(r.Query); err != nil {
			return external.Answer{}, err
		}
		return c.pools.Use(ctx, &r, func(pool *pgxpool.Pool) (external.Answer, error) {
			answer, err := c.ask(ctx, pool, &r)
			return answer, told(&r, err)
		})
	})
}

// idle is how long a connection is kept that nobody uses, and lifetime how long any is.
const (
	idle     = 2 * time.Minute
	lifetime = 30 * time.Minute
)

// open makes a pool, which connects when it is asked.
func (c *Caller) open(r *external.Request) (*pgxpool.Pool, error) {
	config, err := configOf(r)
	if err != nil {
		return nil, err
	}
	config.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		if network != "tcp" {
			return nil, &external.RequestError{Problem: "the url leads to no address of the network"}
		}
		return c.dialer.DialContext(ctx, network, address)
	}
	// The dialer looks up names, for it must know them.
	config.ConnConfig.LookupFunc = func(_ context.Context, host string) ([]string, error) { return []string{host}, nil }
	config.MaxConns = int32(r.Size()) //nolint:gosec // of an int32
	config.MaxConnIdleTime, config.MaxConnLifetime = idle, lifetime
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		return nil, r.Plain(err)
	}
	return pool, nil
}

// configOf reads the URL, and nothing of it but what cannot name files or other servers. What libpq's environment says of credentials is
// not for servers that a Katalog, or a resource, names.
func configOf(r *external.Request) (*pgxpool.Config, error) {
	target, err := r.Target("postgres", "postgresql")
	if err != nil {
		return nil, err
	}
	parameters, err := external.Parameters(target, "sslmode", "application_name", "search_path", "connect_timeout")
	if err != nil {
		return nil, err
	}
	user := target.User.Username()
	if user == "" {
		return nil, &external.RequestError{Problem: "the url names no user, as in postgres://user@host/database"}
	}
	port := cmp.Or(target.Port(), "5432")
	database := strings.TrimPrefix(target.Path, "/")
	plain := url.URL{
		Scheme: "postgres", User: url.User(user), Host: net.JoinHostPort(target.Hostname(), port), Path: "/" + cmp.Or(database, user),
		RawQuery: url.Values{"sslmode": {cmp.Or(parameters.Get("sslmode"), "prefer")}, "passfile": {""}, "connect_timeout": {"0"}}.Encode(),
	}
	config, err := pgxpool.ParseConfig(plain.String())
	if err != nil {
		return nil, &external.RequestError{Problem: "the url is not valid: want postgres://user@host:port/database?sslmode=require"}
	}
	connection := config.ConnConfig
	connection.Password = r.Password(target)
	connection.MaxProtocolMessageBodyLen = external.MaxBody + 64<<10
	connection.RuntimeParams = map[string]string{
		"application_name": cmp.Or(parameters.Get("application_name"), "orkestra"), "DateStyle": "ISO", "TimeZone": "UTC", "client_encoding": "UTF8",
	}
	if path := parameters.Get("search_path"); path != "" {
		connection.RuntimeParams["search_path"] = path
	}
	return config, nil
}

// ask has the statement run in a transaction that only reads, and leaves nothing of it behind.
func (c *Caller) ask(ctx context.Context, pool *pgxpool.Pool, r *external.Request) (external.Answer, error) {
	taken, err := pool.Acquire(ctx)
	if err != nil {
		return external.Answer{}, err //nolint:wrapcheck // told does
	}
	defer taken.Release()
	connection := taken.Conn().PgConn()
	begin := "BEGIN READ ONLY"
	if deadline, ok := ctx.Deadline(); ok { // else the server would go on for nobody
		begin += "; SET LOCAL statement_timeout = " + strconv.FormatInt(max(1, time.Until(deadline).Milliseconds()), 10)
	}
	if err := connection.Exec(ctx, begin).Close(); err != nil {
		return external.Answer{}, err //nolint:wrapcheck // told does
	}
	rows, err := c.rows(ctx, connection, r)
	if _, server := errors.AsType[*pgconn.PgError](err); err != nil && !server {
		_ = connection.Conn().Close() // nobody reads what is left of the answer, which may be long
		return external.Answer{}, err
	}
	// Locks of the session would outlive the transaction.
	if ended := connection.Exec(ctx, "ROLLBACK; SELECT pg_advisory_unlock_all()").Close(); err == nil {
		err = ended
	}
	if err != nil {
		return external.Answer{}, err
	}
	return r.Answered(rows.list, map[string]any{"result": rows.first, "rows": rows.list, "rowCount": int64(len(rows.list))})
}

// told is an error in the server's words, as far as it has said something of the statement and not of the connection.
func told(r *external.Request, err error) error {
	if _, long := errors.AsType[*pgproto3.ExceededMaxBodyLenErr](err); long {
		return external.TooLong()
	}
	server, ok := errors.AsType[*pgconn.PgError](err)
	if !ok || strings.HasPrefix(server.Code, "57P0") { // it shuts down, or starts
		return err
	}
	return &external.ServerError{
		Text: r.Say(fmt.Sprintf("%s (SQLSTATE %s)", server.Message, server.Code)), Refused: strings.HasPrefix(server.Code, "28"),
	}
}
