package external_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/internal/liar"
	"github.com/orkestra-runtime/orkestra/providers/external"
	"github.com/orkestra-runtime/orkestra/providers/reach"
)

const token = "s3cr3t-t0ken"

// newHTTP may ask this machine.
func newHTTP(t *testing.T, opts reach.Options) *external.HTTP {
	t.Helper()
	dialer, err := reach.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	caller := external.NewHTTP(dialer)
	t.Cleanup(caller.Close)
	return caller
}

var local = reach.Options{Allow: []string{"127.0.0.1"}}

// clientOf reads credentials from a Secret shop/api and the variable API_TOKEN.
func clientOf(t *testing.T, opts reach.Options) *external.Client {
	t.Helper()
	return external.NewClient(external.Registry{orkv1.ProtocolHTTP: newHTTP(t, opts)}, external.ClientOptions{
		Namespace: "shop",
		Secrets: external.SecretsFunc(func(_ context.Context, name types.NamespacedName) (map[string][]byte, error) {
			if name.String() != "shop/api" {
				return nil, errors.New("no such Secret")
			}
			return map[string][]byte{"token": []byte(token + "\n")}, nil
		}),
		LookupEnv: func(name string) (string, bool) { return token, name == "API_TOKEN" },
	})
}

func TestCall(t *testing.T) {
	long := strings.Repeat("ä", external.MaxText)
	cases := map[string]struct {
		reason  string
		request external.Request
		serve   http.HandlerFunc
		want    external.Answer
		err     string
	}{
		"Text": {
			reason: "a text is a text",
			serve:  func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "open") },
			want:   external.Answer{StatusCode: 200, Text: "open"},
		},
		"Object": {
			reason: "a JSON object is known by its fields as well, whatever the server says of its type",
			serve: func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				_, _ = io.WriteString(w, ` {"replicas": 3, "load": 0.5}`)
			},
			want: external.Answer{StatusCode: 200, Text: ` {"replicas": 3, "load": 0.5}`, Fields: map[string]any{"replicas": int64(3), "load": 0.5}},
		},
		"BrokenObject": {
			reason: "what only begins like one is a text",
			serve:  func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{oops") },
			want:   external.Answer{StatusCode: 200, Text: "{oops"},
		},
		"Sent": {
			reason:  "method, headers and body arrive",
			request: external.Request{Method: "post", Body: `{"a":1}`, Headers: map[string]string{"X-Shop": "books"}},
			serve: func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				_, _ = fmt.Fprint(w, r.Method, r.Header.Get("X-Shop"), r.Header.Get("Content-Type"), string(body))
			},
			want: external.Answer{StatusCode: 200, Text: `POSTbooksapplication/json{"a":1}`},
		},
		"Status": {
			reason: "an answer of another status is a failure, and still an answer",
			serve:  func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusServiceUnavailable) },
			want:   external.Answer{StatusCode: 503, Text: "no\n"}, err: "status 503, want 2xx",
		},
		"Expected": {
			reason:  "unless it is the one that is expected",
			request: external.Request{ExpectedStatus: 404},
			serve:   http.NotFound,
			want:    external.Answer{StatusCode: 404, Text: "404 page not found\n"},
		},
		"Bearer": {
			reason:  "a credential is a bearer token, and is not in the answer of a server that repeats it",
			request: external.Request{Auth: &orkv1.CallAuth{SecretRef: &orkv1.SecretKey{Name: "api", Key: "token"}}},
			serve:   echoHeader("Authorization"),
			want:    external.Answer{StatusCode: 200, Text: "Bearer [redacted]"},
		},
		"Header": {
			reason:  "or stands as it is in a header of its own",
			request: external.Request{Auth: &orkv1.CallAuth{Env: "API_TOKEN", Header: "X-Key"}},
			serve:   echoHeader("X-Key"),
			want:    external.Answer{StatusCode: 200, Text: "[redacted]"},
		},
		"WrongCredential": {
			reason:  "a refused credential is not told",
			request: external.Request{Auth: &orkv1.CallAuth{Env: "API_TOKEN"}},
			serve:   func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) },
			want:    external.Answer{StatusCode: 401}, err: "status 401, want 2xx",
		},
		"NoSecret": {
			reason:  "what cannot be read is named",
			request: external.Request{Auth: &orkv1.CallAuth{SecretRef: &orkv1.SecretKey{Name: "other", Namespace: "x", Key: "token"}}},
			err:     "credential: read Secret x/other: no such Secret",
		},
		"NoKey": {
			reason:  "a key that is not there as well",
			request: external.Request{Auth: &orkv1.CallAuth{SecretRef: &orkv1.SecretKey{Name: "api", Key: "tokne"}}},
			err:     "credential: Secret shop/api has no key tokne",
		},
		"NoVariable": {
			reason:  "and a variable",
			request: external.Request{Auth: &orkv1.CallAuth{Env: "TOKEN"}},
			err:     "credential: the operator's environment has no variable TOKEN",
		},
		"Slow": {
			reason:  "a server that takes too long",
			request: external.Request{Timeout: 50 * time.Millisecond},
			serve:   func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
			err:     "no answer within 50ms",
		},
		"Dripping": {
			reason:  "and one that never ends its answer",
			request: external.Request{Timeout: 50 * time.Millisecond},
			serve: func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(http.StatusOK)
				w.(http.Flusher).Flush()
				<-r.Context().Done()
			},
			want: external.Answer{StatusCode: 200}, err: "no answer within 50ms",
		},
		"Long": {
			reason: "a long text is cut, and not inside of a character",
			serve:  func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "x"+long) },
			want:   external.Answer{StatusCode: 200, Text: "x" + strings.Repeat("ä", external.MaxText/2-1)},
		},
		"Endless": {
			reason: "of an endless one no more is read than the limit",
			serve:  endless("x"),
			want:   external.Answer{StatusCode: 200, Text: strings.Repeat("x", external.MaxText)},
		},
		"EndlessObject": {
			reason: "an object that is too long is a failure: its fields could not be told",
			serve:  endless(`{"a":`),
			want:   external.Answer{StatusCode: 200, Text: strings.Repeat(`{"a":`, external.MaxText)[:external.MaxText]},
			err:    "the answer is a JSON object longer than 1048576 bytes",
		},
		"LongObject": {
			reason: "the fields of a long object are all there, though its text is cut",
			serve: func(w http.ResponseWriter, _ *http.Request) {
				_, _ = fmt.Fprintf(w, `{"pad":"%s","last":true}`, strings.Repeat("x", external.MaxText))
			},
			want: external.Answer{
				StatusCode: 200, Text: `{"pad":"` + strings.Repeat("x", external.MaxText-8),
				Fields: map[string]any{"pad": strings.Repeat("x", external.MaxText), "last": true},
			},
		},
		"RedirectToOtherProtocol": {
			reason: "an answer may not lead out of HTTP",
			serve: func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
			},
			err: "redirected to what is neither http nor https",
		},
		"RedirectForever": {
			reason: "nor in circles",
			serve:  func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/", http.StatusFound) },
			err:    "redirected more than 5 times",
		},
		"RedirectToMetadata": {
			reason: "nor to where a cloud tells secrets",
			serve: func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusFound)
			},
			err: "the address 169.254.169.254 is link-local, which is refused unless the operator is told to allow it (--external-allow)",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(tc.serve)
			defer server.Close()
			tc.request.URL = server.URL + "/state?key=" + token
			got, err := clientOf(t, local).Call(t.Context(), tc.request)
			got.Took = 0
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nCall(...): -want, +got:\n%s", tc.reason, diff)
			}
			if text := textOf(err); text != tc.err {
				t.Errorf("\n%s\nCall(...): %q, want %q", tc.reason, text, tc.err)
			}
		})
	}
}

