package rbac_test

import (
	"testing"

	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/controllers/kindtest"
	"github.com/orkestra-runtime/orkestra/controllers/rbac"
)

func TestGolden(t *testing.T) {
	for _, kind := range []controllers.Kind{rbac.Roles(), rbac.RoleBindings(), rbac.ClusterRoles(), rbac.ClusterRoleBindings()} {
		t.Run(kind.Key, func(t *testing.T) { kindtest.Golden(t, kind) })
	}
}

func TestReject(t *testing.T) {
	cases := map[string]struct {
		reason string
		kind   controllers.Kind
		in     string
		want   string
	}{
		"NoRules": {
			reason: "a role grants something",
			kind:   rbac.Roles(),
			in:     `{}`,
			want:   `roles[0].rules: at least one rule is required`,
		},
		"EmptyRule": {
			reason: "texts that render empty say nothing",
			kind:   rbac.ClusterRoles(),
			in:     `{rules: [{verbs: [" "], resources: [""]}]}`,
			want: `clusterRoles[0].rules[0].verbs: at least one verb is required, such as get; ` +
				`clusterRoles[0].rules[0].resources: at least one resource is required, such as pods`,
		},
		"URLsInRole": {
			reason: "a URL is in no namespace",
			kind:   rbac.Roles(),
			in:     `{rules: [{verbs: [get], nonResourceURLs: [/metrics]}]}`,
			want:   `roles[0].rules[0].nonResourceURLs: a Role has none: declare a ClusterRole`,
		},
		"URLsAndResources": {
			reason: "the API server takes one of the two",
			kind:   rbac.ClusterRoles(),
			in:     `{rules: [{verbs: [get], resources: [pods], nonResourceURLs: [/metrics]}]}`,
			want:   `clusterRoles[0].rules[0].nonResourceURLs: excludes resources: make two rules of them`,
		},
		"Name": {
			reason: "the name is part of a URL",
			kind:   rbac.Roles(),
			in:     `{name: a/b, rules: [{verbs: [get], resources: [pods]}]}`,
			want:   `roles[0].name: "a/b" is not a name that the kind can have: may not contain '/'`,
		},
		"NoRole": {
			reason: "a binding grants a role to somebody",
			kind:   rbac.RoleBindings(),
			in:     `{}`,
			want:   `roleBindings[0].roleRef: the role that is granted is required; roleBindings[0].subjects: at least one subject is required`,
		},
		"RoleKind": {
			reason: "a Role holds in one namespace alone",
			kind:   rbac.ClusterRoleBindings(),
			in:     `{roleRef: {name: a, kind: Role, apiGroup: rbac}, subjects: [{name: a}]}`,
			want: `clusterRoleBindings[0].roleRef.kind: "Role" is not one of ClusterRole; ` +
				`clusterRoleBindings[0].roleRef.apiGroup: "rbac" is not one of rbac.authorization.k8s.io`,
		},
		"Subjects": {
			reason: "fields of one kind of subject mean nothing on another",
			kind:   rbac.RoleBindings(),
			in: `{roleRef: {name: a}, subjects: [{kind: Robot, name: ""}, {kind: User, name: a, namespace: b}, ` +
				`{name: a, apiGroup: rbac.authorization.k8s.io}]}`,
			want: `roleBindings[0].subjects[0].kind: "Robot" is not one of ServiceAccount, User, Group; ` +
				`roleBindings[0].subjects[0].name: a name is required; ` +
				`roleBindings[0].subjects[1].namespace: a User has none: remove it; ` +
				`roleBindings[0].subjects[2].apiGroup: a ServiceAccount has none: remove it`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Log(tc.reason)
			kindtest.Rejects(t, tc.kind, tc.in, tc.want)
		})
	}
}

// A subject of a cluster-scoped resource has no namespace to default to.
func TestSubjectWithoutNamespace(t *testing.T) {
	owner := kindtest.Owner()
	owner.Namespace = ""
	d := kindtest.Declare(t, rbac.ClusterRoleBindings(), `{roleRef: {name: a}, subjects: [{name: a}]}`)
	const want = `clusterRoleBindings[0].subjects[0].namespace: the namespace of the ServiceAccount is required: the resource is cluster-scoped`
	if _, err := d.Build(owner, d.Value, controllers.Seen{}); err == nil || err.Error() != want {
		t.Errorf("Build(...):\n got %v\nwant %s", err, want)
	}
}
