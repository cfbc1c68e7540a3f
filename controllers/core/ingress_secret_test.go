package core_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers/core"
)

func TestIngressSecret(t *testing.T) {
	days := func(n int) *orkv1.Duration { return &orkv1.Duration{Duration: time.Duration(n) * 24 * time.Hour} }
	cases := map[string]struct {
		reason string
		in     orkv1.Ingress
		want   *orkv1.Secret
	}{
		"None":  {reason: "without TLS there is nothing to make", in: orkv1.Ingress{Host: "a.example.com"}},
		"Given": {reason: "somebody else makes it", in: orkv1.Ingress{TLS: &orkv1.IngressTLS{SecretName: "a"}}},
		"Defaults": {
			reason: "the host of the Ingress for a year", in: orkv1.Ingress{Host: "a.example.com", TLS: &orkv1.IngressTLS{Create: true}},
			want: &orkv1.Secret{
				Entry: orkv1.Entry{Name: "{{ .metadata.name }}-tls"}, RotateAfter: &orkv1.Duration{Duration: 365 * 16 * time.Hour},
				TLS: &orkv1.TLS{DNSNames: []orkv1.Template{"a.example.com"}, ValidFor: days(365)},
			},
		},
		"Told": {
			reason: "as it says, under the gate of the Ingress",
			in: orkv1.Ingress{
				Entry: orkv1.Entry{Namespace: "x", EntryPolicy: orkv1.EntryPolicy{Reconcile: true}}, Host: "a.example.com",
				TLS: &orkv1.IngressTLS{Create: true, SecretName: "s", Hosts: []orkv1.Template{"b.example.com"}, ValidFor: days(30)},
			},
			want: &orkv1.Secret{
				Entry: orkv1.Entry{Name: "s", Namespace: "x", EntryPolicy: orkv1.EntryPolicy{Reconcile: true}}, RotateAfter: days(20),
				TLS: &orkv1.TLS{DNSNames: []orkv1.Template{"b.example.com"}, ValidFor: days(30)},
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, ok := core.IngressSecret(&tc.in)
			if ok != (tc.want != nil) {
				t.Fatalf("\n%s\nIngressSecret(...) makes one: %t", tc.reason, ok)
			}
			if tc.want == nil {
				return
			}
			if diff := cmp.Diff(*tc.want, got); diff != "" {
				t.Errorf("\n%s\nIngressSecret(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
