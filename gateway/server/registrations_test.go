package server

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/gateway/entry"
	"github.com/orkestra-runtime/orkestra/gateway/registration"
)

// TestWeakness25 shows that each policy of failures that a Katalog names is the one that the API server is told, and that it is Fail without a name.
func TestWeakness25(t *testing.T) {
	const crds = `
spec:
  crds:
    site:
      apiTypes: {group: example.com, version: v1, kind: Site}
      restrictedNamespaces: [kube-system]
      mutation: {rules: [{field: spec.size, default: 1}]}
      validation: {rules: [{field: spec.size, max: "5", message: at most 5}]}
`
	const fail, ignore = admissionregistrationv1.Fail, admissionregistrationv1.Ignore
	cases := map[string]struct {
		reason, security string
		want             map[string]admissionregistrationv1.FailurePolicyType
	}{
		"Default": {
			"nothing is let through unseen", "{webhooks: {admission: {}}, deletionProtection: {strictMode: true}, namespaceProtection: {}}",
			map[string]admissionregistrationv1.FailurePolicyType{"sites.example.com.mutate": fail, "sites.example.com.validate": fail, "protect.crds": fail, "protect.resources": fail, "strict-mode": fail, "own.strict-mode": fail, "exempt.strict-mode": fail, "sites.example.com.namespace-protect": fail},
		},
		"Deletion": {
			"of deletions alone", "{webhooks: {admission: {}}, deletionProtection: {strictMode: true, failurePolicy: Ignore}, namespaceProtection: {}}",
			map[string]admissionregistrationv1.FailurePolicyType{"sites.example.com.mutate": fail, "sites.example.com.validate": fail, "protect.crds": ignore, "protect.resources": ignore, "strict-mode": ignore, "own.strict-mode": ignore, "exempt.strict-mode": ignore, "sites.example.com.namespace-protect": fail},
		},
		"Others": {
			"of all others", "{webhooks: {admission: {}, failurePolicy: Ignore}, deletionProtection: {strictMode: true}, namespaceProtection: {failurePolicy: Ignore}}",
			map[string]admissionregistrationv1.FailurePolicyType{"sites.example.com.mutate": ignore, "sites.example.com.validate": ignore, "protect.crds": fail, "protect.resources": fail, "strict-mode": fail, "own.strict-mode": fail, "exempt.strict-mode": fail, "sites.example.com.namespace-protect": ignore},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			text := "apiVersion: orkestra.orkspace.io/v1\nkind: Katalog\nmetadata: {name: shop}\ngateway: {endpoint: https://gateway}\nsecurity: " + tc.security + crds
			loaded, err := katalog.Parse(katalog.Options{Gateway: true}, "katalog.yaml", []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			s := &state{opts: Options{Katalogs: []*orkv1.Katalog{loaded.Documents[0].Katalog}, Namespace: "ops", Service: "gate"}}
			s.entries, _ = entry.Compile(s.opts.Katalogs[0], func(string) map[string]*roots.Props { return nil })
			got := map[string]admissionregistrationv1.FailurePolicyType{}
			add := func(webhook string, policy *admissionregistrationv1.FailurePolicyType) {
				name := strings.TrimSuffix(webhook, ".orkestra.orkspace.io")
				for _, spelling := range []string{"legacy.", "older."} { // those are as the one that is written
					name = strings.TrimPrefix(name, spelling)
				}
				if before, known := got[name]; known && before != *policy {
					t.Errorf("%s has the policy %s, and another spelling %s", webhook, *policy, before)
				}
				got[name] = *policy
			}
			plan := s.registrations()
			for _, one := range plan.Mutating(nil) {
				for _, webhook := range one.Webhooks {
					add(webhook.Name, webhook.FailurePolicy)
				}
			}
			for _, one := range plan.Validating(nil) {
				for _, webhook := range one.Webhooks {
					add(webhook.Name, webhook.FailurePolicy)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nregistrations(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestWeakness24 shows that nobody is asked about what goes with its owner or its namespace, unless one of the Katalogs wants that.
func TestWeakness24(t *testing.T) {
	of := func(allowed *bool) *orkv1.Katalog {
		return &orkv1.Katalog{Security: &orkv1.Security{DeletionProtection: &orkv1.DeletionProtection{AllowGarbageCollection: allowed}}}
	}
	cases := map[string]struct {
		reason   string
		katalogs []*orkv1.Katalog
		want     bool
	}{
		"Default": {"a namespace goes", []*orkv1.Katalog{of(nil)}, true},
		"Allowed": {"as it is written", []*orkv1.Katalog{of(new(true))}, true},
		"Denied":  {"unless that is not wanted", []*orkv1.Katalog{of(new(false))}, false},
		"Several": {"by one of those who share the webhook", []*orkv1.Katalog{of(new(false)), of(nil)}, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s := &state{opts: Options{Katalogs: tc.katalogs, Namespace: "ops", User: "gateway"}}
			identities := s.identities()
			free := s.registrations().Free
			if got := slices.Contains(free, "system:serviceaccount:kube-system:generic-garbage-collector"); got != tc.want || identities.DenyGarbageCollection == tc.want {
				t.Errorf("%s: nobody is asked: %t, want %t", tc.reason, got, tc.want)
			}
			if !slices.Contains(free, "gateway") {
				t.Error("the gateway must not need itself")
			}
		})
	}
}

// TestServices shows by which Services the API server calls the gateway, and that its certificate has their names.
func TestServices(t *testing.T) {
	of := func(s orkv1.Security) *orkv1.Katalog { return &orkv1.Katalog{Security: &s} }
	named := func(gateway, runtime string) *orkv1.Katalog {
		return of(orkv1.Security{ServiceName: &orkv1.ServiceNames{Gateway: gateway, Runtime: runtime}})
	}
	cases := map[string]struct {
		reason           string
		options          Options
		gateway, runtime string
		err              string
	}{
		"Default":  {"nobody says anything", Options{Katalogs: []*orkv1.Katalog{of(orkv1.Security{})}}, "orkestra-gateway", "orkestra-runtime", ""},
		"Katalog":  {"a Katalog does", Options{Katalogs: []*orkv1.Katalog{named("gate", ""), named("", "run")}}, "gate", "run", ""},
		"Program":  {"and a program besides", Options{Service: "mine", Katalogs: []*orkv1.Katalog{named("gate", "run")}}, "mine", "run", ""},
		"Same":     {"two say the same", Options{Katalogs: []*orkv1.Katalog{named("gate", "run"), named("gate", "run")}}, "gate", "run", ""},
		"Contrary": {"two say different things", Options{Katalogs: []*orkv1.Katalog{named("gate", "a"), named("gate", "b")}}, "", "", "security.serviceName.runtime is b in the Katalog , and another Katalog says a"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			err := tc.options.setDefaults()
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Errorf("%s: setDefaults() = %v, want %q", tc.reason, err, tc.err)
				}
				return
			}
			if err != nil || tc.options.Service != tc.gateway || tc.options.ServiceAccount != tc.gateway || tc.options.RuntimeServiceAccount != tc.runtime {
				t.Errorf("%s: %v, %+v", tc.reason, err, tc.options)
			}
		})
	}
	declared := of(orkv1.Security{
		Webhooks: &orkv1.WebhookSecurity{ServiceName: "rules"}, DeletionProtection: &orkv1.DeletionProtection{ServiceName: "keeps"},
	})
	g := &Gateway{opts: Options{Katalogs: []*orkv1.Katalog{declared}, Namespace: "ops"}}
	if err := g.opts.setDefaults(); err != nil {
		t.Fatal(err)
	}
	if got := g.certificates().OtherServices; !slices.Equal(got, []string{"rules", "keeps"}) {
		t.Errorf("the certificate has the names of %v besides", got)
	}
	plan := (&state{opts: g.opts}).registrations()
	plan.Validated = []registration.Resource{{}}
	services := map[string]string{}
	for _, one := range plan.Validating(nil) {
		services[one.Name] = one.Webhooks[0].ClientConfig.Service.Name
	}
	if diff := cmp.Diff(map[string]string{registration.AdmissionValidation: "rules", registration.DeletionProtection: "keeps"}, services); diff != "" {
		t.Errorf("the Services that are called: -want, +got:\n%s", diff)
	}
}
