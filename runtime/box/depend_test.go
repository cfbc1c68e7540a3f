package box_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orkestra-runtime/orkestra/runtime/box"
)

func TestDependsOn(t *testing.T) {
	cases := map[string]struct {
		reason, block string
		want          []string // declaration, depth, and the places of what it needs
	}{
		"None": {
			reason: "a block without dependencies is as it was",
			block:  `{configMaps: [{name: a, id: a}], deployments: [{name: b, image: i}]}`,
			want:   []string{"configMaps[0]  []", "deployments[0]  []"},
		},
		"ByID": {
			reason: "against the order of the kinds",
			block:  `{configMaps: [{name: a, dependsOn: [b]}, {name: c}], deployments: [{name: b, id: b, image: i}]}`,
			want:   []string{"configMaps[1] 0 []", "deployments[0] 0 []", "configMaps[0] 1 [1]"},
		},
		"ByList": {
			reason: "the key of a list is all of it",
			block:  `{configMaps: [{name: a}, {name: b}], deployments: [{name: d, image: i, dependsOn: [configMaps]}]}`,
			want:   []string{"configMaps[0] 0 []", "configMaps[1] 0 []", "deployments[0] 1 [0 1]"},
		},
		"Deepest": {
			reason: "the depth is that of the longest way down, and what is named twice is needed once",
			block:  `{configMaps: [{name: a, id: a, dependsOn: [b, c, b]}, {name: b, id: b, dependsOn: [c]}, {name: c, id: c}]}`,
			want:   []string{"configMaps[2] 0 []", "configMaps[1] 1 [0]", "configMaps[0] 2 [1 0]"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			block := only(t, "operatorBox: {onReconcile: "+tc.block+"}").Effective("").Blocks[0]
			if diff := cmp.Diff(tc.want, described(block)); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func described(block box.Block) []string {
	lines := make([]string, 0, len(block.Children))
	for i := range block.Children {
		child := &block.Children[i]
		lines = append(lines, fmt.Sprintf("%s %s %v", child, child.Depth, child.Needs))
	}
	return lines
}

func TestDependsOnErrors(t *testing.T) {
	const at = "spec.crds[website].operatorBox.onReconcile."
	cases := map[string]struct{ reason, block, want string }{
		"Unknown": {
			reason: "what was probably meant", block: `{configMaps: [{name: a, id: database}], deployments: [{name: b, image: i, dependsOn: [databse]}]}`,
			want: at + `deployments[0].dependsOn[0]: Invalid value: "databse": no entry of onReconcile has this id; did you mean database?`,
		},
		"UnknownFar": {
			reason: "or else what there is", block: `{configMaps: [{name: a, id: db}], deployments: [{name: b, image: i, dependsOn: [cache]}]}`,
			want: at + `deployments[0].dependsOn[0]: Invalid value: "cache": no entry of onReconcile has this id (valid: configMaps, db, deployments)`,
		},
		"EmptyList": {
			reason: "a list that is not there", block: `{deployments: [{name: b, image: i, dependsOn: [configMaps]}]}`,
			want: at + `deployments[0].dependsOn[0]: Invalid value: "configMaps": onReconcile declares none of these`,
		},
		"Self": {
			reason: "by its id", block: `{configMaps: [{name: a, id: a, dependsOn: [a]}]}`,
			want: at + `configMaps[0].dependsOn[0]: Forbidden: an entry can't depend on itself`,
		},
		"SelfByList": {
			reason: "by its list", block: `{configMaps: [{name: a}, {name: b, dependsOn: [configMaps]}]}`,
			want: at + `configMaps[1].dependsOn[0]: Forbidden: configMaps[1] is one of the configMaps: it would wait for itself; give the others ids and name those`,
		},
		"Cycle": {
			reason: "told from the first that is on it", block: `{configMaps: [{name: x, dependsOn: [a]}, {name: a, id: a, dependsOn: [b]}], deployments: [{name: b, id: b, image: i, dependsOn: [c]}], secrets: [{name: c, id: c, dependsOn: [a]}]}`,
			want: at + `secrets[0].dependsOn: Forbidden: the entries wait for each other: secrets[0] -> configMaps[1] -> deployments[0] -> secrets[0]`,
		},
		"Duplicate": {
			reason: "an id names one entry", block: `{configMaps: [{name: a, id: a}], deployments: [{name: b, id: a, image: i}]}`,
			want: at + `deployments[0].id: Invalid value: "a": is the id of configMaps[0], too; choose another one`,
		},
		"Key": {
			reason: "or else dependsOn would mean two things", block: `{configMaps: [{name: a, id: deployments}]}`,
			want: at + `configMaps[0].id: Invalid value: "deployments": is the key of a list, and means all of it in dependsOn; choose another id`,
		},
		"NoName": {
			reason: "a name", block: `{configMaps: [{name: a, id: "a b"}]}`,
			want: at + `configMaps[0].id: Invalid value: "a b": want at most 63 letters, digits and hyphens that begin with a letter`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, got := compile(t, "operatorBox: {onReconcile: "+tc.block+"}")
			if diff := cmp.Diff([]string{tc.want}, got); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestDependsOnInOnDelete(t *testing.T) {
	_, got := compile(t, `operatorBox: {onDelete: {configMaps: [{name: a, id: a}, {name: b, dependsOn: [a]}]}}`)
	want := []string{`spec.crds[website].operatorBox.onDelete.configMaps[1].dependsOn: Forbidden: has no meaning in onDelete, which makes nothing; remove it`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// Whether a child is ready is worked out only for a box that may read it.
func TestReadsReady(t *testing.T) {
	cases := map[string]struct {
		reason, box string
		want        bool
	}{
		"Nothing":     {reason: "no children at all", box: `{onReconcile: {configMaps: [{name: a}]}}`},
		"Status":      {reason: "a field of the status", box: `{status: {fields: [{path: a, value: "{{ .children.deployment.status.readyReplicas }}"}]}}`},
		"Singular":    {reason: "of one kind", box: `{status: {fields: [{path: a, value: "{{ .children.deployment.ready }}"}]}}`, want: true},
		"Named":       {reason: "of one child", box: `{status: {fields: [{path: a, value: "{{ .children.deployments.web.ready }}"}]}}`, want: true},
		"Gate":        {reason: "a condition on a path", box: `{onReconcile: {configMaps: [{name: a, when: [{field: children.deployment.ready, equals: "true"}]}]}}`, want: true},
		"CEL":         {reason: "an expression", box: `{onReconcile: {configMaps: [{name: a, when: [{cel: children.deployment.ready}]}]}}`, want: true},
		"WholeObject": {reason: "a function may look for it", box: `{status: {fields: [{path: a, value: '{{ get .children.deployment "ready" }}'}]}}`, want: true},
		"Everything":  {reason: "all roots", box: `{status: {fields: [{path: a, value: "{{ toJson . }}"}]}}`, want: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := only(t, "operatorBox: "+tc.box).Effective("").ReadsReady; got != tc.want {
				t.Errorf("\n%s\nReadsReady = %t, want %t", tc.reason, got, tc.want)
			}
		})
	}
}
