package live

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// Options of the API.
type Options struct {
	// Token is asked for as a bearer token, but not by the probes. Defaults to none: everybody who reaches the port may read.
	Token string
	// Written is a Katalog that runs as its file has it, without defaults. Defaults to the Katalog with defaults.
	Written func(running *orkv1.Katalog) *orkv1.Katalog
	// Gatherer has the series for queries. Defaults to none.
	Gatherer prometheus.Gatherer
	// Version of the runtime, ClusterName and GatewayEndpoint are told as they are. They default to nothing.
	Version, ClusterName, GatewayEndpoint string
	// Now is the clock. Defaults to time.Now.
	Now func() time.Time
}

// api answers.
type api struct {
	Options
	source Source
}

// New returns the API. It answers every path: one that it does not know with 404.
func New(source Source, opts Options) http.Handler {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	a := &api{Options: opts, source: source}
	if a.Written == nil {
		a.Written = func(running *orkv1.Katalog) *orkv1.Katalog { return running }
	}
	if a.Gatherer == nil {
		a.Gatherer = prometheus.GathererFunc(nothing)
	}

	closed := http.NewServeMux()
	closed.HandleFunc("/katalog", a.katalog)
	closed.HandleFunc("/katalog/raw", a.raw)
	closed.HandleFunc("/katalog/enriched", a.enriched)
	closed.HandleFunc("/katalog/{crd}", a.of(info, a.info))
	closed.HandleFunc("/katalog/{crd}/health", a.of(healthSwitch, a.health))
	closed.HandleFunc("/katalog/{crd}/raw", a.of(info, a.rawCRD))
	closed.HandleFunc("/katalog/{crd}/enriched", a.of(info, a.enrichedCRD))
	closed.HandleFunc("/katalog/{crd}/cr", a.of(enabled, a.resources))
	closed.HandleFunc("/katalog/{crd}/cr/{name}", a.of(enabled, a.one(a.detail)))
	closed.HandleFunc("/katalog/{crd}/cr/{name}/events", a.of(enabled, a.one(a.events)))
	closed.HandleFunc("/katalog/{crd}/cr/{name}/explain", a.of(enabled, a.explain))
	closed.HandleFunc("/katalog/{crd}/cr/{namespace}/{name}/explain", a.of(enabled, a.explain))
	closed.HandleFunc("/katalog/{crd}/cr/{namespace}/{name}", a.of(enabled, a.one(a.detail)))
	closed.HandleFunc("/katalog/{crd}/cr/{namespace}/{name}/events", a.of(enabled, a.one(a.events)))
	closed.HandleFunc("/api/v1/query", a.query)
	closed.HandleFunc("/", unknown)

	open := http.NewServeMux()
	open.HandleFunc("/startup", a.startup)
	open.HandleFunc("/started", a.startup)
	open.HandleFunc("/health", a.alive)
	open.HandleFunc("/ready", a.ready)
	open.Handle("/", a.authorized(closed))
	return onlyReads(open)
}

func unknown(w http.ResponseWriter, r *http.Request) {
	refuse(w, http.StatusNotFound, "NotFound", "there is nothing at "+r.URL.Path+"; begin with /katalog")
}

// onlyReads refuses everything but GET and HEAD: the API changes nothing.
func onlyReads(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			refuse(w, http.StatusMethodNotAllowed, "MethodNotAllowed", "only GET and HEAD are answered")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// authorized asks for the token. Hashes are compared, so that the time tells nothing of the token, nor of its length.
func (a *api) authorized(next http.Handler) http.Handler {
	if a.Token == "" {
		return next
	}
	want := sha256.Sum256([]byte(a.Token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		got := sha256.Sum256([]byte(strings.TrimSpace(token)))
		if !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare(want[:], got[:]) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			refuse(w, http.StatusUnauthorized, "Unauthorized", "send the token of the live API: Authorization: Bearer <token>")
			return
		}
		next.ServeHTTP(w, r)
	})
}
