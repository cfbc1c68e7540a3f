package builtin_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/controllers/builtin"
)

func TestRegistry(t *testing.T) {
	r, err := builtin.Registry()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, kind := range r.Kinds() {
		got = append(got, kind.Key)
	}
	want := []string{
		"namespaces", "clusterRoles", "roles", "serviceAccounts", "clusterRoleBindings", "roleBindings", "secrets", "configMaps",
		"persistentVolumes", "persistentVolumeClaims", "networkPolicies", "resourceQuotas", "limitRanges", "custom", "services",
		"statefulSets", "deployments", "replicaSets", "daemonSets", "pods", "jobs", "cronJobs", "ingresses", "hpa", "pdb",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("apply order: -want, +got:\n%s", diff)
	}
}

// Nothing is written before what it needs. An account may be in a binding, a Secret may be the token of an account, and a headless
// Service names the pods of a StatefulSet.
func TestDefect48KindsComeAfterWhatTheyNeed(t *testing.T) {
	place := map[string]int{}
	for i, kind := range builtin.Kinds() {
		place[kind.Key] = i
	}
	cases := map[string][]string{
		"roleBindings":        {"roles", "clusterRoles", "serviceAccounts"},
		"clusterRoleBindings": {"clusterRoles", "serviceAccounts"},
		"secrets":             {"namespaces", "serviceAccounts"},
		"statefulSets":        {"services", "persistentVolumes", "persistentVolumeClaims", "secrets", "configMaps"},
		"deployments":         {"services", "persistentVolumeClaims", "secrets", "configMaps", "serviceAccounts", "roleBindings", "custom"},
		"pods":                {"persistentVolumeClaims", "networkPolicies", "resourceQuotas", "limitRanges"},
		"jobs":                {"persistentVolumeClaims", "secrets", "configMaps", "serviceAccounts"},
		"custom":              {"namespaces", "secrets", "configMaps"},
		"ingresses":           {"services", "secrets"},
		"hpa":                 {"deployments", "statefulSets", "replicaSets"},
		"pdb":                 {"deployments", "statefulSets", "replicaSets", "pods"},
	}
	for kind, needed := range cases {
		for _, before := range needed {
			if place[before] >= place[kind] {
				t.Errorf("%s come before %s", kind, before)
			}
		}
	}
}

// A kind without a namespace has no other way to be told from a namespaced one.
func TestScopes(t *testing.T) {
	scoped := map[string]bool{"namespaces": true, "persistentVolumes": true, "clusterRoles": true, "clusterRoleBindings": true}
	for _, kind := range builtin.Kinds() {
		if got := kind.Scope == controllers.ClusterScoped; got != scoped[kind.Key] {
			t.Errorf("%s are cluster-scoped: %t, want %t", kind.Key, got, scoped[kind.Key])
		}
	}
}
