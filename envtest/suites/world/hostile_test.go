package world_test

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/servers"
	"github.com/orkestra-runtime/orkestra/providers"
	"github.com/orkestra-runtime/orkestra/providers/aws"
	"github.com/orkestra-runtime/orkestra/providers/checkout"
	"github.com/orkestra-runtime/orkestra/providers/git"
	"github.com/orkestra-runtime/orkestra/providers/mongodb"
	"github.com/orkestra-runtime/orkestra/providers/postgres"
)

// ours is a credential that hostile servers are sent, and may say back.
const ours = "s3cret-of-ours"

// survives fails unless a failure comes in time, without much memory, and with an error that is one printed line without our credential.
func survives(t *testing.T, what string, most time.Duration, f func() error) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := within(t, most, f)
	runtime.ReadMemStats(&after)
	// The driver of MongoDB takes up to 48 MiB for a message, as often as it tries.
	if used := int64(after.TotalAlloc-before.TotalAlloc) >> 20; used > 1024 {
		t.Errorf("%s: %d MiB were taken for it", what, used)
	}
	if err == nil {
		t.Errorf("%s: want an error", what)
		return
	}
	t.Log(what, err)
	keepsSecret(t, err, ours)
	if strings.ContainsFunc(err.Error(), func(r rune) bool { return !unicode.IsPrint(r) }) || len(err.Error()) > 2000 {
		t.Errorf("%s: want one line that can be shown, got %q", what, err)
	}
}

// loud is what a server says that wants to be seen: colours for a terminal, lines, and the credential.
const loud = "no\x1b[31m way\r\nline two\x00 " + ours + " \u202eneht"

// web is an HTTP server that answers everything in one way.
func web(t *testing.T, serve http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(serve)
	t.Cleanup(func() { // Close would wait for answers that have no end
		_ = server.Listener.Close()
		server.CloseClientConnections()
	})
	return server.URL
}

// unending answers with a text and goes on with another for as long as somebody reads.
func unending(kind, first, more string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead { // what is written to its answer goes nowhere, without an error
			<-r.Context().Done()
			return
		}
		w.Header().Set("Content-Type", kind)
		_, err := io.WriteString(w, first)
		for text := strings.Repeat(more, 1+4096/len(more)); err == nil; {
			_, err = io.WriteString(w, text)
		}
	}
}

// away sends everybody to an address that nobody may go to.
func away(w http.ResponseWriter, r *http.Request) {
	http.Redirect(w, r, "http://127.0.0.2:1"+r.URL.Path, http.StatusTemporaryRedirect)
}

func saying(code int, kind, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(code)
		_, _ = io.WriteString(w, text)
	}
}

// Whoever answers in the place of a git server gets an error out of a fetch and nothing else.
func TestFetchFromHostileServers(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers")
	}
	const refs, service = "application/x-git-upload-pack-advertisement", "001e# service=git-upload-pack\n0000"
	line := "0040" + strings.Repeat("a", 40) + " refs/heads/branch-x\n"
	for name, serve := range map[string]http.HandlerFunc{
		"Page":     saying(http.StatusOK, "text/html", "<html>log in first</html>"),
		"Garbage":  saying(http.StatusOK, refs, "\x00\xff\xfe garbage"),
		"Length":   saying(http.StatusOK, refs, "ffff"),
		"Hash":     saying(http.StatusOK, refs, service+"0038zz refs/heads/main\x00 agent=x\n0000"),
		"Loud":     saying(http.StatusInternalServerError, "text/plain", loud),
		"Refusing": saying(http.StatusOK, refs, service+fmt.Sprintf("%04xERR %s", 8+len(loud), loud)),
		"Endless":  unending(refs, service+"00553333333333333333333333333333333333333333 HEAD\x00 symref=HEAD:refs/heads/main\n", line),
		"Redirect": away,
		"Slow":     func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	} {
		t.Run(name, func(t *testing.T) {
			address := web(t, serve)
			f := fetcher(t, git.Options{Timeout: 3 * time.Second})
			survives(t, name, 6*time.Second, func() error {
				_, err := f.Fetch(t.Context(), checkout.Request{Owner: "a", Repo: address + "/app.git", Auth: checkout.Auth{Username: "me", Password: ours}})
				return err
			})
		})
	}
	g := servers.StartGit(t)
	for name, greeting := range map[string]string{
		"SSHGarbage": "\x00\xff\xfe garbage\r\n", "SSHBanner": strings.Repeat("x", 1<<20), "SSHLoud": loud + "\r\n", "SSHNothing": "",
		"SSHLength": "SSH-2.0-x\r\n\x7f\xff\xff\xff\x00",
	} {
		t.Run(name, func(t *testing.T) {
			address := hostile(t, []byte(greeting), nil)
			f := fetcher(t, git.Options{Timeout: 3 * time.Second})
			survives(t, name, 6*time.Second, func() error {
				_, err := f.Fetch(t.Context(), checkout.Request{
					Owner: "a", Repo: "ssh://git@" + address + "/app.git", Auth: checkout.Auth{PrivateKey: g.Key, KnownHosts: g.KnownHosts},
				})
				return err
			})
		})
	}
}

