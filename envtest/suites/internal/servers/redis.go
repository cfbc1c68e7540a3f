package servers

import (
	"context"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/redis/go-redis/v9"
)

// Redis is a Redis server of Debian's.
type Redis struct {
	*process
	// Address is host:port.
	Address string
	// Password is that of the user default, who may do anything.
	Password string
}

// StartRedis starts a Redis with a password. Users are further ones by their names, with the rules of ACL SETUSER, such as
// "on >secret ~app:* +@read".
func StartRedis(t T, users map[string]string) *Redis {
	t.Helper()
	binary := installed(t, "redis-server", "redis-server")
	port, dir := reserve(t), folder(t, "redis")
	r := &Redis{Address: local(port), Password: "default-secret"}
	var acl strings.Builder
	acl.WriteString("user default on >" + r.Password + " ~* &* +@all\n")
	for name, rules := range users {
		acl.WriteString("user " + name + " " + rules + "\n")
	}
	write(t, filepath.Join(dir, "users.acl"), acl.String())
	r.process = &process{
		t: t, binary: binary, dir: dir, quit: syscall.SIGTERM,
		args: []string{
			"--bind", "127.0.0.1", "--port", strconv.Itoa(port), "--dir", dir, "--aclfile", filepath.Join(dir, "users.acl"),
			// What it has is written when it is stopped.
			"--save", "3600 1", "--appendonly", "no",
		},
		ready: func(ctx context.Context) error {
			client := redis.NewClient(&redis.Options{Addr: r.Address, Password: r.Password, MaxRetries: -1})
			defer func() { _ = client.Close() }()
			return client.Ping(ctx).Err()
		},
	}
	r.launch()
	return r
}

// URL is where a user finds the database 0: default has the empty name.
func (r *Redis) URL(user, password string) string {
	return RedisURL(r.Address, user, password)
}

// RedisURL is where a user finds the database 0 of the server at an address, such as a Proxy's.
func RedisURL(address, user, password string) string {
	u := url.URL{Scheme: "redis", User: url.UserPassword(user, password), Host: address, Path: "/0"}
	return u.String()
}
