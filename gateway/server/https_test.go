package server

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/util/cert"
	webhookadmission "sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/orkestra-runtime/orkestra/gateway/conversion"
)

// zeros is a body of so many bytes, whose length the header tells or does not.
func zeros(n int64, told bool) io.Reader {
	body := io.LimitReader(strings.NewReader(strings.Repeat("0", int(n))), n)
	if told {
		return strings.NewReader(strings.Repeat("0", int(n)))
	}
	return body
}

// TestWeakness32Bodies shows that nobody has the gateway read more than a review may have.
func TestWeakness32Bodies(t *testing.T) {
	allowed := webhookadmission.HandlerFunc(func(context.Context, webhookadmission.Request) webhookadmission.Response {
		return webhookadmission.Allowed("")
	})
	review := reviews(maxReview, &webhookadmission.Webhook{Handler: allowed})
	convert := &conversion.Handler{}
	cases := map[string]struct {
		reason  string
		handler http.Handler
		method  string
		body    io.Reader
		want    int
	}{
		"Review":      {"a review", review, http.MethodPost, strings.NewReader(`{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"a"}}`), http.StatusOK},
		"Empty":       {"one of nothing", review, http.MethodPost, strings.NewReader(`{}`), http.StatusBadRequest},
		"NoRequest":   {"one without a request", review, http.MethodPost, strings.NewReader(`{"kind":"AdmissionReview","request":null}`), http.StatusBadRequest},
		"Largest":     {"as much as there may be", review, http.MethodPost, zeros(maxReview, true), http.StatusOK},
		"Large":       {"one byte more", review, http.MethodPost, zeros(maxReview+1, true), http.StatusRequestEntityTooLarge},
		"Chunked":     {"and who does not say so", review, http.MethodPost, zeros(maxReview+1, false), http.StatusRequestEntityTooLarge},
		"Get":         {"a review is posted", review, http.MethodGet, http.NoBody, http.StatusMethodNotAllowed},
		"Conversion":  {"a conversion may be of a long list", convert, http.MethodPost, zeros(conversion.MaxBody+1, true), http.StatusRequestEntityTooLarge},
		"ConvertMore": {"and who does not say so", convert, http.MethodPost, zeros(conversion.MaxBody+1, false), http.StatusRequestEntityTooLarge},
		"ConvertGet":  {"it is posted as well", convert, http.MethodGet, http.NoBody, http.StatusMethodNotAllowed},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequestWithContext(t.Context(), tc.method, "/", tc.body)
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			tc.handler.ServeHTTP(w, r)
			if w.Code != tc.want {
				t.Errorf("\n%s\n%d %s, want %d", tc.reason, w.Code, w.Body, tc.want)
			}
		})
	}
}

// TestStraight shows that nobody is led elsewhere: what a mux would lead to another path is the API's to answer, which does not know it.
func TestStraight(t *testing.T) {
	s := newHTTPSServer("", 0, nil)
	s.Register("/validate", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "webhook") }))
	s.Register(pathAPI, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "API "+r.URL.EscapedPath()) }))
	cases := map[string]struct {
		reason, method, path, want string
	}{
		"Webhook":      {"a webhook", http.MethodPost, "/validate", "webhook"},
		"API":          {"the API", http.MethodGet, "/api/v1/schema", "API /api/v1/schema"},
		"Encoded":      {"with a slash in a name", http.MethodGet, "/api/v1/resources/a/b/c%2F%2Fd", "API /api/v1/resources/a/b/c%2F%2Fd"},
		"TwoSlashes":   {"a name that is empty", http.MethodGet, "/api/v1/resources//c1", "API /api/v1/resources//c1"},
		"First":        {"two slashes before all", http.MethodGet, "//api/v1/schema", "API //api/v1/schema"},
		"OnlyTwo":      {"and nothing else", http.MethodGet, "//", "API //"},
		"OfWebhook":    {"those of a webhook", http.MethodPost, "/validate//", "API /validate//"},
		"Dots":         {"dots", http.MethodGet, "/api/v1/schema/../raw-schema", "API /api/v1/schema/../raw-schema"},
		"WithoutSlash": {"the path of the API without its last slash", http.MethodGet, "/api/v1", "API /api/v1"},
		"Connect":      {"by a method that has a path rarely", http.MethodConnect, "/api/v1", "API /api/v1"},
		"Nothing":      {"what is nowhere", http.MethodGet, "/other", "404 page not found\n"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequestWithContext(t.Context(), tc.method, "/", http.NoBody)
			var err error
			if r.URL, err = url.ParseRequestURI(tc.path); err != nil {
				t.Fatal(err)
			}
			w := httptest.NewRecorder()
			straight(s.WebhookMux()).ServeHTTP(w, r)
			if w.Body.String() != tc.want {
				t.Errorf("\n%s\n%s %s: %d %s, want %s", tc.reason, tc.method, tc.path, w.Code, w.Body, tc.want)
			}
		})
	}
}

