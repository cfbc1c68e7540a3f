package server

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"sync"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	webhookadmission "sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/orkestra-runtime/orkestra/api/namespaces"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/gateway/admission"
	"github.com/orkestra-runtime/orkestra/gateway/auth"
	"github.com/orkestra-runtime/orkestra/gateway/clusters"
	"github.com/orkestra-runtime/orkestra/gateway/conversion"
	"github.com/orkestra-runtime/orkestra/gateway/entry"
	"github.com/orkestra-runtime/orkestra/gateway/metrics"
	"github.com/orkestra-runtime/orkestra/gateway/protection"
	"github.com/orkestra-runtime/orkestra/gateway/registration"
	"github.com/orkestra-runtime/orkestra/gateway/serve"
	"github.com/orkestra-runtime/orkestra/gateway/statistics"
	"github.com/orkestra-runtime/orkestra/providers/external"
)

// shared are what all states of a gateway have.
type shared struct {
	mgr     manager.Manager
	direct  client.Client
	metrics *metrics.Recorder
	// statistics are those of all states: what was counted stays when Katalogs change.
	statistics *statistics.Statistics
	// static are the tokens that are secrets. What one state knew of them the next one goes on with, where they can't be read.
	static *auth.Static
}

// state is what the Katalogs come to. It never changes: other Katalogs are another state.
type state struct {
	shared
	opts    Options
	entries []*entry.Entry
	plan    *registration.Plan
	calls   external.Caller
	// routes answer requests, by the paths of the webhooks and of the API. All states have the same paths, whether or not their Katalogs have
	// something there.
	routes map[string]http.Handler
	// tokens are the callers of the API, and others the clusters that it serves besides. Nil: there are none.
	tokens  *tokens
	others  *clusters.Clusters
	watches *watches
	// leaves are the configurations that go with the gateway.
	leaves []string
}

// pathAPI is where the API is.
const pathAPI = "/api/v1/"

// newState compiles the Katalogs of the options.
func newState(common shared, opts Options) (*state, error) {
	s := &state{shared: common, opts: opts, leaves: leavingConfigurations(opts.Katalogs)}
	var errs field.ErrorList
	for _, katalog := range opts.Katalogs {
		entries, wrong := entry.Compile(katalog, opts.Schemas)
		s.entries, errs = append(s.entries, entries...), append(errs, wrong...)
	}
	if len(errs) > 0 {
		return nil, errs.ToAggregate()
	}
	s.plan = s.registrations()
	var err error
	if s.calls, err = s.caller(); err != nil {
		return nil, err
	}
	s.routes = s.webhooks()
	api, err := s.api()
	if err != nil {
		return nil, err
	}
	s.routes[pathAPI] = serve.Off()
	if api != nil {
		s.routes[pathAPI] = api
	}
	s.watches, err = s.watched()
	return s, err
}

// start does what goes on beside the requests, until ctx ends. Wake is called when something changes that the gateway keeps, and wait returns when all
// has ended.
func (s *state) start(ctx context.Context, wake func()) (wait func(), err error) {
	var running sync.WaitGroup
	if s.others != nil {
		running.Go(func() {
			if err := s.others.Start(ctx); err != nil {
				logf.FromContext(ctx).Error(err, "other clusters are looked at no more")
			}
		})
	}
	watching, err := s.watches.start(ctx, wake)
	return func() {
		watching()
		running.Wait()
	}, err
}

// definitions are the names of those that point here.
func (s *state) definitions() []string {
	var names []string
	for _, one := range s.entries {
		if one.UpdatesDefinition && !slices.Contains(names, one.Definition()) {
			names = append(names, one.Definition())
		}
	}
	return names
}