func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func echoHeader(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Header.Get(name)) }
}

func endless(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for {
			if _, err := io.WriteString(w, strings.Repeat(text, 1000)); err != nil {
				return
			}
		}
	}
}

// What goes wrong on the way names the host, and nothing that the URL or the credential tells besides.
func TestErrorsTellNoSecret(t *testing.T) {
	closed := httptest.NewServer(nil)
	closed.Close()
	cases := map[string]struct {
		url, header, env string
	}{
		"Down":         {url: closed.URL + "/" + token},
		"NoURL":        {url: "http://user:" + token + "@%zz"},
		"NoScheme":     {url: token},
		"NoHost":       {url: "http:///" + token},
		"BadHeader":    {url: closed.URL, header: token + "\n\x00"},
		"BadToken":     {url: closed.URL, env: token + "\n\x00" + token},
		"UnknownHost":  {url: "http://user:" + token + "@host.invalid/" + token},
		"Unresolvable": {url: "http://" + strings.Repeat("a", 300) + ".invalid/?t=" + token},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			client := external.NewClient(external.Registry{orkv1.ProtocolHTTP: newHTTP(t, local)}, external.ClientOptions{
				LookupEnv: func(string) (string, bool) { return tc.env, true },
			})
			r := external.Request{URL: tc.url, Headers: map[string]string{}, Timeout: 5 * time.Second}
			if tc.header != "" {
				r.Headers["X-Key"] = tc.header
			}
			if tc.env != "" {
				r.Auth = &orkv1.CallAuth{Env: "T"}
			}
			_, err := client.Call(t.Context(), r)
			if err == nil || strings.Contains(err.Error(), token) {
				t.Errorf("Call(...): %v, want an error without the secret", err)
			}
		})
	}
}

