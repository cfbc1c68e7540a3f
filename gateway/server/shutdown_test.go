package server

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/gateway/registration"
)

func TestLeavingConfigurations(t *testing.T) {
	cases := map[string]struct {
		reason   string
		security []*orkv1.Security
		want     []string
	}{
		"None":      {"nobody says so", []*orkv1.Security{nil, {Webhooks: &orkv1.WebhookSecurity{}, DeletionProtection: &orkv1.DeletionProtection{}}}, nil},
		"Admission": {"each has a flag of its own", []*orkv1.Security{{Webhooks: &orkv1.WebhookSecurity{CleanupOnShutdown: true}, DeletionProtection: &orkv1.DeletionProtection{}}}, []string{registration.AdmissionValidation, registration.AdmissionMutation, registration.ProvenanceGuard}},
		"Strict":    {"strict mode goes with the protection", []*orkv1.Security{{DeletionProtection: &orkv1.DeletionProtection{CleanupOnShutdown: true}}}, []string{registration.DeletionProtection, registration.StrictProtection}},
		"Namespace": {"namespaces", []*orkv1.Security{{NamespaceProtection: &orkv1.NamespaceProtection{CleanupOnShutdown: true}}}, []string{registration.NamespaceProtection}},
		"Both": {
			"what two Katalogs share goes when both say so",
			[]*orkv1.Security{{NamespaceProtection: &orkv1.NamespaceProtection{CleanupOnShutdown: true}}, {NamespaceProtection: &orkv1.NamespaceProtection{}}},
			nil,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var katalogs []*orkv1.Katalog
			for _, one := range tc.security {
				katalogs = append(katalogs, &orkv1.Katalog{Security: one})
			}
			if diff := cmp.Diff(tc.want, leavingConfigurations(katalogs)); diff != "" {
				t.Errorf("\n%s\nleavingConfigurations(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// endpoint is one of the Service's.
func endpoint(pod string, ready bool) discoveryv1.Endpoint {
	return discoveryv1.Endpoint{Addresses: []string{"10.0.0.1"}, Conditions: discoveryv1.EndpointConditions{Ready: &ready}, TargetRef: &corev1.ObjectReference{Kind: "Pod", Name: pod}}
}

// TestWeakness26 shows that a replica that stops takes nothing away that another one serves with.
func TestWeakness26(t *testing.T) {
	validation := registration.AdmissionValidation
	cases := map[string]struct {
		reason         string
		configurations []string
		endpoints      []discoveryv1.Endpoint
		foreign        bool
		failures       int
		stays          []string
	}{
		"Last":     {reason: "nobody else is there", configurations: []string{validation}, endpoints: []discoveryv1.Endpoint{endpoint("own", true)}, stays: []string{registration.NamespaceProtection}},
		"Other":    {reason: "another replica serves", configurations: []string{validation}, endpoints: []discoveryv1.Endpoint{endpoint("own", false), endpoint("other", true)}, stays: []string{validation, registration.NamespaceProtection, orkv1.SecretTLS}},
		"Leaving":  {reason: "another one that leaves needs nothing", configurations: []string{validation}, endpoints: []discoveryv1.Endpoint{endpoint("other", false)}, stays: []string{registration.NamespaceProtection}},
		"NoFlag":   {reason: "nothing is to go", stays: []string{validation, registration.NamespaceProtection, orkv1.SecretTLS}},
		"Foreign":  {reason: "somebody else's certificate stays", configurations: []string{validation}, foreign: true, stays: []string{registration.NamespaceProtection, orkv1.SecretTLS}},
		"Retry":    {reason: "the API server is away for a moment", configurations: []string{validation}, failures: 2, stays: []string{registration.NamespaceProtection}},
		"GivingUp": {reason: "who does not know whether others are there takes nothing away", configurations: []string{validation}, failures: 9, stays: []string{validation, registration.NamespaceProtection, orkv1.SecretTLS}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: orkv1.SecretTLS, Labels: orkv1.InternalLabels()}}
			if tc.foreign {
				secret.Labels = nil
			}
			objects := []client.Object{secret, &discoveryv1.EndpointSlice{
				ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "gate-1", Labels: map[string]string{discoveryv1.LabelServiceName: "gate"}}, Endpoints: tc.endpoints,
			}}
			for _, one := range []string{validation, registration.NamespaceProtection} {
				objects = append(objects, &admissionregistrationv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: one}})
			}
			failures := tc.failures
			c := fake.NewClientBuilder().WithScheme(scheme()).WithObjects(objects...).WithInterceptorFuncs(interceptor.Funcs{
				List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
					if failures--; failures >= 0 {
						return errors.New("away")
					}
					return c.List(ctx, list, opts...)
				},
			}).Build()
			l := &leaving{
				client: c, keeper: registration.NewKeeper(c, nil, nil), namespace: "shop", service: "gate", pod: "own", configurations: tc.configurations,
				looks: 3, tries: 5,
			}
			l.leave(t.Context())
			var stays []string
			for _, one := range objects {
				if _, slice := one.(*discoveryv1.EndpointSlice); !slice && c.Get(t.Context(), client.ObjectKeyFromObject(one), one) == nil {
					stays = append(stays, one.GetName())
				}
			}
			slices.Sort(stays)
			slices.Sort(tc.stays)
			if diff := cmp.Diff(tc.stays, stays); diff != "" {
				t.Errorf("\n%s\nleave(): what stays: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
