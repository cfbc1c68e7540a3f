package cli

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/orkestra-runtime/orkestra/internal/command"
	"github.com/orkestra-runtime/orkestra/internal/command/commandtest"
)

// ork runs a command as main does.
func ork(t *testing.T, in string, args ...string) commandtest.Result {
	t.Helper()
	return commandtest.Run(t, in, func(streams command.Streams) []*cobra.Command {
		return Commands(Options{In: streams.In, Out: streams.Out, Err: streams.Err})
	}, args...)
}

func TestGate(t *testing.T) {
	const valid, url = "testdata/gate/valid.yaml", "--url=https://192.0.2.1:9443"
	cases := map[string]struct {
		reason    string
		args      []string
		variables map[string]string
		code      int
		// says are parts of stderr.
		says []string
	}{
		"NoFile":   {reason: "wrong usage", args: []string{url}, code: 2, says: []string{"no Katalog: name one with -f"}},
		"Argument": {reason: "files are named with -f", args: []string{valid}, code: 2, says: []string{`ork gate takes no arguments, got "testdata/gate/valid.yaml"; name files with -f`}},
		"Address":  {reason: "wrong usage", args: []string{url, "-f", valid, "--bind-address=9443"}, code: 2, says: []string{`--bind-address "9443" is no address such as :9443`}},
		"URL":      {reason: "webhooks are never asked without TLS", args: []string{"--url=http://192.0.2.1", "-f", valid}, code: 2, says: []string{`is no address such as https://192.0.2.1:9443`}},
		"Nowhere":  {reason: "a Service leads to pods", args: []string{"-f", valid}, code: 2, says: []string{"say with --url where the API server reaches this process"}},
		"Runtime":  {reason: "wrong usage", args: []string{url, "-f", valid, "--runtime-url=orkestra-runtime:8080"}, code: 2, says: []string{`--runtime-url: "orkestra-runtime:8080" is no URL such as http://`}},
		"Token":    {reason: "an empty file is no token", args: []string{url, "-f", valid, "--runtime-token-file=/dev/null"}, code: 1, says: []string{"/dev/null is empty"}},
		"Allow":    {reason: "wrong usage", args: []string{url, "-f", valid, "--external-allow=a b"}, code: 2, says: []string{"--external-allow: "}},
		"Protocol": {
			reason: "a call that nobody makes would deny everything", args: []string{url, "-f", "testdata/gate/protocol.yaml"}, code: 1,
			says: []string{"error: testdata/gate/protocol.yaml:11:78: spec.crds[site].validation.external[0].protocol: has no client in this program (it has: http)"},
		},
		"Missing":   {reason: "a file that is not there is wrong input", args: []string{url, "-f", "missing.yaml"}, code: 1, says: []string{"error: missing.yaml"}},
		"NoCluster": {reason: "a kubeconfig that is not there is a failure", args: []string{url, "-f", valid, "--kubeconfig=missing"}, code: 1, says: []string{"find the cluster: "}},
		"Variable": {
			reason: "a value that is taken for another one is worse than a start that fails", args: []string{url, "-f", valid},
			variables: map[string]string{"SHUTDOWN_GRACE_PERIOD": "soon"}, code: 2, says: []string{`SHUTDOWN_GRACE_PERIOD is "soon"`},
		},
		"Path": {
			reason: "of the environment", args: []string{url}, variables: map[string]string{"KATALOG_PATH": "missing.yaml"},
			code: 1, says: []string{"error: missing.yaml"},
		},
		"Everything": {
			reason: "all that is wrong is told at once, with places, and before a cluster is looked for",
			args:   []string{url, "-f", "testdata/gate/invalid.yaml", "--kubeconfig=missing"}, code: 1,
			says: []string{
				"error: testdata/gate/invalid.yaml:6:14: gateway.clusters[eu]: set exactly one of several fields, got 0; valid: secretRef, tokenRef\n",
				`error: testdata/gate/invalid.yaml:14:55: spec.crds[site].mutation.rules[0].override: unknown function "lowr"`,
				`error: testdata/gate/invalid.yaml:16:45: spec.crds[site].validation.rules[0].max: "many" is not a number`,
				"error: testdata/gate/invalid.yaml:17:7: spec.crds[site].serve.namespace: a namespaced CRD that is served needs one",
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for variable, value := range tc.variables {
				t.Setenv(variable, value)
			}
			got := ork(t, "", append([]string{"gate"}, tc.args...)...)
			if got.Code != tc.code {
				t.Errorf("%s\nexit code %d, want %d", tc.reason, got.Code, tc.code)
			}
			for _, text := range tc.says {
				if !strings.Contains(got.Err, text) {
					t.Errorf("%s\nwant %q in\n%s", tc.reason, text, got.Err)
				}
			}
		})
	}
}
