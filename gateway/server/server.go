package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/webhook"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/gateway/admission"
	"github.com/orkestra-runtime/orkestra/gateway/auth"
	"github.com/orkestra-runtime/orkestra/gateway/certs"
	"github.com/orkestra-runtime/orkestra/gateway/entry"
	"github.com/orkestra-runtime/orkestra/gateway/metrics"
	"github.com/orkestra-runtime/orkestra/gateway/registration"
	"github.com/orkestra-runtime/orkestra/gateway/statistics"
	"github.com/orkestra-runtime/orkestra/providers/external"
)

// Defaults of Options.
const (
	DefaultService        = "orkestra-gateway"
	DefaultRuntimeService = "orkestra-runtime"
	DefaultPort           = 9443
	DefaultServicePort    = 443
)

// Options configure a Gateway.
type Options struct {
	// Katalogs that it serves. At least one.
	Katalogs []*orkv1.Katalog
	// Namespace that it runs in, where it keeps its Secrets. Defaults to default.
	Namespace string
	// Service that the API server reaches it by, and ServicePort of it. They default to what a Katalog says, else orkestra-gateway, and 443.
	Service     string
	ServicePort int32
	// URL is where the API server reaches it in place of a Service, for one outside of the cluster: https://host:port. Defaults to none.
	URL string
	// Host and Port are where it listens. They default to all addresses and 9443.
	Host string
	Port int
	// ServiceAccount and RuntimeServiceAccount are the accounts of the two processes. They default to the names of their Services, by what a Katalog says.
	ServiceAccount, RuntimeServiceAccount string
	// User is who the gateway is to the API server. Defaults to the ServiceAccount of the Namespace.
	User string
	// Schemas are those of the CRDs, by the name of the Katalog's entry and the version, as far as they are known. Nil: none are.
	Schemas entry.Schemas
	// External has a client for each protocol of external calls. Nil: the calls of rules are not made.
	External external.Registry
	// Runtime tells what only the runtime knows. Nil: nobody does.
	Runtime admission.Runtime
	// ValidFor and Threshold of certificates take the place of what the Katalogs say. 0: they say it.
	ValidFor, Threshold time.Duration
	// Files and Secret are a certificate that somebody else keeps, as in certs.Options. They default to none: the gateway keeps its own.
	Files  *certs.Files
	Secret string
	// SyncInterval is how often everything that it keeps is looked at although nothing tells of a change. Defaults to 30 s.
	SyncInterval time.Duration
	// ReadTimeout is how long a request may take to arrive, and WriteTimeout how long from its header to the end of its answer. They default to 10 and 15 s.
	ReadTimeout, WriteTimeout time.Duration
	// Pod is the name of this replica, by which it knows itself among the endpoints of the Service. Defaults to the name of the host.
	Pod string
	// Registerer takes the metrics. Defaults to controller-runtime's registry, which a Manager serves.
	Registerer prometheus.Registerer
	// Now is the clock of rules. Defaults to time.Now.
	Now func() time.Time
}

