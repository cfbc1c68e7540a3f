package world_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/servers"
	"github.com/orkestra-runtime/orkestra/providers"
	"github.com/orkestra-runtime/orkestra/providers/postgres"
)

// database of a server, as a user, for one statement after the other.
type database struct {
	t   *testing.T
	url string
}

func (d database) connect() (*pgx.Conn, error) {
	ctx, cancel := context.WithTimeout(d.t.Context(), 10*time.Second)
	defer cancel()
	return pgx.Connect(ctx, d.url)
}

func (d database) do(statements ...string) error {
	connection, err := d.connect()
	if err != nil {
		return err
	}
	defer func() { _ = connection.Close(d.t.Context()) }()
	for _, one := range statements {
		if _, err := connection.Exec(d.t.Context(), one); err != nil {
			return err
		}
	}
	return nil
}

func (d database) must(statements ...string) {
	d.t.Helper()
	if err := d.do(statements...); err != nil {
		d.t.Fatal(err)
	}
}

// texts are the rows of a query of one text each.
func (d database) texts(query string, args ...any) []string {
	d.t.Helper()
	connection, err := d.connect()
	if err != nil {
		d.t.Fatal(err)
	}
	defer func() { _ = connection.Close(d.t.Context()) }()
	rows, err := connection.Query(d.t.Context(), query, args...)
	if err != nil {
		d.t.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		d.t.Fatal(err)
	}
	return all
}

// rows are all that a provider may have written of databases and roles, with the transactions that wrote it.
func (d database) rows() []string {
	d.t.Helper()
	return d.texts(`SELECT 'database ' || datname || ' ' || xmin FROM pg_database UNION SELECT 'role ' || rolname || ' ' || xmin FROM pg_authid
		UNION SELECT 'comment ' || description || ' ' || xmin FROM pg_shdescription ORDER BY 1`)
}

