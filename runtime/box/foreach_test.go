package box_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestForEachNames(t *testing.T) {
	const same = "operatorBox.onReconcile.configMaps[0].forEach.field: each element makes the same object, which fails with two of them: " +
		"give name something of the element, as {{ .metadata.name }}-{{ .index }}"
	cases := map[string]struct {
		reason string
		child  string
		want   []string
	}{
		"Constant":  {reason: "all elements would make one object", child: `{name: a, forEach: {field: spec.hosts}}`, want: []string{same}},
		"Resource":  {reason: "the resource is the same for all of them", child: `{name: "{{ .metadata.name }}-a", forEach: {field: spec.hosts}}`, want: []string{same}},
		"None":      {reason: "and so is the name by default", child: `{forEach: {field: spec.hosts}}`, want: []string{same}},
		"Item":      {reason: "an element tells them apart", child: `{name: "{{ .item }}", forEach: {field: spec.hosts}}`},
		"As":        {reason: "by its other name", child: `{name: "{{ .host.name }}", forEach: {field: spec.hosts, as: host}}`},
		"Index":     {reason: "and so does its number", child: `{name: "a-{{ .index }}", forEach: {field: spec.hosts}}`},
		"Namespace": {reason: "or a namespace for each", child: `{name: a, namespace: "{{ .item }}", forEach: {field: spec.hosts}}`},
		"OwnGate": {
			reason: "a condition on the resource holds for all elements or for none",
			child:  `{name: a, forEach: {field: spec.hosts}, when: [{field: spec.on, equals: "true"}], or: [{cel: "spec.x == 1"}]}`, want: []string{same},
		},
		"CEL":  {reason: "CEL may choose one as well", child: `{name: a, forEach: {field: spec.hosts}, or: [{cel: "item.first"}]}`},
		"Gate": {reason: "a condition may choose one element", child: `{name: a, forEach: {field: spec.hosts}, when: [{field: item.first, equals: "true"}]}`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if tc.want == nil {
				tc.want = []string{}
			}
			if diff := cmp.Diff(tc.want, warnings(t, "operatorBox: {onReconcile: {configMaps: ["+tc.child+"]}}")); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
