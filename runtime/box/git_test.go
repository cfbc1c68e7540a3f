package box_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/orkestra-runtime/orkestra/runtime/box"
)

func TestGit(t *testing.T) {
	const app = `git: {repo: "https://git.example.com/app.git"}`
	reads := func(text string) string { return `configMaps: [{name: c, data: {a: "` + text + `"}}]` }
	cases := map[string]struct {
		reason, entry, want string
	}{
		"Children": {reason: "children see what was fetched", entry: `operatorBox: {onCreate: {` + app + `}, onReconcile: {` + reads("{{ .git.commit }}") + `}}`},
		"Misspelt": {
			reason: "what is shown is known before anything runs",
			entry:  `operatorBox: {onReconcile: {` + app + `, ` + reads("{{ .git.comit }}") + `}}`, want: "did you mean commit?",
		},
		"None": {reason: "where nothing is fetched there is nothing to read", entry: `operatorBox: {onReconcile: {` + reads("{{ .git.commit }}") + `}}`, want: "nothing here fetches a repository"},
		"Call": {
			reason: "an external call sees it", entry: `operatorBox: {onReconcile: {` + app + `, external: [{name: a, url: "http://a.example.com/{{ .git.commit }}"}]}}`,
		},
		"Status":    {reason: "and the status does", entry: `operatorBox: {onReconcile: {` + app + `}, status: {fields: [{path: a, value: "{{ .git.error }}"}]}}`},
		"Itself":    {reason: "it does not see itself", entry: `operatorBox: {onReconcile: {git: {repo: "https://git.example.com/{{ .git.commit }}"}}}`, want: "nothing here fetches a repository"},
		"Children2": {reason: "nor what comes later", entry: `operatorBox: {onReconcile: {git: {repo: "https://git.example.com/{{ .children.deployment.x }}"}}}`, want: ".children is there after the repository is fetched"},
		"External": {
			reason: "nor the calls of blocks", entry: `operatorBox: {onReconcile: {external: [{name: a, url: "http://a.example.com"}], git: {repo: "https://git.example.com/{{ .external.a.tier }}"}}}`,
			want: "there is no result of an external call a here",
		},
		"Rules": {
			reason: "but those of rules",
			entry:  "mutation: {external: [{name: a, url: \"http://a.example.com\"}]}\noperatorBox: {onReconcile: {git: {repo: \"https://git.example.com/{{ .external.a.tier }}\"}}}",
		},
		"Second": {reason: "that of onCreate sees that of onReconcile", entry: `operatorBox: {onReconcile: {` + app + `}, onCreate: {git: {repo: "https://git.example.com/app.git", branch: "{{ .git.branch }}"}}}`},
		"NoRepo": {reason: "the URL is required", entry: `operatorBox: {onReconcile: {git: {repo: ""}}}`, want: "the URL of the repository"},
		"Scheme": {reason: "no other scheme is fetched", entry: `operatorBox: {onReconcile: {git: {repo: "file:///srv/app.git"}}}`, want: "only https://, http://, ssh:// and git@host:path are fetched"},
		"Token": {
			reason: "a credential is not written into a Katalog, nor shown again", entry: `operatorBox: {onReconcile: {git: {repo: "https://glpat@git.example.com/app.git"}}}`,
			want: `repo: Invalid value: "https://git.example.com/app.git": the repository's URL holds a credential`,
		},
		"TokenOfPart": {
			reason: "also before what a resource names", entry: `operatorBox: {onReconcile: {git: {repo: "https://me:secret@git.example.com/{{ .spec.repo }}"}}}`,
			want: `repo: Invalid value: "https://git.example.com/{{ .spec.repo }}": the repository's URL holds a credential`,
		},
		"User": {reason: "a user of SSH is none", entry: `operatorBox: {onReconcile: {git: {repo: "ssh://git@git.example.com/{{ .spec.repo }}"}}}`},
		"SchemeOfPart": {
			reason: "a scheme is known before the rest", entry: `operatorBox: {onReconcile: {git: {repo: "file:///srv/{{ .spec.repo }}"}}}`, want: "must begin with https://",
		},
		"Outside": {
			reason: "a path stays within", entry: `operatorBox: {onReconcile: {git: {repo: "https://git.example.com/app.git", path: ../..}}}`,
			want: `git.path: Invalid value: "../..": the path "../.." leads out of the repository`,
		},
		"Path":     {reason: "nor a folder", entry: `operatorBox: {onReconcile: {git: {repo: "/srv/app.git"}}}`, want: "is no URL"},
		"SCP":      {reason: "the short form of SSH is fetched", entry: `operatorBox: {onReconcile: {git: {repo: "git@git.example.com:acme/app.git"}}}`},
		"Template": {reason: "a URL may be the resource's", entry: `operatorBox: {onReconcile: {git: {repo: "{{ .spec.repo }}"}}}`},
		"AuthHost": {
			reason: "but a credential should not go wherever that leads", entry: `operatorBox: {onReconcile: {git: {repo: "{{ .spec.repo }}", auth: {env: TOKEN}}}}`,
			want: "the credential is sent to whatever host the resource names",
		},
		"AuthPath":   {reason: "a host that is written out is known", entry: `operatorBox: {onReconcile: {git: {repo: "https://git.example.com/{{ .spec.repo }}", auth: {env: TOKEN}}}}`},
		"AuthSCP":    {reason: "also that of SSH", entry: `operatorBox: {onReconcile: {git: {repo: "git@git.example.com:{{ .spec.repo }}", auth: {secretRef: {name: a}}}}}`},
		"OnDelete":   {reason: "nothing is fetched to delete", entry: `operatorBox: {onDelete: {` + app + `}}`, want: "nothing is fetched in this block"},
		"OnRollback": {reason: "nor to go back", entry: `operatorBox: {rollback: {onRollback: {` + app + `}}}`, want: "nothing is fetched in this block"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, found := compileCalls(t, tc.entry)
			var said []string
			for _, one := range slices.Concat(found.Errors, found.Warnings) {
				said = append(said, one.Error())
			}
			all := strings.Join(said, "\n")
			if tc.want == "" && all != "" || !strings.Contains(all, tc.want) {
				t.Errorf("%s\nCompileKatalog(...): want %q, got:\n%s", tc.reason, tc.want, all)
			}
		})
	}
}