func (o *Options) setDefaults() error {
	if len(o.Katalogs) == 0 {
		return errors.New("no Katalog to serve")
	}
	declared, err := ServicesOf(o.Katalogs)
	if err != nil {
		return err
	}
	o.Namespace, o.Service = cmp.Or(o.Namespace, "default"), cmp.Or(o.Service, declared.Gateway, DefaultService)
	o.ServicePort, o.Port = cmp.Or(o.ServicePort, DefaultServicePort), cmp.Or(o.Port, DefaultPort)
	o.ServiceAccount = cmp.Or(o.ServiceAccount, o.Service)
	o.RuntimeServiceAccount = cmp.Or(o.RuntimeServiceAccount, declared.Runtime, DefaultRuntimeService)
	if o.Schemas == nil {
		o.Schemas = func(string) map[string]*roots.Props { return nil }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Registerer == nil {
		o.Registerer = ctrlmetrics.Registry
	}
	o.ReadTimeout, o.WriteTimeout = cmp.Or(o.ReadTimeout, readTimeout), cmp.Or(o.WriteTimeout, writeTimeout)
	if o.Pod == "" {
		o.Pod, _ = os.Hostname() // without one all endpoints are others
	}
	if o.Files != nil && o.Secret != "" {
		return fmt.Errorf("the certificate is in files and in the Secret %s: name one of the two", o.Secret)
	}
	return nil
}

// ServicesOf are the Services of the two processes, as Katalogs name them. Empty: none does. That two name others is an error.
func ServicesOf(katalogs []*orkv1.Katalog) (orkv1.ServiceNames, error) {
	var names orkv1.ServiceNames
	for _, katalog := range katalogs {
		if katalog.Security == nil || katalog.Security.ServiceName == nil {
			continue
		}
		for _, one := range []struct {
			key      string
			to       *string
			declared string
		}{
			{"runtime", &names.Runtime, katalog.Security.ServiceName.Runtime},
			{"gateway", &names.Gateway, katalog.Security.ServiceName.Gateway},
		} {
			if one.declared != "" && *one.to != "" && *one.to != one.declared {
				return orkv1.ServiceNames{}, fmt.Errorf("security.serviceName.%s is %s in the Katalog %s, and another Katalog says %s: there is one process, so leave one of them",
					one.key, one.declared, katalog.Name, *one.to)
			}
			*one.to = cmp.Or(*one.to, one.declared)
		}
	}
	return names, nil
}

// Gateway serves webhooks.
type Gateway struct {
	shared
	opts    Options
	keeper  *certs.Keeper
	server  webhook.Server
	house   *housekeeper
	current atomic.Pointer[state]
	// updating has one Update after the other.
	updating sync.Mutex
}

// New compiles the Katalogs and adds the gateway to the Manager. What is wrong with a Katalog is a field.ErrorList as an aggregate error, all of it
// at once.
func New(mgr manager.Manager, opts Options) (*Gateway, error) {
	if err := opts.setDefaults(); err != nil {
		return nil, err
	}
	g := &Gateway{opts: opts, shared: shared{mgr: mgr, statistics: &statistics.Statistics{}, static: &auth.Static{}}}
	var err error
	if g.metrics, err = metrics.New(opts.Registerer); err != nil {
		return nil, err //nolint:wrapcheck // says what it does
	}
	// What it keeps is read as it is, not from a cache: it compares, and a cache may be older than its own write.
	g.direct, err = client.New(mgr.GetConfig(), client.Options{Scheme: scheme(), HTTPClient: mgr.GetHTTPClient(), Mapper: mgr.GetRESTMapper()})
	if err != nil {
		return nil, fmt.Errorf("make a client: %w", err)
	}
	first, err := newState(g.shared, opts)
	if err != nil {
		return nil, err
	}
	g.current.Store(first)
	g.keeper = certs.New(g.certificates())
	https := newHTTPSServer(opts.Host, opts.Port, g.keeper.GetCertificate)
	https.header, https.read, https.write = min(https.header, opts.ReadTimeout), opts.ReadTimeout, opts.WriteTimeout
	g.server = https
	for path := range first.routes {
		g.server.Register(path, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { g.current.Load().routes[path].ServeHTTP(w, r) }))
	}
	g.house = &housekeeper{
		certify: g.keeper.Keep, current: g.current.Load, end: func() {}, serving: func() error { return g.server.StartedChecker()(nil) }, trigger: make(chan struct{}, 1),
		keeper: registration.NewKeeper(g.direct, func() *registration.Plan { return g.current.Load().plan }, g.keeper.Bundle),
	}
	g.house.keeper.Wrote, g.house.keeper.Failed = func(string) { g.metrics.Registered(g.house.source) }, g.metrics.NotRegistered
	g.metrics.ExpectRegistrations(append(slices.Clone(registration.Names), registration.Conversion))
	g.house.leaving = g.leaving()
	g.house.protect = (&ownNamespace{client: g.direct, name: opts.Namespace, protected: func() bool { return g.current.Load().plan.Protected }}).keep
	if err := mgr.AddReadyzCheck("gateway", g.ready); err != nil {
		return nil, fmt.Errorf("add the probe: %w", err)
	}
	for _, runnable := range []manager.Runnable{g.server, g.house} {
		if err := mgr.Add(runnable); err != nil {
			return nil, fmt.Errorf("add the gateway to the manager: %w", err)
		}
	}
	return g, nil
}

