package servers

import (
	"context"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/jackc/pgx/v5"
)

// Postgres is a PostgreSQL server of Debian's.
type Postgres struct {
	*process
	// Address is host:port.
	Address string
	// User and Password are those of the superuser.
	User, Password string
}

// StartPostgres starts a PostgreSQL that forgets what it has when the machine stops. Passwords are checked, by SCRAM, and there is no TLS.
func StartPostgres(t T) *Postgres {
	t.Helper()
	const debian = "/usr/lib/postgresql/*/bin"
	initialize, binary := installed(t, "initdb", "postgresql", debian), installed(t, "postgres", "postgresql", debian)
	port, dir := reserve(t), folder(t, "postgres")
	p := &Postgres{Address: local(port), User: "postgres", Password: "it's a \"superuser\""}
	data, password := filepath.Join(dir, "data"), filepath.Join(dir, "password")
	write(t, password, p.Password+"\n")
	as := unprivileged(t, dir)
	// The C locale is on every machine.
	cmd := exec.Command(initialize, "-D", data, "-A", "scram-sha-256", "-U", p.User, "--pwfile="+password, "--no-sync", "-E", "UTF8", "--locale=C") //nolint:gosec,noctx // paths of the test
	cmd.Dir, cmd.SysProcAttr = dir, &syscall.SysProcAttr{Credential: as}
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, output)
	}
	p.process = &process{
		t: t, binary: binary, dir: dir, as: as,
		// Clients do not hold up its end.
		quit: syscall.SIGINT,
		args: []string{
			"-D", data, "-p", strconv.Itoa(port), "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=",
			"-c", "fsync=off", "-c", "full_page_writes=off", "-c", "synchronous_commit=off",
		},
		ready: func(ctx context.Context) error {
			connection, err := pgx.Connect(ctx, p.URL(p.User, p.Password, "postgres"))
			if err != nil {
				return err
			}
			return connection.Close(ctx)
		},
	}
	p.launch()
	return p
}

// URL is where a user finds a database.
func (p *Postgres) URL(user, password, database string) string {
	return PostgresURL(p.Address, user, password, database)
}

// PostgresURL is where a user finds a database of the server at an address, such as a Proxy's.
func PostgresURL(address, user, password, database string) string {
	u := url.URL{Scheme: "postgres", User: url.UserPassword(user, password), Host: address, Path: "/" + database, RawQuery: "sslmode=disable"}
	return u.String()
}

// unprivileged gives the folder to the user postgres, whom the server runs as: it refuses to run as root. Who is not root runs it as is.
func unprivileged(t T, dir string) *syscall.Credential {
	t.Helper()
	if os.Geteuid() != 0 {
		return nil
	}
	account, err := user.Lookup("postgres")
	if err != nil {
		t.Fatalf("PostgreSQL does not run as root: %v; run: apt-get install -y --no-install-recommends postgresql", err)
	}
	uid, err := strconv.ParseUint(account.Uid, 10, 32)
	if err != nil {
		t.Fatalf("the user postgres: %v", err)
	}
	gid, err := strconv.ParseUint(account.Gid, 10, 32)
	if err != nil {
		t.Fatalf("the user postgres: %v", err)
	}
	if err := os.Chown(dir, int(uid), int(gid)); err != nil {
		t.Fatalf("give PostgreSQL its folder: %v", err)
	}
	passable(t, dir, "postgres")
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}
