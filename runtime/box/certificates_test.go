package box_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What is wrong with a certificate is said of the Ingress, for nobody wrote its Secret.
func TestCertificateOfAnIngressErrors(t *testing.T) {
	const at = "spec.crds[website].operatorBox.onReconcile.ingresses[0]."
	cases := map[string]struct{ reason, tls, want string }{
		"NoHost": {
			reason: "the Ingress says it itself", tls: `{create: true}`,
			want: at + "tls.hosts: Required value: a host is required to make a certificate: it would hold for nothing",
		},
		"Name": {
			reason: "the name of the Secret", tls: `{create: true, hosts: [a.example.com], secretName: "A B"}`,
			want: at + `tls: Invalid value: "A B": is not a name that the kind can have: a lowercase RFC 1123 subdomain must consist of lower case ` +
				"alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, got := compile(t, `operatorBox: {onReconcile: {secrets: [{name: other, data: {a: b}}], ingresses: [{servicePort: 80, tls: `+tc.tls+`}]}}`)
			if diff := cmp.Diff([]string{tc.want}, got); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
