package rights_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

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
		"small":    {"rules alone", rights.Options{}},
		"all":      {"everything that needs a right", rights.Options{ServiceAccount: "gate"}},
		"borrowed": {"somebody else keeps the certificate", rights.Options{Secret: "gate-cert"}},
		"files":    {"in files", rights.Options{Files: true}},
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
