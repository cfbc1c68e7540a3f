package server

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	webhookadmission "sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/orkestra-runtime/orkestra/api/namespaces"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/gateway/admission"
	"github.com/orkestra-runtime/orkestra/gateway/certs"
	"github.com/orkestra-runtime/orkestra/gateway/conversion"
	"github.com/orkestra-runtime/orkestra/gateway/entry"
	"github.com/orkestra-runtime/orkestra/gateway/metrics"
	"github.com/orkestra-runtime/orkestra/gateway/protection"
	"github.com/orkestra-runtime/orkestra/gateway/registration"
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
	// Service that the API server reaches it by, and ServicePort of it. They default to orkestra-gateway and 443.
	Service     string
	ServicePort int32
	// URL is where the API server reaches it in place of a Service, for one outside of the cluster: https://host:port. Defaults to none.
	URL string
	// Host and Port are where it listens. They default to all addresses and 9443.
	Host string
	Port int
	// ServiceAccount and RuntimeServiceAccount are the accounts of the two processes. They default to the names of their Services.
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
	o.Namespace, o.Service = cmp.Or(o.Namespace, "default"), cmp.Or(o.Service, DefaultService)
	o.ServicePort, o.Port = cmp.Or(o.ServicePort, DefaultServicePort), cmp.Or(o.Port, DefaultPort)
	o.ServiceAccount = cmp.Or(o.ServiceAccount, o.Service)
	o.RuntimeServiceAccount = cmp.Or(o.RuntimeServiceAccount, DefaultRuntimeService)
	if o.Schemas == nil {
		o.Schemas = func(string) map[string]*roots.Props { return nil }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Registerer == nil {
		o.Registerer = ctrlmetrics.Registry
	}
	if o.Pod == "" {
		o.Pod, _ = os.Hostname() // without one all endpoints are others
	}
	if o.Files != nil && o.Secret != "" {
		return fmt.Errorf("the certificate is in files and in the Secret %s: name one of the two", o.Secret)
	}
	return nil
}

// Gateway serves webhooks.
type Gateway struct {
	opts    Options
	entries []*entry.Entry
	plan    *registration.Plan
	keeper  *certs.Keeper
	server  webhook.Server
	house   *housekeeper
	calls   external.Caller
	metrics *metrics.Recorder
}

