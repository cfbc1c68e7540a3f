package rights_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/gateway/rights"
	"github.com/orkestra-runtime/orkestra/internal/golden"
)

// TestObjects compares what a person applies.
func TestObjects(t *testing.T) {
	cases := map[string]struct {
		reason string
		opts   rights.Options
	}{
		"small":     {"rules alone, which validate", rights.Options{}},
		"mutation":  {"rules alone, which mutate", rights.Options{}},
		"serve":     {"what is served is guarded, and nothing else is registered", rights.Options{}},
		"unguarded": {"and nothing is where that is not wanted", rights.Options{}},
		"all":       {"everything that needs a right", rights.Options{ServiceAccount: "gate"}},
		"borrowed":  {"somebody else keeps the certificate", rights.Options{Secret: "gate-cert"}},
		"files":     {"in files", rights.Options{Files: true}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join("testdata", name)
			text, err := os.ReadFile(filepath.Join(dir, "katalog.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			loaded, err := katalog.Parse(katalog.Options{Gateway: true}, "katalog.yaml", text)
			if err != nil {
				t.Fatal(err)
			}
			tc.opts.Namespace = "orkestra-system"
			found, err := rights.Of([]*orkv1.Katalog{loaded.Documents[0].Katalog}, tc.opts)
			if err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			for i, one := range found.Objects(tc.opts) {
				text, err := yaml.Marshal(one)
				if err != nil {
					t.Fatal(err)
				}
				if i > 0 {
					out.WriteString("---\n")
				}
				out.Write(text)
			}
			golden.Compare(t, filepath.Join(dir, "roles.golden.yaml"), out.String())
			weakness09(t, found)
		})
	}
}

// weakness09 checks what no gateway may have: Secrets of the whole cluster, Secrets without a name, and everything of anything.
func weakness09(t *testing.T, found *rights.Rights) {
	t.Helper()
	check := func(where string, all []rbacv1.PolicyRule) {
		for _, one := range all {
			secret := one.Resources[0] == "secrets"
			switch {
			case len(one.APIGroups) == 0:
				t.Errorf("Weakness54: a rule in %s has no group", where)
			case one.APIGroups[0] == "*" || one.Resources[0] == "*" || one.Verbs[0] == "*":
				t.Errorf("Weakness09: a rule in %s grants everything: %v", where, one)
			case secret && where == "the cluster":
				t.Errorf("Weakness09: Secrets of the whole cluster: %v", one)
			case secret && len(one.ResourceNames) == 0 && (len(one.Verbs) != 1 || one.Verbs[0] != "create"):
				t.Errorf("Weakness09: all Secrets of %s: %v", where, one)
			}
		}
	}
	check("the cluster", found.Cluster)
	for namespace, all := range found.Namespaces {
		check(namespace, all)
	}
}

// In another cluster the gateway may do what is served there, and no more.
func TestRemote(t *testing.T) {
	const text = `apiVersion: orkestra.orkspace.io/v1
kind: Katalog
metadata: {name: shop}
gateway:
  api: {enabled: true}
  clusters:
    eu: {endpoint: "https://eu.example", secretRef: {name: eu, key: kubeconfig}}
    us: {endpoint: "https://us.example", tokenRef: {name: us, namespace: keys, key: token}, caRef: {name: us-ca, key: ca.crt}}
    idle: {endpoint: "https://idle.example", secretRef: {name: idle, key: kubeconfig}}
spec:
  crds:
    near: {apiTypes: {group: example.com, version: v1, kind: Near}, serve: {enabled: true, namespace: shop}}
    far: {apiTypes: {group: example.com, version: v1, kind: Far}, serve: {enabled: true, namespace: shop, clusters: [eu]}}
    both:
      apiTypes: {group: example.com, version: v1, kind: Both}
      serve: {enabled: true, namespace: shop, clusters: [eu, us], target: {both: {primary: true}, both-us: {clusters: [us]}}}
    off: {apiTypes: {group: example.com, version: v1, kind: Off}, serve: {namespace: shop, clusters: [eu]}}
`
	resources := func(rules []rbacv1.PolicyRule) []string {
		var all []string
		for _, rule := range rules {
			if rule.APIGroups[0] == "example.com" {
				all = append(all, rule.Resources...)
			}
		}
		slices.Sort(all)
		return all
	}
	load := func(text string) []*orkv1.Katalog {
		loaded, err := katalog.Parse(katalog.Options{Gateway: true}, "katalog.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return []*orkv1.Katalog{loaded.Documents[0].Katalog}
	}
	granted := func(katalogs []*orkv1.Katalog) map[string][]string {
		objects, _, err := rights.Remote(katalogs)
		if err != nil {
			t.Fatal(err)
		}
		all := map[string][]string{}
		for cluster, list := range objects {
			for _, one := range list {
				if role, ok := one.(*rbacv1.ClusterRole); ok {
					all[cluster] = resources(role.Rules)
				}
				if account, ok := one.(*corev1.ServiceAccount); ok && account.Namespace != "kube-system" {
					t.Errorf("the account of %s is in %s", cluster, account.Namespace)
				}
			}
		}
		return all
	}
	katalogs := load(text)
	if diff := cmp.Diff(map[string][]string{"eu": {"boths", "fars"}, "us": {"boths"}}, granted(katalogs)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	own, err := rights.Of(katalogs, rights.Options{Namespace: "ops"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"nears"}, resources(own.Cluster)); diff != "" {
		t.Errorf("in its own cluster: -want, +got:\n%s", diff)
	}
	read := map[string][]string{}
	for namespace, rules := range own.Namespaces {
		for _, rule := range rules {
			if slices.Equal(rule.Verbs, []string{"get"}) {
				read[namespace] = append(read[namespace], rule.ResourceNames...)
			}
		}
	}
	if diff := cmp.Diff(map[string][]string{"ops": {"eu", "idle", "us-ca"}, "keys": {"us"}}, read); diff != "" {
		t.Errorf("credentials: -want, +got:\n%s", diff)
	}
	chosen := load(strings.Replace(text, "clusters: [eu]}", `clusters: ["{{ .region }}"]}`, 1))
	if diff := cmp.Diff(map[string][]string{"eu": {"boths", "fars"}, "us": {"boths", "fars"}, "idle": {"fars"}}, granted(chosen)); diff != "" {
		t.Errorf("an intent chooses: -want, +got:\n%s", diff)
	}
	if _, crds, _ := rights.Remote(chosen); !slices.Equal(crds, []string{"far"}) {
		t.Errorf("chosen: %q", crds)
	}
}
