package server

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"sync/atomic"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/healthz"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
)

// What the server waits for and takes: whoever asks slowly, or too much at once, must not keep others waiting.
const (
	headerTimeout = 5 * time.Second
	readTimeout   = 10 * time.Second
	writeTimeout  = 15 * time.Second
	idleTimeout   = 60 * time.Second
	drainTimeout  = 60 * time.Second
	maxHeader     = 32 << 10
	// maxReview is how much of a review of admission is read, in bytes.
	maxReview = 3 << 20
)

// httpsServer serves routes over TLS, within limits. The routes, and their metrics, are those of the server that it has inside.
type httpsServer struct {
	webhook.Server
	host    string
	port    int
	tls     *tls.Config
	started atomic.Bool
	// header and read are how long it waits for the header of a request, and for all of it, and write how long an answer may take.
	header, read, write time.Duration
}

var _ webhook.Server = (*httpsServer)(nil)

func newHTTPSServer(host string, port int, certificate func(*tls.ClientHelloInfo) (*tls.Certificate, error)) *httpsServer {
	return &httpsServer{
		Server: webhook.NewServer(webhook.Options{}), host: host, port: port,
		tls:  &tls.Config{GetCertificate: certificate, MinVersion: tls.VersionTLS13, NextProtos: []string{"h2", "http/1.1"}},
		read: readTimeout, header: headerTimeout, write: writeTimeout,
	}
}

// Start serves until ctx ends, and then answers what was asked already.
func (s *httpsServer) Start(ctx context.Context) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort(s.host, strconv.Itoa(s.port)))
	if err != nil {
		return fmt.Errorf("serve webhooks: %w", err)
	}
	server := &http.Server{
		Handler: straight(s.WebhookMux()), ReadHeaderTimeout: s.header, ReadTimeout: s.read, WriteTimeout: s.write, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeader,
		// Who asked before the end gets an answer.
		BaseContext: func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
	}
	drained := make(chan error, 1)
	go func() {
		<-ctx.Done()
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
		defer cancel()
		drained <- server.Shutdown(last)
	}()
	s.started.Store(true)
	if err := server.Serve(tls.NewListener(listener, s.tls)); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve webhooks: %w", err)
	}
	if err := <-drained; err != nil {
		logf.FromContext(ctx).Error(err, "some requests got no answer in time")
	}
	return nil
}

// straight has the API answer what a mux would lead elsewhere, such as from a path with two slashes to one without them. The mux does so with a
// page, whoever asks; the API does not know the path.
func straight(mux *http.ServeMux) http.Handler {
	elsewhere := reflect.TypeOf(http.RedirectHandler("/", http.StatusTemporaryRedirect))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if handler, _ := mux.Handler(r); reflect.TypeOf(handler) != elsewhere {
			mux.ServeHTTP(w, r)
			return
		}
		api := r.Clone(r.Context())
		api.URL = &url.URL{Path: pathAPI}
		handler, _ := mux.Handler(api)
		handler.ServeHTTP(w, r)
	})
}

// StartedChecker tells whether it answers.
func (s *httpsServer) StartedChecker() healthz.Checker {
	return func(r *http.Request) error {
		if !s.started.Load() {
			return errors.New("the webhooks are not served yet")
		}
		//nolint:gosec // whether it answers, not whether anybody trusts it
		unchecked := &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS13}
		dialer := &tls.Dialer{NetDialer: &net.Dialer{Timeout: headerTimeout}, Config: unchecked}
		ctx := context.Background()
		if r != nil {
			ctx = r.Context()
		}
		connection, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(s.host, strconv.Itoa(s.port)))
		if err != nil {
			return fmt.Errorf("the webhooks do not answer: %w", err)
		}
		return connection.Close() //nolint:wrapcheck // it was there
	}
}

// reviews takes requests that are posted, and of no more than most bytes.
func reviews(most int64, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.Header().Set("Allow", http.MethodPost)
			http.Error(w, "a review is posted", http.StatusMethodNotAllowed)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			http.Error(w, fmt.Sprintf("the review is larger than %d bytes", most), http.StatusRequestEntityTooLarge)
			return
		}
		if err != nil {
			http.Error(w, "the review cannot be read", http.StatusBadRequest)
			return
		}
		var review struct {
			Request *json.RawMessage `json:"request"`
		}
		if json.Unmarshal(body, &review) == nil && review.Request == nil { // what is no JSON is told of by who reads it
			http.Error(w, "the review has no request", http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}
