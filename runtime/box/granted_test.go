package box_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/orkestra-runtime/orkestra/runtime/box"
)

// Nobody may grant what they have not, so the operator has what its roles say.
func TestRulesOfDeclaredRoles(t *testing.T) {
	set := only(t, `operatorBox: {onReconcile: {
  roles: [{rules: [{resources: [pods, pods/log], verbs: [get]}, {apiGroups: ["{{ .spec.image }}"], resources: [things], verbs: [get]}]}],
  clusterRoles: [{rules: [{nonResourceURLs: [/metrics], verbs: [get]}, {resources: [pods, pods/log], verbs: [get]}]}],
  roleBindings: [{roleRef: {name: view, kind: ClusterRole}, subjects: [{name: a}]}, {name: b, roleRef: {name: "{{ .metadata.name }}-role"}, subjects: [{name: a}]}],
  clusterRoleBindings: [{roleRef: {name: admin}, subjects: [{name: a, namespace: a}]}]}}`)
	rules := box.Rules(set)
	want := []rbacv1.PolicyRule{
		{NonResourceURLs: []string{"/metrics"}, Verbs: []string{"get"}},
		{APIGroups: []string{""}, Resources: []string{"pods", "pods/log"}, Verbs: []string{"get"}},
		{APIGroups: []string{"rbac.authorization.k8s.io"}, Resources: []string{"clusterroles"}, Verbs: []string{"bind"}, ResourceNames: []string{"admin"}},
		{APIGroups: []string{"rbac.authorization.k8s.io"}, Resources: []string{"clusterroles"}, Verbs: []string{"bind"}, ResourceNames: []string{"view"}},
	}
	if len(rules) < len(want) {
		t.Fatalf("there are %d rules", len(rules))
	}
	if diff := cmp.Diff(want, rules[len(rules)-len(want):]); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestWeakness54 shows that the rights of an operator name what stands in the boxes of targets and under onDelete as well, and the owner that a child
// keeps from going.
func TestWeakness54(t *testing.T) {
	const (
		shared = `operatorBox: {onReconcile: {configMaps: [{name: a}]}}`
		gold   = `onReconcile: {deployments: [{name: a, image: a}]}`
	)
	all := []string{"get", "list", "watch", "create", "patch", "delete"}
	cases := map[string]struct {
		reason, entry, group, resource string
		want                           []string
	}{
		"Shared":     {"the box of all targets", shared, "", "configmaps", all},
		"Target":     {"the box of one target alone", `serve: {target: {gold: {operatorBox: {` + gold + `}}}}`, "apps", "deployments", all},
		"NoTarget":   {"and nothing without it", shared, "apps", "deployments", nil},
		"OnDelete":   {"what is made when the resource goes", `operatorBox: {onDelete: {jobs: [{name: a, image: a}]}}`, "batch", "jobs", all},
		"NoOnDelete": {"and nothing without it", shared, "batch", "jobs", nil},
		"Finalizers": {"an owner reference that blocks", shared, "example.com", "websites/finalizers", []string{"update"}},
		"Irregular":  {"a plural that is written", `apiTypes: {group: example.com, version: v1, kind: Virus, plural: vira}` + "\n" + shared, "example.com", "vira/finalizers", []string{"update"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			entry := tc.entry
			if !strings.HasPrefix(entry, "apiTypes") {
				entry = "apiTypes: {group: example.com, version: v1, kind: Website}\n" + entry
			}
			var got []string
			for _, rule := range box.Rules(only(t, entry)) {
				if len(rule.APIGroups) == 0 && len(rule.NonResourceURLs) == 0 {
					t.Errorf("a rule names no group, which nobody accepts: %+v", rule)
				}
				if slices.Contains(rule.APIGroups, tc.group) && slices.Contains(rule.Resources, tc.resource) {
					got = rule.Verbs
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nRules(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