// startServer serves a handler until the test ends, and returns the address. Stop has it end, and waits for that.
func startServer(t *testing.T, by func(*httpsServer), handler http.HandlerFunc) (address string, stop func()) {
	t.Helper()
	pem, key, err := cert.GenerateSelfSignedCertKey("127.0.0.1", []net.IP{net.ParseIP("127.0.0.1")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.X509KeyPair(pem, key)
	if err != nil {
		t.Fatal(err)
	}
	free, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := free.Addr().(*net.TCPAddr).Port
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	s := newHTTPSServer("127.0.0.1", port, func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return &pair, nil })
	by(s)
	s.Register("/", handler)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Start(ctx) }()
	for s.StartedChecker()(nil) != nil {
		select {
		case err := <-ended:
			t.Fatal(err)
		case <-time.After(time.Millisecond):
		}
	}
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(stop)
	return fmt.Sprintf("127.0.0.1:%d", port), stop
}

func dial(t *testing.T, address string) *tls.Conn {
	t.Helper()
	dialer := &tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS13}}
	connection, err := dialer.DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() })
	return connection.(*tls.Conn)
}

// TestWeakness32Slow shows that who asks slowly, or with a long header, does not hold a connection.
func TestWeakness32Slow(t *testing.T) {
	var read error
	address, _ := startServer(t, func(s *httpsServer) { s.header, s.read = time.Second, 2*time.Second }, func(w http.ResponseWriter, r *http.Request) {
		_, read = io.ReadAll(r.Body)
		w.WriteHeader(http.StatusTeapot)
	})
	const line = "POST / HTTP/1.1\r\nHost: a\r\n"
	cases := map[string]struct {
		reason, sent string
		want         int // 0: the connection is closed
	}{
		"Fast":   {"who sends all of it", line + "Content-Length: 1\r\n\r\n1", http.StatusTeapot},
		"Header": {"the header never ends", line, 0},
		"Body":   {"nor does the body", line + "Content-Length: 10\r\n\r\n1", http.StatusTeapot},
		"Long":   {"a header that is too long", line + "X-A: " + strings.Repeat("a", maxHeader+8<<10) + "\r\n\r\n", http.StatusRequestHeaderFieldsTooLarge},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			connection := dial(t, address)
			if err := connection.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
				t.Fatal(err)
			}
			if _, err := io.WriteString(connection, tc.sent); err != nil {
				t.Fatal(err)
			}
			response, err := http.ReadResponse(bufio.NewReader(connection), nil)
			if err == nil {
				_ = response.Body.Close()
			}
			switch {
			case tc.want == 0 && (err == nil || strings.Contains(err.Error(), "timeout")):
				t.Errorf("\n%s\nanswer %v, %v, want the connection closed", tc.reason, response, err)
			case tc.want != 0 && (err != nil || response.StatusCode != tc.want):
				t.Errorf("\n%s\nanswer %v, %v, want %d", tc.reason, response, err, tc.want)
			case name == "Body" && read == nil:
				t.Errorf("\n%s\nthe handler read all of a body that never ends", tc.reason)
			}
		})
	}
}

// TestWeakness05 shows that nobody gets an answer without TLS, or with an old version of it: tokens travel here.
func TestWeakness05(t *testing.T) {
	asked := false
	address, _ := startServer(t, func(*httpsServer) {}, func(w http.ResponseWriter, _ *http.Request) {
		asked = true
		w.WriteHeader(http.StatusTeapot)
	})
	plain, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = plain.Close() }()
	if _, err := io.WriteString(plain, "GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer secret\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	answer, _ := io.ReadAll(plain)
	if asked || strings.Contains(string(answer), "418") {
		t.Errorf("without TLS: asked %t, answer %q", asked, answer)
	}
	old := &tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS12}}
	if connection, err := old.DialContext(t.Context(), "tcp", address); err == nil {
		_ = connection.Close()
		t.Error("TLS 1.2 is taken")
	}
}

// TestDrain shows that who asked before the end gets an answer.
func TestDrain(t *testing.T) {
	asked, answer := make(chan struct{}), make(chan struct{})
	var cancelled error
	address, stop := startServer(t, func(*httpsServer) {}, func(w http.ResponseWriter, r *http.Request) {
		close(asked)
		<-answer
		cancelled = r.Context().Err()
		w.WriteHeader(http.StatusTeapot)
	})
	connection := dial(t, address)
	if _, err := io.WriteString(connection, "GET / HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	<-asked
	done := make(chan struct{})
	go func() {
		defer close(done)
		stop()
	}()
	for { // until nobody new is taken
		other, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
		if err != nil {
			break
		}
		_ = other.Close()
	}
	close(answer)
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil || response.StatusCode != http.StatusTeapot || cancelled != nil {
		t.Fatalf("%v, %v, and for the handler %v; want an answer", response, err, cancelled)
	}
	_ = response.Body.Close()
	<-done
}