// A gate that reads what is fetched, or what comes later still, can't keep it from being fetched.
func TestGateWaitsForGit(t *testing.T) {
	for gate, want := range map[string]bool{
		"spec.open": false, "git.changed": true, "external.a.status": true, "children.deployment.status": true,
	} {
		sets, found := compileCalls(t, `operatorBox: {when: [{field: `+gate+`}], onReconcile: {git: {repo: "https://git.example.com/a"}, external: [{name: a, url: "http://a.example.com"}], when: [{field: `+gate+`}]}}`)
		if len(found.Errors) > 0 {
			t.Fatal(found.Errors)
		}
		b := sets[0].Effective("")
		if b.GateWaitsForGit != want || b.Blocks[0].GateWaitsForGit != want {
			t.Errorf("%s: waits %t and %t, want %t", gate, b.GateWaitsForGit, b.Blocks[0].GateWaitsForGit, want)
		}
	}
}

func TestGitRights(t *testing.T) {
	sets, found := compileCalls(t, `operatorBox: {onReconcile: {git: {repo: "https://git.example.com/a", auth: {secretRef: {name: robot}}}}}`)
	if len(found.Errors) > 0 {
		t.Fatal(found.Errors)
	}
	var got []rbacv1.PolicyRule
	for _, rule := range box.Rules(sets...) {
		if slices.Contains(rule.Resources, "secrets") {
			got = append(got, rule)
		}
	}
	want := []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"secrets"}, ResourceNames: []string{"robot"}, Verbs: []string{"get"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the Secret with the credential, and no other: -want, +got:\n%s", diff)
	}
}
