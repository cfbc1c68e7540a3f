package world_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"strings"
	"testing"
	"time"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/servers"
	"github.com/orkestra-runtime/orkestra/providers/external"
)

// A cluster that refuses a credential says so, and nobody else is told what it was.
func TestKafkaRefusesCredential(t *testing.T) {
	k := servers.StartKafka(t, "orders")
	client := asking(t, k.Password)
	request := external.Request{
		Protocol: orkv1.ProtocolKafka, URL: "kafka://" + k.User + "@" + k.Address, Query: "topic=orders", Timeout: 5 * time.Second,
		Auth: &orkv1.CallAuth{Env: "WRONG"},
	}
	k.Refuse("no such user with wr0ng-s3cret\x1b[31m")
	_, err := client.Call(t.Context(), request)
	server, ok := errors.AsType[*external.ServerError](err)
	if !ok || !server.Refused || !strings.Contains(server.Text, "SASL_AUTHENTICATION_FAILED") || strings.Contains(err.Error(), "wr0ng") {
		t.Errorf("a wrong credential: %v, want one that is refused", err)
	}
	request.Auth = &orkv1.CallAuth{Env: "PASSWORD"}
	if answer, err := client.Call(t.Context(), request); err != nil {
		t.Errorf("the right one after it: %v, %v", answer.Fields, err)
	}
}

// guarded has whoever asks a server show a token, for servers that ask for none.
func guarded(t *testing.T, address, token string) string {
	t.Helper()
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.Out.URL.Scheme, r.Out.URL.Host = "http", address }}
	guard := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+token {
			http.Error(w, "you sent "+r.Header.Get("Authorization"), http.StatusUnauthorized)
			return
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(guard.Close)
	return guard.Listener.Addr().String()
}

// Whatever becomes of Prometheus, a call tells of it in time and without its credential, and the first call after it is back succeeds.
func TestPrometheusInTrouble(t *testing.T) {
	const token = "pr0metheus-token"
	p := servers.StartPrometheus(t)
	p.Scraped(t)
	client, proxy := asking(t, token), servers.StartProxy(t, p.Address)
	call := func(when, address, query, variable, want string) {
		t.Helper()
		const timeout = 5 * time.Second
		began := time.Now()
		answer, err := client.Call(t.Context(), external.Request{
			Protocol: orkv1.ProtocolPrometheus, URL: "http://" + address, Query: query, Timeout: timeout, Auth: &orkv1.CallAuth{Env: variable},
		})
		text := ""
		if err != nil {
			text = err.Error()
		}
		if (want == "") != (err == nil) || !strings.Contains(text, want) || err == nil && answer.Fields["result"] != "1" {
			t.Errorf("%s: %q (%v), want %q", when, text, answer.Fields, want)
		}
		if took := time.Since(began); took > timeout+3*time.Second {
			t.Errorf("%s: took %s", when, took)
		}
		if said := text + answer.Text; strings.Contains(said, token) || strings.Contains(said, "wr0ng") {
			t.Errorf("%s: the credential is told: %q", when, said)
		}
	}
	const up, good = `up{job="suite"}`, "PASSWORD"
	through := guarded(t, proxy.Address, token)
	call("with the token", through, up, good, "")
	call("with another one", through, up, "WRONG", "status 401")
	call("with the right one again", through, up, good, "")
	long := `label_replace({__name__=~".+"}, "long", "` + strings.Repeat("x", 8000) + `", "", "")`
	call("with an answer that is huge", p.Address, long, good, "longer than 1048576 bytes")
	call("after that", p.Address, up, good, "")
	proxy.Set(servers.Hang)
	call("while it hangs", proxy.Address, up, good, "no answer within 5s")
	proxy.Set(servers.Refuse)
	call("while it refuses", proxy.Address, up, good, "connection refused")
	proxy.CutAfter(20)
	call("while answers are cut", proxy.Address, up, good, "connection")
	proxy.Delay(50 * time.Millisecond)
	call("while it is slow", proxy.Address, up, good, "")
	p.Stop()
	call("while it is down", p.Address, up, good, "connection refused")
	p.Start()
	p.Scraped(t)
	call("as soon as it is back", p.Address, up, good, "")
	for name, tc := range map[string]struct {
		serve http.HandlerFunc
		want  string
	}{
		"Page":     {saying(http.StatusOK, "text/html", "<html>log in first"), "not one of Prometheus"},
		"Success":  {saying(http.StatusOK, "application/json", `{"status":"success","data":[1]}`), "not one of Prometheus"},
		"Loud":     {saying(http.StatusBadRequest, "application/json", `{"status":"error","error":"no\u001b[31m way\r\n`+token+`"}`), "status 400: no [31m way [redacted]"},
		"Endless":  {unending("application/json", `{"status":"success","data":"`, "x"), "longer than 1048576 bytes"},
		"Redirect": {away, "is loopback, which is refused"},
	} {
		call(name, strings.TrimPrefix(web(t, tc.serve), "http://"), up, good, tc.want)
	}
}
