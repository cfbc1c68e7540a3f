package box_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers/builtin"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

// warnings compiles an entry beside the note first and returns what is suspicious in it.
func warnings(t *testing.T, entry string) []string {
	t.Helper()
	var crd orkv1.CRD
	if err := yaml.UnmarshalStrict([]byte(entry), &crd); err != nil {
		t.Fatalf("%v in %s", err, entry)
	}
	katalog := &orkv1.Katalog{Spec: orkv1.KatalogSpec{CRDs: map[string]orkv1.CRD{"website": crd}}}
	katalog.Notes = &orkv1.Notes{Functions: []orkv1.Note{
		{Name: "first", Expression: "{{ index (podNames .children.deployment) 0 }}"}, {Name: "again", Expression: "{{ first }}"},
	}}
	registry, err := builtin.Registry()
	if err != nil {
		t.Fatal(err)
	}
	_, found := box.CompileKatalog(katalog, box.Options{Registry: registry})
	if len(found.Errors) > 0 {
		t.Fatal(found.Errors.ToAggregate())
	}
	got := []string{}
	for _, one := range found.Warnings {
		got = append(got, strings.TrimPrefix(one.Field, "spec.crds[website].")+": "+one.Detail)
	}
	return got
}

func TestEnrichWarnings(t *testing.T) {
	const deployment = "{onReconcile: {deployments: [{image: a}]}, status: {fields: [{path: a, value: \""
	const field, end = "operatorBox.status.fields[0].value: ", "\"}]}}"
	cases := map[string]struct {
		reason string
		entry  string
		want   []string
	}{
		"Undeclared": {
			reason: "a function reads nothing without its target", entry: "operatorBox: " + deployment + "x {{ podNames .children.deployment }} {{ podNames . }}" + end,
			want: []string{field + "1:6: podNames needs enrich: [pods]: without it there is nothing to read"},
		},
		"Gate": {
			reason: "also in a condition", entry: `operatorBox: {onReconcile: {deployments: [{image: a, when: [{field: "{{ hasWarnings .children.deployment }}"}]}]}}`,
			want: []string{"operatorBox.onReconcile.deployments[0].when[0].field: 1:4: hasWarnings needs enrich: [events]: without it there is nothing to read"},
		},
		"Note": {
			reason: "also through notes", entry: "operatorBox: " + deployment + "{{ again }}" + end,
			want: []string{field + "1:4: note again: podNames needs enrich: [pods]: without it there is nothing to read"},
		},
		"Declared": {
			reason: "with the target all is well, and what it adds is among the children",
			entry:  "enrich: [{name: pods}]\noperatorBox: " + deployment + "{{ first }} {{ podCount .children.deployment }} {{ name .children.pod }}" + end,
			want:   []string{},
		},
		"OtherSpelling": {
			reason: "service is endpoints", entry: "enrich: [{name: service}]\noperatorBox: {onReconcile: {services: [{port: 80}]}, status: {fields: [{path: a, value: \"{{ hasEndpoints .children.service }}\"}]}}",
			want: []string{},
		},
		"All": {
			reason: "enrichAll has every target", entry: "enrichAll: true\noperatorBox: " + deployment + "{{ first }} {{ hasWarnings .children.deployment }} {{ hasEndpoints . }}" + end,
			want: []string{},
		},
		"NothingToRead": {
			reason: "a target that no child has is a mistake", entry: "enrich: [{name: pods}, {name: pvcs}]\noperatorBox: {onReconcile: {deployments: [{image: a}]}}",
			want: []string{"enrich[1].name: no declared child is of a kind that has pvcs: nothing is read"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, warnings(t, tc.entry)); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestEnrich(t *testing.T) {
	cases := map[string]struct {
		reason  string
		entry   string
		sources []string
		rights  []string
		status  bool
	}{
		"None": {reason: "without enrich nothing more is read", entry: `operatorBox: {onReconcile: {deployments: [{image: a}]}}`},
		"Ours": {
			reason: "Pods of our own Deployments are selected", entry: "enrich: [{name: pods}]\noperatorBox: {onReconcile: {deployments: [{image: a}]}}",
			sources: []string{"labelled Pod"}, rights: []string{"pods list watch"},
		},
		"Custom": {
			reason:  "those of custom objects are not ours to label",
			entry:   "enrich: [{name: pods}]\noperatorBox: {onReconcile: {deployments: [{image: a}], custom: [{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: a}}]}}",
			sources: []string{"Pod"}, rights: []string{"pods list watch"},
		},
		"Selector": {
			reason: "nor those of a Service that selects others", entry: "enrich: [{name: endpoints}]\noperatorBox: {onReconcile: {services: [{port: 80, selector: {app: b}}]}}",
			sources: []string{"Pod", "EndpointSlice"}, rights: []string{"pods list watch", "endpointslices list watch"},
		},
		"Status": {
			reason: "a gate may read the status", entry: "enrich: [{name: owner, when: [{field: status.phase, equals: a}]}]\noperatorBox: {onReconcile: {deployments: [{image: a}]}}",
			status: true,
		},
		"All": {
			reason: "enrichAll reads what there is of the declared children", entry: "enrichAll: true\noperatorBox: {onReconcile: {deployments: [{image: a}]}}",
			sources: []string{"Node", "labelled Pod", "labelled ReplicaSet", "Event"},
			rights:  []string{"nodes list watch", "pods list watch", "replicasets list watch", "events create patch list watch"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			set := only(t, tc.entry)
			var sources, rights []string
			for _, source := range set.Enriches() {
				text := source.Kind
				if source.Labelled {
					text = "labelled " + text
				}
				sources = append(sources, text)
				for _, rule := range box.Rules(set) {
					if slices.Equal(rule.Resources, []string{source.Resource().Resource}) && slices.Equal(rule.APIGroups, []string{source.Group}) {
						rights = append(rights, rule.Resources[0]+" "+strings.Join(rule.Verbs, " "))
					}
				}
			}
			if diff := cmp.Diff(tc.sources, sources); diff != "" {
				t.Errorf("\n%s\nsources: -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.rights, rights); diff != "" {
				t.Errorf("\n%s\nrights: -want, +got:\n%s", tc.reason, diff)
			}
			if got := set.Effective("").ReadsStatus; got != tc.status {
				t.Errorf("\n%s\nReadsStatus is %t", tc.reason, got)
			}
		})
	}
	if _, wrong := compile(t, "enrich: [{name: pods, when: [{field: spec.a, greaterThan: x}]}]"); len(wrong) != 1 || !strings.HasPrefix(wrong[0], "spec.crds[website].enrich[0].when[0].greaterThan") {
		t.Errorf("a wrong gate is %v, want one error at its path", wrong)
	}
}
