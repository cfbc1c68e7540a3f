package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/internal/command"
	"github.com/orkestra-runtime/orkestra/internal/command/commandtest"
)

func TestGenerateRBAC(t *testing.T) {
	const crds = "spec: {crds: {site: {apiTypes: {group: example.com, version: v1, kind: Site}}}}\n"
	const head = "apiVersion: orkestra.orkspace.io/v1\nkind: Katalog\nmetadata: {name: shop}\n"
	gated := head + "gateway: {endpoint: https://gateway}\nsecurity: {webhooks: {admission: {enabled: true}}}\n" + crds
	cases := map[string]struct {
		reason, text string
		args         []string
		code         int
		has, hasNot  []string
	}{
		"Both":      {"of both programs", gated, nil, 0, []string{"name: orkestra\n", "name: gate-of-shop\n", "namespace: orkestra-system\n", "- sites\n"}, nil},
		"Gateway":   {"of one of them", gated, []string{"--for", "gateway"}, 0, []string{"name: gate-of-shop\n"}, []string{"name: orkestra\n"}},
		"Runtime":   {"or the other", gated, []string{"--for", "runtime", "-n", "ops"}, 0, []string{"name: orkestra\n", "namespace: ops\n"}, []string{"gate-of"}},
		"NoGateway": {"a Katalog without a gateway", head + crds, nil, 0, []string{"name: orkestra\n"}, []string{"gate-of"}},
		"Disabled":  {"nor with one that is off", head + "gateway: {enabled: false}\n" + crds, nil, 0, nil, []string{"gate-of"}},
		"Unknown":   {"no such program", gated, []string{"--for", "cc"}, 2, []string{`there is no program "cc"; valid: runtime, gateway`}, nil},
		"Wrong":     {"what is wrong is told", head + "spec: {}\n", nil, 1, []string{"spec.crds: required"}, nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "katalog.yaml")
			if err := os.WriteFile(path, []byte(tc.text), 0o600); err != nil {
				t.Fatal(err)
			}
			ran := commandtest.Run(t, "", func(streams command.Streams) []*cobra.Command {
				return Commands(Options{Out: streams.Out, Err: streams.Err, GatewayRights: func(katalogs []*orkv1.Katalog, namespace string) ([]runtime.Object, error) {
					role := &rbacv1.Role{}
					role.Name, role.Namespace = "gate-of-"+katalogs[0].Name, namespace
					return []runtime.Object{role}, nil
				}})
			}, append([]string{"generate", "rbac", "-f", path}, tc.args...)...)
			code, got := ran.Code, ran.Out+ran.Err
			if code != tc.code {
				t.Errorf("\n%s\ncode %d, want %d: %s", tc.reason, code, tc.code, got)
			}
			for _, one := range tc.has {
				if !strings.Contains(got, one) {
					t.Errorf("\n%s\nwant %q in:\n%s", tc.reason, one, got)
				}
			}
			for _, one := range tc.hasNot {
				if strings.Contains(got, one) {
					t.Errorf("\n%s\nwant no %q in:\n%s", tc.reason, one, got)
				}
			}
		})
	}
}
