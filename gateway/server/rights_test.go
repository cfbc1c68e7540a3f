package server

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/gateway/entry"
	"github.com/orkestra-runtime/orkestra/gateway/rights"
)

// TestRightsOfRegistrations shows that the gateway may write those configurations of webhooks that it registers, and no others.
func TestRightsOfRegistrations(t *testing.T) {
	files, err := filepath.Glob("../rights/testdata/*/katalog.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no Katalog: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(filepath.Dir(file)), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			loaded, err := katalog.Parse(katalog.Options{Gateway: true}, "katalog.yaml", text)
			if err != nil {
				t.Fatal(err)
			}
			all := []*orkv1.Katalog{loaded.Documents[0].Katalog}
			g := &state{opts: Options{Katalogs: all, Namespace: "ops", Service: "gate"}}
			g.entries, _ = entry.Compile(all[0], func(string) map[string]*roots.Props { return nil })
			plan := g.registrations()
			registered := map[string][]string{}
			for _, one := range plan.Mutating(nil) {
				registered["mutatingwebhookconfigurations"] = append(registered["mutatingwebhookconfigurations"], one.Name)
			}
			for _, one := range plan.Validating(nil) {
				registered["validatingwebhookconfigurations"] = append(registered["validatingwebhookconfigurations"], one.Name)
			}
			granted, err := rights.Of(all, rights.Options{Namespace: "ops"})
			if err != nil {
				t.Fatal(err)
			}
			updated, created := map[string][]string{}, map[string]bool{}
			for _, rule := range granted.Cluster {
				if resource := rule.Resources[0]; rule.APIGroups[0] == "admissionregistration.k8s.io" {
					created[resource] = created[resource] || slices.Contains(rule.Verbs, "create")
					if slices.Contains(rule.Verbs, "update") {
						updated[resource] = append(updated[resource], rule.ResourceNames...)
					}
				}
			}
			for _, names := range []map[string][]string{registered, updated} {
				for _, one := range names {
					slices.Sort(one)
				}
			}
			if diff := cmp.Diff(registered, updated); diff != "" {
				t.Errorf("what is registered and what may be updated: -registered, +granted:\n%s", diff)
			}
			for resource := range maps.Keys(created) {
				if created[resource] != (len(registered[resource]) > 0) {
					t.Errorf("may create %s: %t, and registers %v", resource, created[resource], registered[resource])
				}
			}
		})
	}
}