// webhooks are the handlers, by their paths.
func (s *state) webhooks() map[string]http.Handler {
	entries := admission.Entries{}
	guards := map[schema.GroupVersionResource]namespaces.Guard{}
	definitions, ofChildren := map[string]string{}, map[schema.GroupKind]string{}
	for _, one := range s.entries {
		if one.Admission != nil {
			entries[one.Resource] = one.Admission
		}
		guards[one.Resource] = one.Namespaces
		if one.ProtectsDefinition {
			definitions[one.Definition()] = one.Name
			for _, kind := range one.Children {
				ofChildren[kind] = one.Name
			}
		}
	}
	opts := admission.Options{Entries: func() admission.Entries { return entries }, Runtime: s.opts.Runtime, Calls: s.calls, Recorder: s.metrics, Now: s.opts.Now}
	identities := s.identities()
	converts := s.conversions()
	routes := map[string]http.Handler{registration.PathConvert: &conversion.Handler{
		Programs: converts.program, Converted: converts.converted, Lost: converts.lost,
	}}
	for path, handler := range map[string]webhookadmission.Handler{
		registration.PathValidate: admission.NewValidator(opts),
		registration.PathMutate:   admission.NewMutator(opts),
		registration.PathDeletion: &protection.Deletion{Identities: identities, Definition: func(name string, kind schema.GroupKind) (string, bool) {
			if by, is := definitions[name]; is {
				return by, false
			}
			return ofChildren[kind], true
		}, Blocked: s.metrics.DeletionBlocked},
		registration.PathNamespace: &protection.Namespace{Identities: identities, Guard: func(r schema.GroupVersionResource) namespaces.Guard {
			return guards[r]
		}, Blocked: s.metrics.NamespaceBlocked},
		registration.PathStrict:     &protection.Strict{Identities: identities},
		registration.PathProvenance: &protection.Provenance{Identities: identities},
	} {
		routes[path] = reviews(maxReview, &webhook.Admission{Handler: s.measure(path, handler)})
	}
	return routes
}

// identities are those that may do more than others.
func (s *state) identities() protection.Identities {
	account := func(name string) string { return "system:serviceaccount:" + s.opts.Namespace + ":" + name }
	i := protection.Identities{Gateway: cmp.Or(s.opts.User, account(s.opts.ServiceAccount)), Runtime: account(s.opts.RuntimeServiceAccount)}
	for _, katalog := range s.opts.Katalogs {
		s := katalog.Security
		if s == nil {
			continue
		}
		if s.BreakGlass != nil {
			i.BreakGlass = append(i.BreakGlass, s.BreakGlass.Groups...)
		}
		if allowed := s.DeletionProtection; allowed.On() && allowed.AllowGarbageCollection != nil && !*allowed.AllowGarbageCollection {
			i.DenyGarbageCollection = true // one webhook is asked for all, and the stricter wins
		}
	}
	if len(i.BreakGlass) == 0 {
		i.BreakGlass = []string{"system:masters"}
	}
	return i
}

// registrations are what the API server must know.
func (s *state) registrations() *registration.Plan {
	identities := s.identities()
	plan := &registration.Plan{
		Namespace: s.opts.Namespace, Service: s.opts.Service, Port: s.opts.ServicePort, URL: s.opts.URL,
		Free: identities.Free(), BreakGlass: identities.BreakGlass,
	}
	for _, one := range s.entries {
		resource := registration.Resource{GroupVersionResource: one.Resource}
		if one.Admission != nil {
			for _, operation := range one.Admission.Operations {
				resource.Operations = append(resource.Operations, admissionregistrationv1.OperationType(operation))
			}
		}
		add := func(to *[]registration.Resource, wanted bool, idle func() string) {
			if !wanted {
				return
			}
			added := resource
			if idle != nil {
				added.Idle = idle()
			}
			*to = append(*to, added)
		}
		plan.AdmissionWrites = plan.AdmissionWrites || one.Admission.Writes()
		add(&plan.Validated, one.Validates, one.Admission.ValidationIdle)
		add(&plan.Mutated, one.Mutates, one.Admission.MutationIdle)
		add(&plan.Strict, one.Strict, nil)
		add(&plan.Guarded, one.GuardsNamespaces, one.Namespaces.Expression)
		add(&plan.Delivered, one.GuardsProvenance, nil)
		if one.ProtectsDefinition {
			plan.Definitions = append(plan.Definitions, one.Definition())
			plan.DefinitionsOf = append(plan.DefinitionsOf, one.Children...)
		}
	}
	for _, katalog := range s.opts.Katalogs {
		s := katalog.Security
		if s == nil {
			continue
		}
		if s.Webhooks != nil {
			plan.AdmissionService = cmp.Or(plan.AdmissionService, s.Webhooks.ServiceName)
			plan.AdmissionPolicy = policy(plan.AdmissionPolicy, s.Webhooks.FailurePolicy)
		}
		if s.DeletionProtection.On() {
			plan.Protected, plan.StrictOwn = true, plan.StrictOwn || s.DeletionProtection.StrictMode
			plan.DeletionService = cmp.Or(plan.DeletionService, s.DeletionProtection.ServiceName)
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
