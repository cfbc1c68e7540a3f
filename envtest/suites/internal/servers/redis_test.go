package servers_test

import (
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/servers"
)

func TestRedis(t *testing.T) {
	t.Parallel()
	r := servers.StartRedis(t, map[string]string{"reader": "on >reader-secret ~app:* +@read"})
	as := func(user, password string) *redis.Client {
		options, err := redis.ParseURL(r.URL(user, password))
		if err != nil {
			t.Fatal(err)
		}
		options.MaxRetries = -1
		client := redis.NewClient(options)
		t.Cleanup(func() { _ = client.Close() })
		return client
	}
	all := as("", r.Password)
	if err := all.Set(t.Context(), "app:kept", "value", 0).Err(); err != nil {
		t.Fatal(err)
	}
	r.Stop()
	if err := as("", r.Password).Ping(t.Context()).Err(); err == nil {
		t.Fatal("a stopped server answers")
	}
	r.Start()
	reader := as("reader", "reader-secret")
	if got, err := reader.Get(t.Context(), "app:kept").Result(); got != "value" {
		t.Errorf("a server that was started again has what it had: %q, %v", got, err)
	}
	if err := reader.Set(t.Context(), "app:kept", "other", 0).Err(); err == nil {
		t.Error("a user may do more than its rules say")
	}
	if err := as("reader", "wrong").Ping(t.Context()).Err(); err == nil {
		t.Error("a wrong password is let in")
	}
}