func TestRedirectsCarryNoCredentials(t *testing.T) {
	var seen http.Header
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = r.Header
		w.WriteHeader(http.StatusOK)
	}))
	defer other.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/away":
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		case "/near":
			http.Redirect(w, r, "/here", http.StatusFound)
		default:
			seen = r.Header
		}
	}))
	defer server.Close()
	cases := map[string]struct {
		reason, path, body, err string
		header                  string
		keeps                   bool
	}{
		"OtherHost":       {reason: "another host gets nothing of it, nor declared headers", path: "/away"},
		"OtherHostHeader": {reason: "wherever the credential stands", path: "/away", header: "X-Key"},
		"SameHost":        {reason: "the same host gets the declared headers", path: "/near", header: "X-Key", keeps: true},
		"Body":            {reason: "a body may hold a secret too", path: "/away", body: "{}", err: "redirected to another host, which must not get the body"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			seen = nil
			method := http.MethodGet
			if tc.body != "" {
				method = http.MethodPost
			}
			_, err := clientOf(t, local).Call(t.Context(), external.Request{
				URL: strings.Replace(server.URL, "http://", "http://user:"+token+"@", 1) + tc.path, Method: method, Body: tc.body,
				Auth: &orkv1.CallAuth{Env: "API_TOKEN", Header: tc.header}, Headers: map[string]string{"X-Other": "declared"},
			})
			if textOf(err) != tc.err {
				t.Fatalf("\n%s\nCall(...): %q, want %q", tc.reason, textOf(err), tc.err)
			}
			if strings.Contains(fmt.Sprint(seen), token) || seen.Get("Authorization") != "" {
				t.Errorf("\n%s\ngot %v", tc.reason, seen)
			}
			if kept := seen.Get("X-Other") != ""; kept != tc.keeps {
				t.Errorf("\n%s\nthe declared header arrives: %t, want %t", tc.reason, kept, tc.keeps)
			}
		})
	}
}

// Defect 98: a URL that a resource chooses must not reach what only the operator can.
func TestDefect98Addresses(t *testing.T) {
	cases := map[string]struct {
		reason, url string
		opts        reach.Options
		want        string
	}{
		"Loopback":    {reason: "the operator itself", url: "http://127.0.0.1:1/", want: "loopback"},
		"Loopback6":   {reason: "in version 6", url: "http://[::1]:1/", want: "loopback"},
		"Mapped":      {reason: "in the clothes of version 6", url: "http://[::ffff:127.0.0.1]:1/", want: "loopback"},
		"Translated":  {reason: "behind a translation", url: "http://[64:ff9b::7f00:1]:1/", want: "loopback"},
		"Decimal":     {reason: "any address of its network", url: "http://127.9.9.9:1/", want: "loopback"},
		"Metadata":    {reason: "the metadata of clouds", url: "http://169.254.169.254/", want: "link-local"},
		"Metadata6":   {reason: "in version 6", url: "http://[fd00:ec2::254]/", want: "a cloud's metadata service"},
		"LinkLocal6":  {reason: "neighbours", url: "http://[fe80::1]/", want: "link-local"},
		"Unspecified": {reason: "all addresses of this machine", url: "http://0.0.0.0:1/", want: "unspecified"},
		"Private":     {reason: "a private one, where that is asked for", url: "http://10.1.2.3:1/", opts: reach.Options{RefusePrivate: true}, want: "private"},
		"Name":        {reason: "a name is judged by its address", url: "http://localhost:1/", want: "loopback"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := newHTTP(t, tc.opts).Call(t.Context(), external.Request{URL: tc.url, Timeout: 2 * time.Second})
			refused, ok := errors.AsType[*reach.AddressError](err)
			if !ok || refused.Why != tc.want || external.FailureOf(err) != "address" {
				t.Errorf("\n%s\nCall(%s): %v, want it refused as %s", tc.reason, tc.url, err, tc.want)
			}
		})
	}
}

