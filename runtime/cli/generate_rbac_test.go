package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
		"Protected": {"both keep what nobody is to delete", head + "gateway: {endpoint: https://gateway}\nsecurity: {deletionProtection: {}}\n" + crds, nil, 0, []string{"  labels:\n    orkestra.konductor.io/deletion-protection: \"true\"\n  name: orkestra\n", "  labels:\n    orkestra.konductor.io/deletion-protection: \"true\"\n  name: gate-of-shop\n"}, nil},
		"Free":      {"but only with the protection", gated, nil, 0, nil, []string{"deletion-protection"}},
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
				return Commands(Options{Out: streams.Out, Err: streams.Err, GatewayRights: func(katalogs []*orkv1.Katalog, namespace string) (*GatewayRights, error) {
					role := &rbacv1.Role{}
					role.Name, role.Namespace = "gate-of-"+katalogs[0].Name, namespace
					return &GatewayRights{Own: []runtime.Object{role}, Clusters: map[string][]runtime.Object{"eu": {role}}, Chosen: []string{"shop"}}, nil
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

// Rights in other clusters are written beside those in the gateway's own, and are not lost without a word where they cannot be.
func TestGenerateRBACOfClusters(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "katalog.yaml")
	text := "apiVersion: orkestra.orkspace.io/v1\nkind: Katalog\nmetadata: {name: shop}\ngateway: {}\n" +
		"spec: {crds: {site: {apiTypes: {group: example.com, version: v1, kind: Site}}}}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(output string) commandtest.Result {
		return commandtest.Run(t, "", func(streams command.Streams) []*cobra.Command {
			return Commands(Options{Out: streams.Out, Err: streams.Err, GatewayRights: func([]*orkv1.Katalog, string) (*GatewayRights, error) {
				role := func(name string) []runtime.Object {
					return []runtime.Object{&rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: name}}}
				}
				return &GatewayRights{Own: role("here"), Clusters: map[string][]runtime.Object{"eu": role("there")}, Chosen: []string{"site"}}, nil
			}})
		}, "generate", "rbac", "-f", file, "--for", "gateway", "-o", output)
	}
	if ran := run("-"); ran.Code != 0 || !strings.Contains(ran.Out, "name: here") || !strings.Contains(ran.Err, "in other clusters is written with --output FILE: eu") {
		t.Errorf("to the terminal: %+v", ran)
	}
	ran := run(filepath.Join(dir, "rbac.yaml"))
	if ran.Code != 0 || ran.Out != "" || !strings.Contains(ran.Err, "warning: an intent for site chooses its cluster") {
		t.Errorf("to a file: %+v", ran)
	}
	for name, want := range map[string]string{"rbac.yaml": "name: here", "gateway-eu-rbac.yaml": "name: there"} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !strings.Contains(string(got), want) {
			t.Errorf("%s: %v\n%s", name, err, got)
		}
	}
	if ran := run(filepath.Join(dir, "gateway-eu-rbac.yaml")); ran.Code != 2 || !strings.Contains(ran.Err, "is the file of what the gateway needs in the cluster eu") {
		t.Errorf("to the file of a cluster: %+v", ran)
	}
	if ran := run(file); ran.Code != 2 || !strings.Contains(ran.Err, "is a Katalog, which would be lost") {
		t.Errorf("over the Katalog: %+v", ran)
	}
	if ran := run(filepath.Join(dir, "none", "rbac.yaml")); ran.Code != 1 || !strings.Contains(ran.Err, "no such file or directory") {
		t.Errorf("to a folder that there is not: %+v", ran)
	}
}
