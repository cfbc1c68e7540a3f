package box_test

import (
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
