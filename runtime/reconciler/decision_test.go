package reconciler

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDecisions(t *testing.T) {
	const operatorBox = `{
	  when: [{field: spec.frozen, notExists: true}],
	  reconciler: {requeue: [{after: 1m, when: [{field: spec.slow, exists: true}]}]},
	  onCreate: {when: [{field: spec.closed, exists: true}], configMaps: [{name: never, when: [{field: spec.a, exists: true}]}]},
	  onReconcile: {
	    configMaps: [
	      {name: "w-{{ .item }}", forEach: {field: spec.regions}, when: [{field: item, equals: eu}]},
	      {name: "{{ .children.configmap.metadata.name }}", when: [{field: spec.text, exists: true}]}, {name: always}]},
	  status: {fields: [{path: phase, value: A, when: [{field: spec.a, exists: true}]}, {path: other, value: B}]}}`
	h := newHarness(t, operatorBox, map[string]any{"regions": []any{"eu", "us"}})
	h.cycle(t) // changes children, which are looked at once more before the next one is put off
	var got []string
	h.Decided = func(d Decision) {
		got = append(got, fmt.Sprintf("%s: %t %s", d.Gate, d.Verdict.Pass, d.Verdict.Reason))
	}
	h.cycle(t)
	want := []string{
		"operatorBox: true ",
		`onCreate: false when: "spec.closed" = "", want "any value"`,
		"configMaps[0] w-eu: true ",
		`configMaps[0] w-us: false when: "item" = "us", want "eu"`,
		`configMaps[1] w-eu: false when: "spec.text" = "", want "any value"`,
		`status.fields[0] phase: false when: "spec.a" = "", want "any value"`,
		`requeue[0]: false when: "spec.slow" = "", want "any value"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("every gate is told of once, in the order in which they are asked: -want, +got:\n%s", diff)
	}
}
