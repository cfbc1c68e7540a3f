package networking_test

import (
	"testing"

	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/controllers/kindtest"
	"github.com/orkestra-runtime/orkestra/controllers/networking"
)

func TestGolden(t *testing.T) {
	for _, kind := range []controllers.Kind{networking.Ingresses(), networking.NetworkPolicies()} {
		t.Run(kind.Key, func(t *testing.T) { kindtest.Golden(t, kind) })
	}
}

func TestReject(t *testing.T) {
	cases := map[string]struct {
		reason string
		kind   controllers.Kind
		in     string
		want   string
	}{
		"NoPort": {
			reason: "a Service has no default port",
			kind:   networking.Ingresses(),
			in:     `{}`,
			want:   `ingresses[0].servicePort: the number or the name of a port is required`,
		},
		"Path": {
			reason: "the API server refuses a relative path",
			kind:   networking.Ingresses(),
			in:     `{servicePort: "80", path: shop, pathType: Regex}`,
			want: `ingresses[0].pathType: "Regex" is not one of Prefix, Exact, ImplementationSpecific; ` +
				`ingresses[0].path: "shop" is not a path: it begins with /`,
		},
		"Host": {
			reason: "a URL is no host",
			kind:   networking.Ingresses(),
			in:     `{servicePort: "80", host: "http://a", tls: {hosts: ["a.*"]}}`,
			want: `ingresses[0].host: "http://a" is not the name of a host: a lowercase RFC 1123 subdomain must consist of lower case ` +
				`alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character; ` +
				`ingresses[0].tls.hosts[0]: "a.*" is not the name of a host: a lowercase RFC 1123 subdomain must consist of lower case ` +
				`alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character`,
		},
		"NoRules": {
			reason: "a policy says what it is about",
			kind:   networking.NetworkPolicies(),
			in:     `{}`,
			want:   `networkPolicies[0]: one of ingress, egress, policyTypes is required`,
		},
		"WithoutEffect": {
			reason: "rules of a direction that the policy is not about would be ignored",
			kind:   networking.NetworkPolicies(),
			in:     `{egress: [], policyTypes: [Ingress]}`,
			want:   `networkPolicies[0].egress: has no effect: policyTypes lacks Egress`,
		},
		"Peers": {
			reason: "the API server takes selectors or addresses",
			kind:   networking.NetworkPolicies(),
			in:     `{ingress: [{from: [{}, {podSelector: {}, ipBlock: {cidr: 10.0.0.0/8}}]}]}`,
			want: `networkPolicies[0].ingress[0].from[0]: one of podSelector, namespaceSelector, ipBlock is required; ` +
				`networkPolicies[0].ingress[0].from[1].ipBlock: excludes podSelector and namespaceSelector: make two peers of them`,
		},
		"Addresses": {
			reason: "ranges are written as the API server wants them",
			kind:   networking.NetworkPolicies(),
			in: `{egress: [{to: [{ipBlock: {cidr: 10.0.0.1}}, {ipBlock: {cidr: 10.0.0.1/8}}, ` +
				`{ipBlock: {cidr: 10.0.0.0/8, except: [11.0.0.0/16, 10.0.0.0/8]}}], ports: [{port: "0"}]}]}`,
			want: `networkPolicies[0].egress[0].to[0].ipBlock.cidr: "10.0.0.1" is not a range of addresses such as 10.0.0.0/8; ` +
				`networkPolicies[0].egress[0].to[1].ipBlock.cidr: "10.0.0.1/8" has bits behind its mask: write 10.0.0.0/8; ` +
				`networkPolicies[0].egress[0].to[2].ipBlock.except[0]: "11.0.0.0/16" is not within 10.0.0.0/8; ` +
				`networkPolicies[0].egress[0].to[2].ipBlock.except[1]: "10.0.0.0/8" is not within 10.0.0.0/8; ` +
				`networkPolicies[0].egress[0].ports[0].port: "0" is out of range: want 1 to 65535`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Log(tc.reason)
			kindtest.Rejects(t, tc.kind, tc.in, tc.want)
		})
	}
}