// A resolver that lies leads no call astray: it is the address that is connected to which is judged.
func TestDefect98LyingResolver(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "inside") }))
	defer server.Close()
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	resolver := liar.Resolver(t, net.IPv4(127, 0, 0, 1))
	url := "http://weather.example.com:" + port + "/"

	_, err := newHTTP(t, reach.Options{Resolver: resolver}).Call(t.Context(), external.Request{URL: url})
	if _, ok := errors.AsType[*reach.AddressError](err); !ok {
		t.Errorf("a name that stands for this machine: %v, want it refused", err)
	}
	for name, allowed := range map[string]string{"by name": "weather.example.com", "by range": "127.0.0.0/8"} {
		answer, err := newHTTP(t, reach.Options{Resolver: resolver, Allow: []string{allowed}}).Call(t.Context(), external.Request{URL: url})
		if err != nil || answer.Text != "inside" {
			t.Errorf("allowed %s: %q, %v", name, answer.Text, err)
		}
	}
}

// A server that repeats all that it is sent tells nobody a credential, in whatever way that was sent.
func TestAnswersTellNoSecret(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = r.Header.Write(w) // as they are sent, so that a login is in base64
		user, password, _ := r.BasicAuth()
		_, _ = fmt.Fprintf(w, "%s has %q\n", user, password)
	}))
	defer server.Close()
	inURL := func(login string) string { return strings.Replace(server.URL, "http://", "http://"+login+"@", 1) + "/" }
	cases := map[string]struct {
		reason  string
		request external.Request
		says    string
	}{
		"Token":     {"a token that a Katalog has", external.Request{URL: server.URL, Token: token}, "Authorization: Bearer [redacted]"},
		"Variable":  {"a token of the environment", external.Request{URL: server.URL, Auth: &orkv1.CallAuth{Env: "API_TOKEN"}}, "Authorization: Bearer [redacted]"},
		"Login":     {"a user and a password of the URL", external.Request{URL: inURL("app:" + token)}, "Authorization: Basic [redacted]"},
		"Escaped":   {"as they are meant, and not as the URL has them", external.Request{URL: inURL("app:" + token + "%2F%20")}, "Authorization: Basic [redacted]"},
		"Header":    {"a header that is meant for one", external.Request{URL: server.URL, Headers: map[string]string{"authorization": "Token " + token}}, "Authorization: [redacted]"},
		"APIKey":    {"another such header", external.Request{URL: server.URL, Headers: map[string]string{"X-API-Key": token}}, "X-Api-Key: [redacted]"},
		"NotSecret": {"any other header is nobody's secret", external.Request{URL: server.URL, Headers: map[string]string{"X-Shop": "north"}}, "X-Shop: north"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			answer, err := clientOf(t, local).Call(t.Context(), tc.request)
			if err != nil || !strings.Contains(answer.Text, tc.says) {
				t.Errorf("\n%s\nCall(...): %q, %v, want one that says %q", tc.reason, answer.Text, err, tc.says)
			}
			encoded := base64.StdEncoding.EncodeToString([]byte("app:" + token))
			if strings.Contains(answer.Text, token) || strings.Contains(answer.Text, encoded) {
				t.Errorf("\n%s\nCall(...): %q holds the credential", tc.reason, answer.Text)
			}
		})
	}
}
