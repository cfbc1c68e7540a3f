package clusters

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

const kubeconfig = `apiVersion: v1
kind: Config
current-context: eu
contexts: [{name: eu, context: {cluster: eu, user: gateway}}]
clusters: [{name: eu, cluster: {server: "SERVER"}}]
users: [{name: gateway, user: USER}]
`

func kubeconfigOf(server, user string) string {
	return strings.NewReplacer("SERVER", server, "USER", user).Replace(kubeconfig)
}

// What a kubeconfig may not do is refused, and no error tells what is in it.
func TestConfigOf(t *testing.T) {
	const endpoint = "https://eu.example:6443"
	cases := map[string]struct {
		reason, config, err string
	}{
		"Token":     {reason: "a token is a credential", config: kubeconfigOf(endpoint, "{token: s3cret}")},
		"Slash":     {reason: "the same server, spelt otherwise", config: kubeconfigOf("https://EU.example:6443/", "{token: s3cret}")},
		"Elsewhere": {reason: "another server than endpoint says", config: kubeconfigOf("https://s3cret@us.example", "{token: s3cret}"), err: "its kubeconfig leads to https://us.example, and endpoint is https://eu.example:6443"},
		"Exec": {
			reason: "no command runs here", config: kubeconfigOf(endpoint, `{exec: {apiVersion: client.authentication.k8s.io/v1, command: s3cret, interactiveMode: Never}}`),
			err: "runs a command (exec)",
		},
		"TokenFile": {reason: "no file of the gateway is sent away", config: kubeconfigOf(endpoint, "{tokenFile: /var/run/s3cret}"), err: "its kubeconfig"},
		"KeyFile":   {reason: "nor read", config: kubeconfigOf(endpoint, "{client-key: /s3cret, client-certificate: /s3cret}"), err: "its kubeconfig"},
		"Insecure": {
			reason: "nobody is trusted blindly", config: strings.Replace(kubeconfigOf(endpoint, "{token: s3cret}"), `"}}]`, `", insecure-skip-tls-verify: true}}]`, 1),
			err: "whose certificate is not checked",
		},
		"Broken": {reason: "something else", config: "s3cret: [", err: "its kubeconfig is not valid"},
		"Empty":  {reason: "nobody in particular", config: "{}", err: "its kubeconfig is not valid"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			config, err := configOf(&orkv1.Cluster{Endpoint: endpoint, SecretRef: &orkv1.SecretKey{}}, &credential{kubeconfig: []byte(tc.config)})
			switch {
			case tc.err == "" && err != nil:
				t.Errorf("%s: %v", tc.reason, err)
			case tc.err == "" && config.BearerToken != "s3cret":
				t.Errorf("%s: the token is %q", tc.reason, config.BearerToken)
			case tc.err != "" && (err == nil || !strings.Contains(err.Error(), tc.err) || strings.Contains(err.Error(), "s3cret")):
				t.Errorf("%s: error %v, want %q", tc.reason, err, tc.err)
			}
		})
	}
}

// A credential is read again when it is old, a changed one is taken, and one that is away for a moment does no harm.
func TestClient(t *testing.T) {
	now := time.Unix(1000, 0)
	data, failure, reads := map[string][]byte{"token": []byte("one\n")}, error(nil), 0
	c := New(Options{
		Clusters: map[string]orkv1.Cluster{"eu": {Endpoint: "https://eu.example", TokenRef: &orkv1.SecretKey{Name: "eu", Key: "token"}, Insecure: true}},
		Secret: func(_ context.Context, name types.NamespacedName) (map[string][]byte, error) {
			if reads++; name != (types.NamespacedName{Namespace: "ops", Name: "eu"}) {
				t.Errorf("read %s", name)
			}
			return data, failure
		},
		Namespace: "ops", Scheme: runtime.NewScheme(), Mapper: meta.NewDefaultRESTMapper(nil), Now: func() time.Time { return now },
	})
	var last any
	for _, step := range []struct {
		reason         string
		after          time.Duration
		token          string
		failure        error
		read, same, ok bool
	}{
		{reason: "the first time it is read", token: "one", read: true, ok: true},
		{reason: "then it is known", after: time.Second, token: "two", same: true, ok: true},
		{reason: "for some seconds", after: 10 * time.Second, token: "two", read: true, ok: true},
		{reason: "the same again is no change", after: 10 * time.Second, token: "two", read: true, same: true, ok: true},
		{reason: "the last one is as good as before", after: 10 * time.Second, failure: errors.New("away"), read: true, same: true, ok: true},
		{reason: "until there is another", after: time.Second, token: "three", read: true, ok: true},
	} {
		now = now.Add(step.after)
		data, failure = map[string][]byte{"token": []byte(step.token)}, step.failure
		before := reads
		got, err := c.Client(t.Context(), "eu")
		if (err == nil) != step.ok || (reads > before) != step.read || (any(got) == last) != step.same {
			t.Errorf("%s: read %t, the same %t, error %v", step.reason, reads > before, any(got) == last, err)
		}
		last = got
	}
	if _, err := c.Client(t.Context(), "us"); err == nil || c.Has("us") || !c.Has("eu") {
		t.Errorf("there is no cluster us: %v", err)
	}
	data = map[string][]byte{}
	if _, err := New(c.opts).Client(t.Context(), "eu"); err == nil || err.Error() != "cluster eu: the Secret ops/eu has no token" {
		t.Errorf("a Secret without the key: %v", err)
	}
}