// Update has the gateway serve other Katalogs from the next request on, and registers what they need. With an error, which is as that of New, what it
// served before goes on. How long certificates are good for, and when they are renewed, is what the Katalogs said at the start. Nil schemas: none
// are known.
func (g *Gateway) Update(ctx context.Context, katalogs []*orkv1.Katalog, schemas entry.Schemas) error {
	g.updating.Lock()
	defer g.updating.Unlock()
	opts := g.opts
	opts.Katalogs, opts.Schemas = katalogs, schemas
	if err := opts.setDefaults(); err != nil {
		return err
	}
	named := g.otherServices(g.opts.Katalogs)
	for _, service := range g.otherServices(katalogs) {
		if !slices.Contains(named, service) {
			return fmt.Errorf("the Service %s is not one that the certificate has the name of: start the gateway again", service)
		}
	}
	next, err := newState(g.shared, opts)
	if err != nil {
		return err
	}
	if next.tokens != nil { // nobody is turned away meanwhile
		_, _ = next.tokens.refresh(ctx) // what is wrong with a token the next round tells
	}
	g.current.Store(next)
	g.house.wake()
	return nil
}

// ready tells whether it answers.
func (g *Gateway) ready(r *http.Request) error {
	if g.keeper.Bundle() == nil {
		return certs.ErrNone
	}
	return g.server.StartedChecker()(r)
}

// certificates are the options of the certificate, by what the Katalogs say.
func (g *Gateway) certificates() certs.Options {
	opts := certs.Options{
		Client: g.direct, Namespace: g.opts.Namespace, Service: g.opts.Service, ValidFor: g.opts.ValidFor, Threshold: g.opts.Threshold,
		Files: g.opts.Files, Secret: g.opts.Secret, Tick: g.opts.SyncInterval,
		Protected: func() bool { return g.current.Load().plan.Protected },
		Changed:   func() { g.metrics.Expires(g.keeper.Expires()) },
	}
	opts.OtherServices = g.otherServices(g.opts.Katalogs)
	if parsed, err := url.Parse(g.opts.URL); err == nil && parsed.Hostname() != "" {
		opts.Names = append(opts.Names, parsed.Hostname())
	}
	for _, katalog := range g.opts.Katalogs {
		if katalog.Security == nil || katalog.Security.CertManager == nil {
			continue
		}
		declared := katalog.Security.CertManager
		opts.Keep = declared.AutoRotate != nil && !*declared.AutoRotate
		if declared.ValidFor != nil {
			opts.ValidFor = cmp.Or(g.opts.ValidFor, declared.ValidFor.Duration)
		}
		if declared.RotationThreshold != nil {
			opts.Threshold = cmp.Or(g.opts.Threshold, declared.RotationThreshold.Duration)
		}
	}
	return opts
}

// otherServices are the Services that the API server calls the gateway by besides its own, as Katalogs name them for single webhooks.
func (g *Gateway) otherServices(katalogs []*orkv1.Katalog) []string {
	var all []string
	add := func(name string) {
		if name != "" && name != g.opts.Service && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	for _, katalog := range katalogs {
		s := katalog.Security
		if s == nil {
			continue
		}
		if s.Webhooks != nil {
			add(s.Webhooks.ServiceName)
		}
		if s.DeletionProtection != nil {
			add(s.DeletionProtection.ServiceName)
		}
	}
	return all
}