func TestInfraPostgres(t *testing.T) {
	server := servers.StartPostgres(t)
	proxy := servers.StartProxy(t, server.Address)
	provider := postgres.New(postgres.Options{Timeout: 3 * time.Second})
	t.Cleanup(func() { _ = provider.Close() })
	admin := database{t, server.URL(server.User, server.Password, "postgres")}
	all := &asker{
		provider: provider, secrets: &secrets{},
		auth: map[string]string{"url": servers.PostgresURL(proxy.Address, server.User, server.Password, "")},
	}
	as := func(user, password, name string) database { return database{t, server.URL(user, password, name)} }
	all.secrets.set("shop", "password", `p'a"s\s $1`)

	role := declare("role", "name", "shop", "passwordSecret.name", "shop", "connectionLimit", "7")
	base := declare("database", "name", "shop", "owner", "shop")
	reader := declare("role", "name", "reader", "passwordSecret.name", "shop")
	reads := declare("grant", "role", "reader", "database", "shop", "schema", "public", "privileges", "usage,select")
	connects := declare("grant", "role", "reader", "database", "shop", "privileges.0", "connect")
	shop := []providers.Declaration{role, base, reader, reads, connects}

	t.Run("MakesWhatIsDeclaredAndNothingTwice", func(t *testing.T) {
		a := all.in(t)
		a.mustReconcile("shop", shop...)
		as("shop", `p'a"s\s $1`, "shop").must("CREATE TABLE items (id int)", "INSERT INTO items VALUES (1)")
		a.mustReconcile("shop", shop...)
		as("reader", `p'a"s\s $1`, "shop").must("SELECT * FROM items")
		if err := as("reader", `p'a"s\s $1`, "shop").do("DELETE FROM items"); err == nil {
			t.Error("the reader may write")
		}
		before := admin.rows()
		for range 3 {
			a.mustReconcile("shop", shop...)
		}
		if diff := cmp.Diff(before, admin.rows()); diff != "" {
			t.Errorf("nothing differs, and something was written: -before, +after:\n%s", diff)
		}
	})

	// Of two that want a database of one name at once, one gets it. What the other one had made for it must not stay.
	t.Run("LeavesNoDraft", func(t *testing.T) {
		a := all.in(t)
		race := declare("database", "name", "race")
		var both sync.WaitGroup
		for _, name := range []string{"ra", "rb"} {
			both.Go(func() { _ = a.reconcile(name, race) })
		}
		both.Wait()
		a.mustRemove("ra", race)
		a.mustRemove("rb", race)
		if left := admin.texts(`SELECT datname FROM pg_database WHERE datname = 'race' OR datname LIKE 'orkestra-new-%'`); len(left) > 0 {
			t.Errorf("left are %v", left)
		}
	})

	t.Run("RepairsDrift", func(t *testing.T) {
		a := all.in(t)
		admin.must(`ALTER DATABASE shop OWNER TO postgres`, `ALTER ROLE shop NOLOGIN CONNECTION LIMIT 3 CREATEDB PASSWORD 'other'`,
			`ALTER ROLE reader PASSWORD NULL`, `REVOKE CONNECT ON DATABASE shop FROM reader`, `GRANT TEMPORARY ON DATABASE shop TO reader`)
		as(server.User, server.Password, "shop").must(`REVOKE USAGE ON SCHEMA public FROM reader`, `GRANT INSERT ON items TO reader`)
		a.mustReconcile("shop", shop...)
		got := admin.texts(`SELECT r.rolname || ' ' || r.rolconnlimit || ' ' || r.rolcreatedb FROM pg_database d JOIN pg_roles r ON r.oid = d.datdba WHERE datname = 'shop'`)
		if diff := cmp.Diff([]string{"shop 7 false"}, got); diff != "" {
			t.Errorf("-want, +got:\n%s", diff)
		}
		as("shop", `p'a"s\s $1`, "shop").must("SELECT 1")
		as("reader", `p'a"s\s $1`, "shop").must("SELECT * FROM items")
		if err := as("reader", `p'a"s\s $1`, "shop").do("INSERT INTO items VALUES (2)"); err == nil {
			t.Error("a privilege that is not declared is left")
		}
		grants := admin.texts(`SELECT a.privilege_type FROM pg_database d, LATERAL aclexplode(datacl) a JOIN pg_roles r ON r.oid = a.grantee
			WHERE datname = 'shop' AND rolname = 'reader'`)
		if diff := cmp.Diff([]string{"CONNECT"}, grants); diff != "" {
			t.Errorf("-want, +got:\n%s", diff)
		}
	})

	t.Run("SetsAPasswordThatChanged", func(t *testing.T) {
		a := all.in(t)
		a.secrets.set("shop", "password", "new-secret")
		a.mustReconcile("shop", shop...)
		as("shop", "new-secret", "shop").must("SELECT 1")
		before := admin.rows()
		a.mustReconcile("shop", shop...)
		if diff := cmp.Diff(before, admin.rows()); diff != "" {
			t.Errorf("the password is the same, and something was written:\n%s", diff)
		}
		a.secrets.set("shop", "password", "a-secret\n")
		err := a.reconcile("shop", role)
		says(t, "a password with a line's end is no client's", err, "line's end")
		keepsSecret(t, err, "a-secret")
		a.secrets.set("shop", "password", "new-secret")
	})

	t.Run("RefusesWhatIsNotTheOwners", func(t *testing.T) {
		a := all.in(t)
		admin.must("CREATE DATABASE legacy", "CREATE ROLE legacy", "CREATE ROLE boss SUPERUSER")
		foreign(t, "a database of another resource", a.reconcile("thief", base), "App.example.com/apps/shop")
		foreign(t, "a role of another resource", a.reconcile("thief", declare("role", "name", "shop", "adopt", "true")), "App.example.com/apps/shop")
		foreign(t, "a database that nobody made", a.reconcile("thief", declare("database", "name", "legacy")), "adopt")
		foreign(t, "a superuser is nobody's to take over", a.reconcile("thief", declare("role", "name", "boss", "adopt", "true")), "cannot be taken over")
		foreign(t, "the administrator itself", a.reconcile("thief", declare("role", "name", "postgres", "adopt", "true")), "cannot be taken over")
		foreign(t, "a grant in another's database", a.reconcile("thief", declare("grant", "role", "legacy", "database", "shop", "privileges", "all")), "App.example.com/apps/shop")
		permanent(t, "the server's own database", a.reconcile("thief", declare("database", "name", "postgres", "adopt", "true")), "server's own")

		a.mustRemove("thief", base, role, reads, connects, declare("database", "name", "legacy"), declare("database", "name", "postgres"), declare("role", "name", "postgres"))
		if n := len(admin.texts("SELECT datname::text FROM pg_database WHERE datname IN ('shop', 'legacy', 'postgres')")); n != 3 {
			t.Errorf("a resource has removed what is not its own: %d of 3 are left", n)
		}
		a.mustReconcile("heir", declare("database", "name", "legacy", "adopt", "true"), declare("role", "name", "legacy", "adopt", "true"))
		a.mustRemove("heir", declare("database", "name", "legacy", "deletionPolicy", "Retain"), declare("role", "name", "legacy"))
		if got := admin.texts("SELECT datname::text FROM pg_database WHERE datname = 'legacy' AND shobj_description(oid, 'pg_database') IS NULL"); len(got) != 1 {
			t.Error("Retain leaves the database as nobody's")
		}
		admin.must("DROP DATABASE legacy")
	})

	t.Run("OneRefusalDoesNotHoldUpTheOthers", func(t *testing.T) {
		a := all.in(t)
		// The role that the first one needs comes after it.
		late := []providers.Declaration{declare("database", "name", "late", "owner", "late"), declare("role", "name", "late")}
		says(t, "the owner is not there", a.reconcile("late", late...), `"late"`, "42704")
		a.mustReconcile("late", late...)
		a.mustRemove("late", late[1], late[0])
	})

	t.Run("Mistakes", func(t *testing.T) {
		a := all.in(t)
		for reason, d := range map[string]providers.Declaration{
			"no name":             declare("database"),
			"an unknown kind":     declare("tablespace", "name", "x"),
			"an unknown field":    declare("database", "name", "x", "superuser", "true"),
			"a name that is cut":  declare("database", "name", strings.Repeat("x", 64)),
			"a very long name":    declare("role", "name", strings.Repeat("x", 1<<20)),
			"a zero byte":         declare("role", "name", "a\x00b"),
			"not UTF-8":           declare("role", "name", "a\xff"),
			"a reserved role":     declare("role", "name", "pg_monitor"),
			"everybody":           declare("grant", "role", "public", "database", "shop", "privileges", "all"),
			"no number":           declare("role", "name", "x", "connectionLimit", "7; DROP DATABASE shop"),
			"no truth":            declare("role", "name", "x", "login", "yes"),
			"an unknown policy":   declare("database", "name", "x", "deletionPolicy", "retain"),
			"an unknown right":    declare("grant", "role", "x", "database", "shop", "privileges", "CONNECT ON DATABASE shop TO public; --"),
			"a right of tables":   declare("grant", "role", "x", "database", "shop", "privileges", "SELECT"),
			"no right":            declare("grant", "role", "x", "database", "shop"),
			"a list that is none": declare("grant", "role", "x", "database", "shop", "privileges", "[1"),
		} {
			err := a.reconcile("mistaken", d)
			permanent(t, reason, err)
			if err != nil && len(err.Error()) > 400 {
				t.Errorf("%s: the error is flooded: %d bytes", reason, len(err.Error()))
			}
			if reason != "an unknown policy" { // which might have meant to keep it
				a.mustRemove("mistaken", d)
			}
		}
		permanent(t, "twice", a.reconcile("mistaken", declare("role", "name", "x"), declare("role", "name", "x")), "twice")
		if got := admin.texts("SELECT rolname::text FROM pg_roles WHERE rolname = 'x'"); len(got) > 0 {
			t.Error("something was done although a declaration has a mistake")
		}
	})

	t.Run("HostileNames", func(t *testing.T) {
		a := all.in(t)
		for _, name := range []string{
			`a"; DROP DATABASE shop; --`, `a'; DROP ROLE shop; --`, `../../etc/passwd`, `a b`, `Ünï`, `$1`, `\`, `E'\'`, `public"`, "a\nb", `%s%d`, strings.Repeat("n", 63),
		} {
			// The owner is as hostile.
			hostile := `o'"\; DROP DATABASE shop; --` + name
			role, base := declare("role", "name", name), declare("database", "name", name, "owner", name)
			grant := declare("grant", "role", "reader", "database", name, "schema", "public", "privileges", "usage")
			a.mustReconcile(hostile, role, base, grant)
			a.mustReconcile(hostile, role, base, grant)
			if got := admin.texts("SELECT datname::text FROM pg_database WHERE datname = $1", name); len(got) != 1 {
				t.Errorf("there is no database %q", name)
			}
			a.mustRemove(hostile, role, base, grant)
			if got := admin.texts("SELECT datname::text FROM pg_database WHERE datname = $1 UNION SELECT rolname FROM pg_roles WHERE rolname = $1", name); len(got) != 0 {
				t.Errorf("something is left of %q", name)
			}
		}
		as("shop", "new-secret", "shop").must("SELECT * FROM items")
	})

	t.Run("WrongCredentials", func(t *testing.T) {
		a := all.in(t)
		a.auth = map[string]string{"url": servers.PostgresURL(proxy.Address, server.User, "very-wrong", "")}
		err := a.reconcile("shop", shop...)
		says(t, "a wrong password", err, "28P01")
		keepsSecret(t, err, "very-wrong")
		a.auth = map[string]string{"url": "postgres://user:very-wrong@[broken"}
		err = a.reconcile("shop", shop...)
		says(t, "no address", err, "no address")
		keepsSecret(t, err, "very-wrong")
		a.auth = nil
		says(t, "no claim", a.reconcile("shop", shop...), "has no url")

		a.auth = all.auth
		with := declare("database", "name", "shop", "owner", "shop", "authSecret.name", "admin")
		says(t, "no Secret", a.reconcile("shop", with), "apps/admin")
		a.secrets.set("admin", "username", server.User)
		a.secrets.set("admin", "password", "from-the-secret")
		err = a.reconcile("shop", with)
		says(t, "a wrong password in a Secret", err, "28P01")
		keepsSecret(t, err, "from-the-secret")
		a.secrets.set("admin", "password", server.Password)
		a.mustReconcile("shop", with)
	})

	t.Run("AnAdministratorWhoSeesNoPasswords", func(t *testing.T) {
		a := all.in(t)
		admin.must("CREATE ROLE maker LOGIN CREATEROLE CREATEDB PASSWORD 'maker'", "GRANT pg_signal_backend TO maker")
		a.auth = map[string]string{"url": servers.PostgresURL(proxy.Address, "maker", "maker", "")}
		a.secrets.set("made", "password", "first")
		made := []providers.Declaration{declare("role", "name", "made", "passwordSecret.name", "made"), declare("database", "name", "made")}
		a.mustReconcile("made", made...)
		before := admin.rows()
		a.mustReconcile("made", made...)
		if diff := cmp.Diff(before, admin.rows()); diff != "" {
			t.Errorf("nothing differs, and something was written:\n%s", diff)
		}
		a.secrets.set("made", "password", "second")
		a.mustReconcile("made", made...)
		as("made", "second", "made").must("SELECT 1")
		a.mustRemove("made", declare("database", "name", "made"))
		all.in(t).mustRemove("made", made...)
	})

	t.Run("DownSlowAndBack", func(t *testing.T) {
		a := all.in(t)
		t.Cleanup(func() { proxy.Set(servers.Pass) })
		secret := server.Password
		proxy.Set(servers.Refuse)
		// The first one may find that its connection is broken.
		says(t, "the server is down", a.reconcile("shop", shop...), "ask the server")
		err := within(t, 5*time.Second, func() error { return a.reconcile("shop", shop...) })
		says(t, "the server is down", err, "refused")
		keepsSecret(t, err, secret, "new-secret")
		says(t, "nothing is removed while the server is down", a.remove("shop", shop...))
		proxy.Set(servers.Hang)
		err = within(t, 8*time.Second, func() error { return a.reconcile("shop", shop...) })
		says(t, "the server is silent", err, "within 3s")
		keepsSecret(t, err, secret)
		proxy.CutAfter(200)
		says(t, "the network breaks", within(t, 8*time.Second, func() error { return a.reconcile("shop", shop...) }))
		proxy.Delay(50 * time.Millisecond)
		a.mustReconcile("shop", shop...)
		proxy.Set(servers.Pass)
		server.Stop()
		says(t, "the server is stopped", within(t, 5*time.Second, func() error { return a.reconcile("shop", shop...) }))
		server.Start()
		a.mustReconcile("shop", shop...)
	})

	t.Run("RemovesEverythingTwice", func(t *testing.T) {
		a := all.in(t)
		// A client is connected, and the role has things elsewhere.
		client, err := as("shop", "new-secret", "shop").connect()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = client.Close(context.WithoutCancel(t.Context())) })
		admin.must("GRANT CREATE ON SCHEMA public TO shop")
		as("shop", "new-secret", "postgres").must("CREATE TABLE elsewhere (id int)")
		a.mustRemove("shop", shop...)
		a.mustRemove("shop", shop...)
		if left := admin.texts("SELECT datname::text FROM pg_database WHERE datname = 'shop' UNION SELECT rolname FROM pg_roles WHERE rolname IN ('shop', 'reader')"); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
		if left := admin.texts("SELECT relname::text FROM pg_class WHERE relname = 'elsewhere'"); len(left) != 1 {
			t.Error("what the role has made in a database of somebody else is lost")
		}
		if left := admin.texts("SELECT datname::text FROM pg_database WHERE datname LIKE 'orkestra-new-%'"); len(left) > 0 {
			t.Errorf("drafts are left: %v", left)
		}
		if err := client.Ping(t.Context()); err == nil {
			t.Error("the role's session goes on")
		}
	})

	t.Run("ManyAtOnce", func(t *testing.T) {
		a := all.in(t)
		var many []providers.Declaration
		for i := range 200 {
			many = append(many, declare("role", "name", fmt.Sprintf("many-%d", i)))
		}
		a.mustReconcile("many", many...)
		start := time.Now()
		a.mustReconcile("many", many...)
		t.Logf("200 roles that are there: %s", time.Since(start))
		a.mustRemove("many", many...)
		if left := admin.texts("SELECT rolname::text FROM pg_roles WHERE rolname LIKE 'many-%'"); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	})
}