// New compiles the Katalogs and adds the gateway to the Manager. What is wrong with a Katalog is a field.ErrorList as an aggregate error, all of it
// at once.
func New(mgr manager.Manager, opts Options) (*Gateway, error) {
	if err := opts.setDefaults(); err != nil {
		return nil, err
	}
	g := &Gateway{opts: opts}
	var errs field.ErrorList
	for _, katalog := range opts.Katalogs {
		entries, wrong := entry.Compile(katalog, opts.Schemas)
		g.entries, errs = append(g.entries, entries...), append(errs, wrong...)
	}
	if len(errs) > 0 {
		return nil, errs.ToAggregate()
	}
	var err error
	if g.metrics, err = metrics.New(opts.Registerer); err != nil {
		return nil, err //nolint:wrapcheck // says what it does
	}
	g.plan = g.registrations()
	// What it keeps is read as it is, not from a cache: it compares, and a cache may be older than its own write.
	direct, err := client.New(mgr.GetConfig(), client.Options{Scheme: scheme(), HTTPClient: mgr.GetHTTPClient(), Mapper: mgr.GetRESTMapper()})
	if err != nil {
		return nil, fmt.Errorf("make a client: %w", err)
	}
	g.keeper = certs.New(g.certificates(direct))
	g.server = newHTTPSServer(opts.Host, opts.Port, g.keeper.GetCertificate)
	if g.calls, err = g.caller(direct); err != nil {
		return nil, err
	}
	g.handle(g.server)
	api, callers, err := g.api(mgr, direct)
	if err != nil {
		return nil, err
	}
	if api != nil {
		g.server.Register("/api/v1/", api)
	}
	var tokens []orkv1.GatewayToken
	if callers != nil {
		tokens = callers.declared
	}
	watches, err := g.watches(mgr, tokens)
	if err != nil {
		return nil, err
	}
	g.house = &housekeeper{
		certify: g.keeper.Keep, keeper: registration.NewKeeper(direct, func() *registration.Plan { return g.plan }, g.keeper.Bundle),
		tokens: callers, definitions: g.definitions, serving: func() error { return g.server.StartedChecker()(nil) }, watches: watches, trigger: make(chan struct{}, 1),
	}
	g.house.leaving = g.leaving(direct)
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

// ready tells whether it answers.
func (g *Gateway) ready(r *http.Request) error {
	if g.keeper.Bundle() == nil {
		return certs.ErrNone
	}
	return g.server.StartedChecker()(r)
}

// certificates are the options of the certificate, by what the Katalogs say.
func (g *Gateway) certificates(direct client.Client) certs.Options {
	opts := certs.Options{
		Client: direct, Namespace: g.opts.Namespace, Service: g.opts.Service, ValidFor: g.opts.ValidFor, Threshold: g.opts.Threshold,
		Files: g.opts.Files, Secret: g.opts.Secret,
		Changed: func() { g.metrics.Expires(g.keeper.Expires()) },
	}
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

// definitions are the names of those that point here.
func (g *Gateway) definitions() []string {
	var names []string
	for _, one := range g.entries {
		if one.UpdatesDefinition && !slices.Contains(names, one.Definition()) {
			names = append(names, one.Definition())
		}
	}
	return names
}

// handle adds the handlers to the server.
func (g *Gateway) handle(server webhook.Server) {
	entries := admission.Entries{}
	programs := map[schema.GroupKind]*conversion.Program{}
	guards := map[schema.GroupResource]namespaces.Guard{}
	definitions := map[string]string{}
	for _, one := range g.entries {
		if one.Admission != nil {
			entries[one.Resource.GroupResource()] = one.Admission
		}
		if one.Conversion != nil {
			programs[one.GVK.GroupKind()] = one.Conversion
		}
		guards[one.Resource.GroupResource()] = one.Namespaces
		if one.ProtectsDefinition {
			definitions[one.Definition()] = one.Name
		}
	}
	opts := admission.Options{Entries: func() admission.Entries { return entries }, Runtime: g.opts.Runtime, Calls: g.calls, Recorder: g.metrics, Now: g.opts.Now}
	identities := g.identities()
	for path, handler := range map[string]webhookadmission.Handler{
		registration.PathValidate: admission.NewValidator(opts),
		registration.PathMutate:   admission.NewMutator(opts),
		registration.PathDeletion: &protection.Deletion{Identities: identities, Definition: func(name string) (string, bool) {
			by, protected := definitions[name]
			return by, protected
		}, Blocked: g.metrics.DeletionBlocked},
		registration.PathNamespace: &protection.Namespace{Identities: identities, Guard: func(r schema.GroupResource) namespaces.Guard {
			return guards[r]
		}, Blocked: g.metrics.NamespaceBlocked},
		registration.PathStrict:     &protection.Strict{Identities: identities},
		registration.PathProvenance: &protection.Provenance{Identities: identities},
	} {
		server.Register(path, reviews(maxReview, &webhook.Admission{Handler: g.measure(path, handler)}))
	}
	server.Register(registration.PathConvert, &conversion.Handler{
		Programs: func(kind schema.GroupKind) *conversion.Program { return programs[kind] }, Converted: g.converted(),
	})
}

// identities are those that may do more than others.
func (g *Gateway) identities() protection.Identities {
	account := func(name string) string { return "system:serviceaccount:" + g.opts.Namespace + ":" + name }
	i := protection.Identities{Gateway: cmp.Or(g.opts.User, account(g.opts.ServiceAccount)), Runtime: account(g.opts.RuntimeServiceAccount)}
	for _, katalog := range g.opts.Katalogs {
		if s := katalog.Security; s != nil && s.BreakGlass != nil {
			i.BreakGlass = append(i.BreakGlass, s.BreakGlass.Groups...)
		}
	}
	if len(i.BreakGlass) == 0 {
		i.BreakGlass = []string{"system:masters"}
	}
	return i
}

// registrations are what the API server must know.
func (g *Gateway) registrations() *registration.Plan {
	identities := g.identities()
	plan := &registration.Plan{
		Namespace: g.opts.Namespace, Service: g.opts.Service, Port: g.opts.ServicePort, URL: g.opts.URL,
		Free: append(protection.Collectors(), identities.Gateway), BreakGlass: identities.BreakGlass,
	}
	for _, one := range g.entries {
		resource := registration.Resource{GroupVersionResource: one.Resource}
		if one.Admission != nil {
			for _, operation := range one.Admission.Operations {
				resource.Operations = append(resource.Operations, admissionregistrationv1.OperationType(operation))
			}
		}
		add := func(to *[]registration.Resource, wanted bool) {
			if wanted {
				*to = append(*to, resource)
			}
		}
		plan.AdmissionWrites = plan.AdmissionWrites || one.Admission.Writes()
		add(&plan.Validated, one.Validates)
		add(&plan.Mutated, one.Mutates)
		add(&plan.Strict, one.Strict)
		add(&plan.Guarded, one.GuardsNamespaces)
		add(&plan.Delivered, one.GuardsProvenance)
		if one.ProtectsDefinition {
			plan.Definitions = append(plan.Definitions, one.Definition())
		}
	}
	for _, katalog := range g.opts.Katalogs {
		s := katalog.Security
		if s == nil {
			continue
		}
		if s.Webhooks != nil {
			plan.AdmissionPolicy = policy(plan.AdmissionPolicy, s.Webhooks.FailurePolicy)
		}
		if s.DeletionProtection != nil && (s.DeletionProtection.Enabled == nil || *s.DeletionProtection.Enabled) {
			plan.Protected = true
			plan.DeletionPolicy = policy(plan.DeletionPolicy, s.DeletionProtection.FailurePolicy)
		}
		if s.NamespaceProtection != nil {
			plan.NamespacePolicy = policy(plan.NamespacePolicy, s.NamespaceProtection.FailurePolicy)
		}
	}
	return plan
}

// policy is the stricter one: Katalogs that share a webhook share its policy.
func policy(one admissionregistrationv1.FailurePolicyType, other orkv1.FailurePolicy) admissionregistrationv1.FailurePolicyType {
	if other == "" || one == admissionregistrationv1.Fail {
		return one
	}
	return admissionregistrationv1.FailurePolicyType(other)
}
