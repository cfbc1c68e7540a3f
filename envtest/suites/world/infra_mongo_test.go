package world_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/servers"
	"github.com/orkestra-runtime/orkestra/providers"
	"github.com/orkestra-runtime/orkestra/providers/mongodb"
)

func TestInfraMongo(t *testing.T) {
	server := servers.StartMongo(t)
	proxy := servers.StartProxy(t, server.Address)
	provider := mongodb.New(mongodb.Options{Timeout: 3 * time.Second})
	t.Cleanup(func() { _ = provider.Close() })
	all := &asker{
		provider: provider, secrets: &secrets{},
		auth: map[string]string{"uri": servers.MongoURL(proxy.Address, server.User, server.Password, "admin")},
	}
	connect := func(t *testing.T, user, password, database string) *mongo.Client {
		t.Helper()
		client, err := mongo.Connect(options.Client().ApplyURI(server.URL(user, password, database)).SetServerSelectionTimeout(5 * time.Second))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = client.Disconnect(context.WithoutCancel(t.Context())) })
		return client
	}
	admin := connect(t, server.User, server.Password, "admin")
	databases := func(t *testing.T) []string {
		t.Helper()
		names, err := admin.ListDatabaseNames(t.Context(), bson.D{})
		if err != nil {
			t.Fatal(err)
		}
		return slices.DeleteFunc(names, func(one string) bool { return one == "admin" || one == "orkestra" })
	}
	owners := func(t *testing.T) []string {
		t.Helper()
		var found []struct {
			ID    string `bson:"_id"`
			Owner string `bson:"owner"`
		}
		cursor, err := admin.Database("orkestra").Collection("owners").Find(t.Context(), bson.D{})
		if err == nil {
			err = cursor.All(t.Context(), &found)
		}
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, one := range found {
			all = append(all, one.ID+" "+one.Owner)
		}
		slices.Sort(all)
		return all
	}
	all.secrets.set("shop", "password", "first-secret")
	base := declare("database", "name", "shop", "collections", `["items","orders"]`)
	user := declare("user", "name", "shop", "database", "shop", "passwordSecret.name", "shop")
	shop := []providers.Declaration{base, user}

	t.Run("MakesWhatIsDeclaredAndRepairsDrift", func(t *testing.T) {
		a := all.in(t)
		a.mustReconcile("shop", shop...)
		a.mustReconcile("shop", shop...)
		if err := connect(t, "shop", "first-secret", "shop").Ping(t.Context(), nil); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff([]string{"database/shop App.example.com/apps/shop", "user/shop/shop App.example.com/apps/shop"}, owners(t)); diff != "" {
			t.Errorf("-want, +got:\n%s", diff)
		}
		if err := admin.Database("shop").Drop(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := admin.Database("shop").RunCommand(t.Context(), bson.D{{Key: "updateUser", Value: "shop"}, {Key: "pwd", Value: "other"}}).Err(); err != nil {
			t.Fatal(err)
		}
		a.mustReconcile("shop", shop...)
		got, err := admin.Database("shop").ListCollectionNames(t.Context(), bson.D{})
		slices.Sort(got)
		if diff := cmp.Diff([]string{"items", "orders"}, got); diff != "" || err != nil {
			t.Errorf("-want, +got: %v\n%s", err, diff)
		}
		if err := connect(t, "shop", "first-secret", "shop").Ping(t.Context(), nil); err != nil {
			t.Errorf("the password is not back: %v", err)
		}
		if err := admin.Database("shop").RunCommand(t.Context(), bson.D{{Key: "dropUser", Value: "shop"}}).Err(); err != nil {
			t.Fatal(err)
		}
		a.secrets.set("shop", "password", "second-secret")
		a.mustReconcile("shop", shop...)
		a.secrets.set("shop", "password", "third-secret")
		a.mustReconcile("shop", shop...)
		if err := connect(t, "shop", "third-secret", "shop").Ping(t.Context(), nil); err != nil {
			t.Errorf("a password that changed is set: %v", err)
		}
	})

	t.Run("RefusesWhatIsNotTheOwners", func(t *testing.T) {
		a := all.in(t)
		if err := admin.Database("legacy").CreateCollection(t.Context(), "kept"); err != nil {
			t.Fatal(err)
		}
		foreign(t, "of another resource", a.reconcile("thief", declare("database", "name", "shop", "adopt", "true")), "App.example.com/apps/shop")
		foreign(t, "a user in another's database", a.reconcile("thief", declare("user", "name", "spy", "database", "shop", "passwordSecret.name", "shop")), "App.example.com/apps/shop")
		says(t, "a user in nobody's database", a.reconcile("thief", declare("user", "name", "spy", "database", "legacy", "passwordSecret.name", "shop")), "declare it before")
		foreign(t, "of nobody", a.reconcile("thief", declare("database", "name", "legacy")), "adopt")
		a.mustRemove("thief", base, user, declare("database", "name", "legacy"))
		if diff := cmp.Diff([]string{"legacy", "shop"}, databases(t)); diff != "" {
			t.Errorf("-want, +got:\n%s", diff)
		}
		a.mustReconcile("heir", declare("database", "name", "legacy", "adopt", "true"))
		a.mustRemove("heir", declare("database", "name", "legacy", "deletionPolicy", "Retain"))
		foreign(t, "kept as nobody's", a.reconcile("heir", declare("database", "name", "legacy")), "adopt")
		a.mustReconcile("heir", declare("database", "name", "legacy", "adopt", "true"))
		a.mustRemove("heir", declare("database", "name", "legacy"))
	})

	t.Run("TwoAtOnce", func(t *testing.T) {
		a := all.in(t)
		var both sync.WaitGroup
		errs := make([]error, 8)
		for i := range errs {
			both.Go(func() {
				errs[i] = a.reconcile(fmt.Sprintf("racer-%d", i), declare("database", "name", "race", "collections", "c"))
			})
		}
		both.Wait()
		won := 0
		for i, err := range errs {
			if err == nil {
				won++
				continue
			}
			foreign(t, fmt.Sprint(i), err, "racer-")
		}
		if won != 1 {
			t.Errorf("%d resources have the same database: %v", won, errs)
		}
		for i := range errs {
			a.mustRemove(fmt.Sprintf("racer-%d", i), declare("database", "name", "race"))
		}
	})

	t.Run("MistakesAndHostileNames", func(t *testing.T) {
		a := all.in(t)
		in := func(more ...string) providers.Declaration {
			return declare("user", append([]string{"name", "x", "database", "shop", "passwordSecret.name", "shop"}, more...)...)
		}
		for reason, d := range map[string]providers.Declaration{
			"no name": declare("database"), "the server's own": declare("database", "name", "admin", "adopt", "true"), "the owners'": declare("database", "name", "orkestra"),
			"above": declare("database", "name", "../shop"), "a variable": declare("database", "name", "$where"), "quotes": declare("database", "name", `a";drop`),
			"long": declare("database", "name", strings.Repeat("x", 1<<20)), "a zero byte": declare("database", "name", "a\x00b"),
			"a hidden collection": declare("database", "name", "x", "collections", "system.users"), "a collection's variable": declare("database", "name", "x", "collections", "a$b"),
			"an administrator": declare("user", "name", "x", "database", "admin", "passwordSecret.name", "shop", "roles", "root"),
			"another database": in("roles", "root@admin"), "a strange role": in("roles", `[{"role":"root","db":"admin"}]`), "no password": declare("user", "name", "x", "database", "shop"),
			"a long user": declare("user", "name", strings.Repeat("x", 1<<20), "database", "shop", "passwordSecret.name", "shop"),
		} {
			err := a.reconcile("mistaken", d)
			permanent(t, reason, err)
			if err != nil && len(err.Error()) > 400 {
				t.Errorf("%s: the error is flooded: %d bytes", reason, len(err.Error()))
			}
			a.mustRemove("mistaken", d)
		}
		for _, name := range []string{`a"b`, `a'; DROP`, `../x`, `$ne`, `{"$gt":""}`, "a b", strings.Repeat("u", 256)} {
			hostile := declare("user", "name", name, "database", "shop", "passwordSecret.name", "shop")
			a.mustReconcile("shop", base, hostile)
			a.mustReconcile("shop", base, hostile)
			a.mustRemove("shop", hostile)
		}
		if diff := cmp.Diff([]string{"database/shop App.example.com/apps/shop", "user/shop/shop App.example.com/apps/shop"}, owners(t)); diff != "" {
			t.Errorf("-want, +got:\n%s", diff)
		}
	})

	t.Run("WrongCredentials", func(t *testing.T) {
		a := all.in(t)
		a.auth = map[string]string{"uri": servers.MongoURL(proxy.Address, server.User, "very-wrong", "admin")}
		err := within(t, 8*time.Second, func() error { return a.reconcile("shop", shop...) })
		says(t, "a wrong password", err, "AuthenticationFailed")
		keepsSecret(t, err, "very-wrong")
		a.auth = map[string]string{"uri": "mongo//root:very-wrong@broken"}
		err = a.reconcile("shop", shop...)
		says(t, "no address", err, "no address")
		keepsSecret(t, err, "very-wrong")
		a.auth = map[string]string{"uri": servers.MongoURL(proxy.Address, "nobody", "very-wrong", "admin")}
		a.secrets.set("admin", "username", server.User)
		a.secrets.set("admin", "password", server.Password)
		a.mustReconcile("shop", declare("database", "name", "shop", "authSecret.name", "admin"))
	})

	t.Run("DownSlowAndBack", func(t *testing.T) {
		a := all.in(t)
		t.Cleanup(func() { proxy.Set(servers.Pass) })
		proxy.Set(servers.Refuse)
		// The first one finds that its connection is broken.
		says(t, "down", a.reconcile("shop", shop...), "ask the server")
		err := within(t, 8*time.Second, func() error { return a.reconcile("shop", shop...) })
		says(t, "down", err, "refused")
		keepsSecret(t, err, server.Password, "third-secret")
		says(t, "down", a.remove("shop", shop...))
		proxy.Set(servers.Hang)
		says(t, "silent", within(t, 8*time.Second, func() error { return a.reconcile("shop", shop...) }), "within 3s")
		proxy.Delay(20 * time.Millisecond)
		a.mustReconcile("shop", shop...)
		proxy.Set(servers.Pass)
		server.Stop()
		says(t, "stopped", within(t, 8*time.Second, func() error { return a.reconcile("shop", shop...) }))
		server.Start()
		a.mustReconcile("shop", shop...)
	})

	t.Run("RemovesEverythingTwice", func(t *testing.T) {
		a := all.in(t)
		a.mustRemove("shop", shop...)
		a.mustRemove("shop", shop...)
		if got := databases(t); len(got) > 0 {
			t.Errorf("left: %v", got)
		}
		if got := owners(t); len(got) > 0 {
			t.Errorf("left: %v", got)
		}
		if err := connect(t, "shop", "third-secret", "shop").Ping(t.Context(), nil); err == nil {
			t.Error("the user is still let in")
		}
	})

	t.Run("ManyAtOnce", func(t *testing.T) {
		a := all.in(t)
		many := declare("database", "name", "many")
		for i := range 100 {
			many.Fields[fmt.Sprintf("collections.%d", i)] = fmt.Sprintf("c%d", i)
		}
		a.mustReconcile("many", many)
		start := time.Now()
		a.mustReconcile("many", many)
		t.Logf("100 collections that are there: %s", time.Since(start))
		a.mustRemove("many", many)
	})
}
