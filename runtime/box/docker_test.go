package box_test

import (
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

func TestDocker(t *testing.T) {
	const step = `docker: {image: "registry.example.com/shop:1"}`
	reads := func(path string) string { return `configMaps: [{name: c, data: {a: "{{ ` + path + ` }}"}}]` }
	cases := map[string]struct {
		// want is part of one finding, none when there is none.
		reason, entry, want string
	}{
		"Children": {reason: "children see what is built", entry: `operatorBox: {onReconcile: {` + step + `, ` + reads(".docker.digest") + `}}`},
		"Status": {
			reason: "so does the status", entry: `operatorBox: {onCreate: {` + step + `}, status: {fields: [{path: a, value: "{{ .docker.error }}"}]}}`,
		},
		"Misspelt": {reason: "its fields are known", entry: `operatorBox: {onReconcile: {` + step + `, ` + reads(".docker.digets") + `}}`, want: "did you mean digest?"},
		"None":     {reason: "nothing is built", entry: `operatorBox: {onReconcile: {` + reads(".docker.digest") + `}}`, want: "there is no docker step here, so it is always empty"},
		"Itself": {
			reason: "the step comes before its result", entry: `operatorBox: {onReconcile: {docker: {image: "a:{{ .docker.digest }}"}}}`,
			want: ".docker is there after the image is built, and not here",
		},
		"Children before": {
			reason: "and before the children", entry: `operatorBox: {onReconcile: {docker: {image: "a:{{ .children.pod.metadata.name }}"}}}`,
			want: ".children is there after the image is built, and not here",
		},
		"Calls":    {reason: "calls come before it", entry: `operatorBox: {onReconcile: {external: [{name: a, url: "http://a.example.com"}], docker: {image: "a:{{ .external.a.body }}"}}}`},
		"Restless": {reason: "a name that is never the same", entry: `operatorBox: {onReconcile: {docker: {image: "a:{{ uuidv4 }}"}}}`, want: "another image would be built in each cycle"},
		"Name":     {reason: "what is fixed is checked at once", entry: `operatorBox: {onReconcile: {docker: {image: "Shop:1"}}}`, want: "in lower case"},
		"Deletion": {reason: "nothing is built for what goes", entry: `operatorBox: {onDelete: {` + step + `}}`, want: "an image is built in onCreate or onReconcile alone"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, found := compileCalls(t, tc.entry)
			all := append(slices.Clone(found.Errors), found.Warnings...)
			if tc.want == "" && len(all) > 0 {
				t.Fatalf("\n%s\nfindings: %v, want none", tc.reason, all)
			}
			if tc.want != "" && (len(all) == 0 || !strings.Contains(all.ToAggregate().Error(), tc.want)) {
				t.Errorf("\n%s\nfindings: %v, want one that says %q", tc.reason, all, tc.want)
			}
		})
	}
}

// A gate that reads what is built is asked after it, and others before.
func TestDockerGates(t *testing.T) {
	sets, found := compileCalls(t, `
operatorBox:
  when: [{field: .external.a.status, equals: "200"}]
  onCreate: {when: [{field: .docker.buildSucceeded, equals: "true"}], docker: {image: a}}
  onReconcile: {external: [{name: a, url: "http://a.example.com"}], docker: {image: b, pullSecret: {name: registry}}}
`)
	if len(found.Errors) > 0 {
		t.Fatal(found.Errors.ToAggregate())
	}
	b := sets[0].Effective("")
	if !b.GateWaits || b.BuildWaits || !b.Blocks[0].BuildWaits || !b.Blocks[0].GateWaits || b.Blocks[1].BuildWaits {
		t.Errorf("box %t %t, onCreate %t %t, onReconcile %t", b.GateWaits, b.BuildWaits, b.Blocks[0].BuildWaits, b.Blocks[0].GateWaits, b.Blocks[1].BuildWaits)
	}
	if rules := box.Rules(sets...); !slices.ContainsFunc(rules, func(r rbacv1.PolicyRule) bool { return slices.Equal(r.ResourceNames, []string{"registry"}) }) {
		t.Errorf("Rules() = %v, want one of the pull secret", rules)
	}
}

func TestMissingBuilder(t *testing.T) {
	sets, _ := compileCalls(t, `operatorBox: {onReconcile: {docker: {image: b}}}`)
	one := *sets[0].Builds()[0]
	all := func(orkv1.DockerBuilder) bool { return true }
	for name, says := range map[orkv1.DockerBuilder]string{"": "", "podman": "", "kaniko": "use buildkit", "buildah": "use buildkit"} {
		one.Builder = name
		if got := one.MissingBuilder(all); got != says && (says == "" || !strings.Contains(got, says)) {
			t.Errorf("builder %q: %q, want %q", name, got, says)
		}
	}
	none := func(orkv1.DockerBuilder) bool { return false }
	for name, says := range map[orkv1.DockerBuilder]string{"": "BUILDKIT_HOST", "buildkit": "--buildkit-addr", "docker": "--docker-host", "podman": "--podman-host"} {
		one.Builder = name
		if got := one.MissingBuilder(none); !strings.Contains(got, says) {
			t.Errorf("builder %q: %q, want %q", name, got, says)
		}
	}
}
