package checkout_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orkestra-runtime/orkestra/providers/checkout"
)

func TestAuthOf(t *testing.T) {
	cases := map[string]struct {
		reason string
		data   map[string]string
		want   checkout.Auth
		wrong  bool
	}{
		"Basic":  {"a Secret of Kubernetes' own type", map[string]string{"username": "a\n", "password": " b\n"}, checkout.Auth{Username: "a", Password: "b"}, false},
		"Token":  {"wins over a password", map[string]string{"token": "t\n", "password": "b"}, checkout.Auth{Password: "t"}, false},
		"SSH":    {"the key is left as it is", map[string]string{"ssh-privatekey": "k\n", "known_hosts": "h\n"}, checkout.Auth{PrivateKey: []byte("k\n"), KnownHosts: []byte("h\n")}, false},
		"Empty":  {"", map[string]string{"password": " \n"}, checkout.Auth{}, true},
		"Others": {"keys that mean nothing", map[string]string{"tls.key": "k", "username": "a"}, checkout.Auth{}, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			data := map[string][]byte{}
			for key, value := range tc.data {
				data[key] = []byte(value)
			}
			got, err := checkout.AuthOf(data)
			if diff := cmp.Diff(tc.want, got); diff != "" || tc.wrong != (err != nil) {
				t.Errorf("%s\nAuthOf(...): %v, -want, +got:\n%s", tc.reason, err, diff)
			}
		})
	}
}