// message is one of PostgreSQL's: a letter, and the length of what follows with itself.
func message(kind byte, body string) string {
	return string(kind) + string(binary.BigEndian.AppendUint32(nil, uint32(len(body)+4))) + body
}

// repeater is a PostgreSQL server that asks for the password as it is, and says it in its error.
func repeater(t *testing.T) string {
	t.Helper()
	return listening(t, func(connection net.Conn) {
		text := make([]byte, 4096)
		_, _ = connection.Read(text) // who it is
		_, _ = io.WriteString(connection, message('R', "\x00\x00\x00\x03"))
		n, _ := connection.Read(text)
		said := strings.Trim(string(text[min(5, n):n]), "\x00")
		_, _ = io.WriteString(connection, message('E', "SFATAL\x00VFATAL\x00C28P01\x00Mthe password \x1b[31m"+said+"\r\n is wrong\x00\x00"))
	})
}

// Whoever answers in the place of a service gets an error out of its provider and nothing else.
func TestInfraOfHostileServers(t *testing.T) {
	random := strings.Repeat("\x93\x01\xfe\x7f noise", 8<<10)
	noise := func() []byte { return []byte(random) }
	database := []providers.Declaration{declare("database", "name", "shop")}
	bucket := []providers.Declaration{declare("s3Bucket", "name", "shop-files", "tags.team", "shop")}
	queue := []providers.Declaration{declare("sqsQueue", "name", "mails")}
	ask := func(t *testing.T, what string, provider providers.Provider, auth map[string]string, declared []providers.Declaration) {
		t.Helper()
		a := &asker{t: t, provider: provider, auth: auth, secrets: &secrets{}}
		survives(t, what, 12*time.Second, func() error { return a.reconcile("shop", declared...) })
		survives(t, what+", to be deleted", 12*time.Second, func() error { return a.remove("shop", declared...) })
	}
	xml := "<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code><Message>%s</Message></Error>"
	t.Run("TCP", func(t *testing.T) {
		for name, tc := range map[string]struct {
			greeting string
			more     func() []byte
		}{
			"Nothing": {}, "Noise": {more: noise}, "HTTP": {greeting: "HTTP/1.1 400 Bad Request\r\n\r\n" + ours},
			"PostgresLong": {greeting: "R\x7f\xff\xff\xff\x00\x00\x00\x00", more: noise},
			"PostgresHuge": {greeting: message('R', "\x00\x00\x00\x00") + message('Z', "I") + "T\x7f\xff\xff\xff", more: noise},
			"PostgresLoud": {greeting: message('E', "SFATAL\x00C28000\x00M"+strings.ReplaceAll(loud, "\x00", "")+"\x00\x00")},
			"MongoLong":    {greeting: "\xff\xff\xff\x7f\x01\x00\x00\x00\x01\x00\x00\x00\xdd\x07\x00\x00", more: noise},
			"MongoBomb":    {greeting: "\x40\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00\xdc\x07\x00\x00", more: noise},
		} {
			address := hostile(t, []byte(tc.greeting), tc.more)
			const timeout = time.Second
			pg, mongo := postgres.New(postgres.Options{Timeout: timeout}), mongodb.New(mongodb.Options{Timeout: timeout})
			ask(t, "postgres "+name, pg, map[string]string{"url": servers.PostgresURL(address, "root", ours, "")}, database)
			ask(t, "mongodb "+name, mongo, map[string]string{"uri": servers.MongoURL(address, "root", ours, "admin")}, database)
			_, _ = pg.Close(), mongo.Close()
		}
	})
	t.Run("Repeater", func(t *testing.T) {
		pg := postgres.New(postgres.Options{Timeout: time.Second})
		t.Cleanup(func() { _ = pg.Close() })
		ask(t, "postgres", pg, map[string]string{"url": servers.PostgresURL(repeater(t), "root", ours, "")}, database)
	})
	for name, serve := range map[string]http.HandlerFunc{
		"Page":    saying(http.StatusOK, "text/html", "<html>log in first"),
		"Garbage": saying(http.StatusBadRequest, "application/xml", "\x00\xff garbage "+ours),
		"Loud":    saying(http.StatusForbidden, "application/xml", fmt.Sprintf(xml, "no way&#13;\nline two "+ours)),
		"Long":    saying(http.StatusForbidden, "application/xml", fmt.Sprintf(xml, strings.Repeat("long ", 100_000))),
		"Endless": unending("application/xml", "<?xml version=\"1.0\"?><Error><Code>", "x"),
		"Failing": func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			unending("text/plain", "", loud)(w, r)
		},
		"Redirect": away,
		"Slow":     func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	} {
		t.Run(name, func(t *testing.T) {
			address := web(t, serve)
			provider := aws.New(aws.Options{Timeout: 500 * time.Millisecond})
			t.Cleanup(func() { _ = provider.Close() })
			auth := map[string]string{"endpoint": address, "region": "us-east-1", "accessKeyID": "key", "secretAccessKey": ours}
			ask(t, "s3", provider, auth, bucket)
			ask(t, "sqs", provider, auth, queue)
		})
	}
}
