package profile_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/orkestra-runtime/orkestra/api/profile"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/internal/golden"
)

// declared is one place of each class that names a profile: a pointer to what holds it.
func declared(class profile.Class, name string) any {
	text := orkv1.Template(name)
	switch class {
	case profile.Reconciler:
		return &orkv1.Reconciler{Profile: name}
	case profile.Resources:
		return &orkv1.Workload{Resources: &orkv1.Resources{Profile: text}}
	case profile.Probes:
		return &orkv1.Workload{Probes: &orkv1.Probes{Startup: &orkv1.Probe{Type: "tcp", Profile: text}}}
	case profile.ContainerSecurity:
		return &orkv1.Workload{SecurityContext: &orkv1.SecurityContext{Profile: text}}
	case profile.PodSecurity:
		return &orkv1.Workload{PodSecurity: &orkv1.PodSecurity{Profile: text}}
	case profile.RollingUpdate:
		return &orkv1.Deployment{RollingUpdate: &orkv1.RollingUpdate{Profile: text}}
	case profile.HPA:
		return &orkv1.HPA{Behavior: &orkv1.HPABehavior{Profile: text}}
	case profile.PDB:
		return &orkv1.PDB{Behavior: &orkv1.PDBBehavior{Profile: text}}
	case profile.NetworkPolicies:
		return &orkv1.NetworkPolicy{Profile: text}
	case profile.ResourceQuotas:
		return &orkv1.ResourceQuota{Profile: text}
	case profile.LimitRanges:
		return &orkv1.LimitRange{Profile: text}
	}
	return nil
}

// classes are all there are, in the order of the documentation.
var classes = []profile.Class{
	profile.Reconciler, profile.Resources, profile.Probes, profile.ContainerSecurity, profile.PodSecurity, profile.RollingUpdate,
	profile.HPA, profile.PDB, profile.NetworkPolicies, profile.ResourceQuotas, profile.LimitRanges,
}

// expand fills every site of what a pointer leads to, and returns it as YAML.
func expand(t *testing.T, set *profile.Set, v any) string {
	t.Helper()
	for _, site := range profile.Sites(v, field.NewPath("at")) {
		preset, err := set.Find(site.Class, site.Name)
		if err != nil {
			t.Fatalf("%s: %q %v", site.Path, site.Name, err)
		}
		site.Fill(preset.Value)
	}
	text, err := yaml.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Every built-in preset, as a declaration that names it comes out.
func TestBuiltIn(t *testing.T) {
	set := profile.NewSet(nil)
	total := 0
	for _, class := range classes {
		if class == profile.LimitRanges {
			continue // which has none
		}
		t.Run(string(class), func(t *testing.T) {
			var out strings.Builder
			for _, name := range set.Names(class) {
				total++
				fmt.Fprintf(&out, "# %s\n%s", name, expand(t, set, declared(class, strings.ToUpper(name))))
			}
			golden.Compare(t, filepath.Join("testdata", string(class)+".golden"), out.String())
		})
	}
	if total != 41 {
		t.Errorf("%d built-in presets; a new one belongs into the documentation", total)
	}
}
