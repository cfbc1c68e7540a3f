package live

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/internal/livehttp"
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
	closed.HandleFunc("/", livehttp.Unknown)

	open := http.NewServeMux()
	open.HandleFunc("/startup", a.startup)
	open.HandleFunc("/started", a.startup)
	open.HandleFunc("/health", a.alive)
	open.HandleFunc("/ready", a.ready)
	open.Handle("/", livehttp.Authorized(a.Token, closed))
	return livehttp.OnlyReads(open)
}
