package box_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers/builtin"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

func TestEffective(t *testing.T) {
	type effective struct {
		Target     string
		Children   []string
		Status     []string
		Finalizers []string
		Requeue    int
		Gated      bool
		OnDelete   bool
		Rollback   int
		Keep       bool
	}
	const crd = `
operatorBox:
  when: [{field: spec.on, equals: "true"}]
  finalizers: [a.io/b]
  reconciler: {workers: 7, requeue: [{after: 1h}]}
  onCreate: {configMaps: [{name: crd-once}]}
  onReconcile: {configMaps: [{name: crd}]}
  onDelete: {configMaps: [{name: crd}]}
  status: {fields: [{path: crd, value: "1"}]}
  rollback: {trigger: {consecutiveFailures: 9}}
serve:
  apply: {overrides: {keepPreviousSurface: true}}
  target:
    plain: {}
    t: `
	inherited := effective{
		Target: "t", Children: []string{"crd-once", "crd"}, Status: []string{"crd"}, Finalizers: []string{"a.io/b"}, Requeue: 1, Gated: true,
		OnDelete: true, Rollback: 9, Keep: true,
	}
	cases := map[string]struct {
		reason, target, box string
		want                func(*effective)
	}{
		"All":        {reason: "what is absent is the CRD's", target: "t", box: `{operatorBox: {}}`, want: func(*effective) {}},
		"Unknown":    {reason: "a name that there is not", target: "x", box: `{operatorBox: {onReconcile: {}}}`, want: func(e *effective) { e.Target = "" }},
		"WithoutBox": {reason: "a target without a box", target: "plain", box: `{operatorBox: {onReconcile: {}}}`, want: func(e *effective) { e.Target = "" }},
		"Block":      {reason: "a block replaces the CRD's as a whole", target: "t", box: `{operatorBox: {onReconcile: {configMaps: [{name: own}]}}}`, want: func(e *effective) { e.Children = []string{"crd-once", "own"} }},
		"EmptyBlock": {reason: "also one without children", target: "t", box: `{operatorBox: {onReconcile: {}}}`, want: func(e *effective) { e.Children = []string{"crd-once"} }},
		"Status":     {reason: "the status", target: "t", box: `{operatorBox: {status: {fields: [{path: own, value: "1"}]}}}`, want: func(e *effective) { e.Status = []string{"own"} }},
		"Finalizers": {reason: "the finalizers", target: "t", box: `{operatorBox: {finalizers: [c.io/d]}}`, want: func(e *effective) { e.Finalizers = []string{"c.io/d"} }},
		"Requeue":    {reason: "the delays", target: "t", box: `{operatorBox: {reconciler: {requeue: []}}}`, want: func(e *effective) { e.Requeue = 0 }},
		"Workers":    {reason: "what else is said of the controller takes nothing away", target: "t", box: `{operatorBox: {reconciler: {workers: 1}}}`, want: func(*effective) {}},
		"Rollback":   {reason: "the short form is a rollback, too", target: "t", box: `{operatorBox: {rollBackOnError: true}}`, want: func(e *effective) { e.Rollback = 3 }},
		"Keep":       {reason: "the target's own word comes first", target: "t", box: `{operatorBox: {}, apply: {overrides: {keepPreviousSurface: false}}}`, want: func(e *effective) { e.Keep = false }},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			set := only(t, crd+tc.box)
			if set.Workers != 7 {
				t.Errorf("%d workers, want the CRD's 7", set.Workers)
			}
			b := set.Effective(tc.target)
			got := effective{
				Target: b.Target, Finalizers: b.Finalizers, Requeue: len(b.Requeue), Gated: len(b.Gate.References()) > 0, OnDelete: b.OnDelete != nil,
				Keep: b.KeepPreviousSurface,
			}
			for _, block := range b.Blocks {
				for i := range block.Children {
					got.Children = append(got.Children, string(block.Children[i].Declaration.Value.(orkv1.ConfigMap).Name))
				}
			}
			for _, one := range b.Status.Fields {
				got.Status = append(got.Status, one.Path...)
			}
			if b.Rollback != nil {
				got.Rollback = b.Rollback.Failures
			}
			want := inherited
			tc.want(&want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("\n%s\nEffective(%q): -want, +got:\n%s", tc.reason, tc.target, diff)
			}
		})
	}
}

// What is wrong with a block is said where it is written, and once.
func TestEffectiveFindings(t *testing.T) {
	const at = "spec.crds[website]."
	cases := map[string]struct {
		reason, entry    string
		errors, warnings []string
	}{
		"Own": {
			reason: "the target's own block", entry: `serve: {target: {t: {operatorBox: {onReconcile: {configMaps: [{name: "{{ .spec. }}"}]}}}}}`,
			errors: []string{at + "serve.target[t].operatorBox.onReconcile.configMaps[0].name"},
		},
		"Inherited": {
			reason: "the CRD's own, which both targets take",
			entry:  `{operatorBox: {onReconcile: {configMaps: [{name: "{{ .spec. }}"}]}}, serve: {target: {t: {operatorBox: {}}, u: {operatorBox: {}}}}}`,
			errors: []string{at + "operatorBox.onReconcile.configMaps[0].name"},
		},
		"Warning": {
			reason:   "so with what is only suspicious",
			entry:    `{operatorBox: {onReconcile: {configMaps: [{name: a, data: {a: "{{ .children.service }}"}}]}}, serve: {target: {t: {operatorBox: {status: {}}}}}}`,
			warnings: []string{at + "operatorBox.onReconcile.configMaps[0].data[a]"},
		},
		"ChildOfTheOther": {
			reason: "a block that is taken over may read a child that another box has",
			entry: `{operatorBox: {onReconcile: {services: [{name: a, port: "80"}]}, status: {fields: [{path: a, value: "{{ .children.service.spec.clusterIP }}"}]}},
  serve: {target: {t: {operatorBox: {onReconcile: {configMaps: [{name: a}]}}}}}}`,
		},
	}
	registry, err := builtin.Registry()
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var crd orkv1.CRD
			if err := yaml.UnmarshalStrict([]byte(tc.entry), &crd); err != nil {
				t.Fatal(err)
			}
			katalog := &orkv1.Katalog{Spec: orkv1.KatalogSpec{CRDs: map[string]orkv1.CRD{"website": crd}}}
			_, found := box.CompileKatalog(katalog, box.Options{Registry: registry})
			for what, one := range map[string]struct {
				want []string
				got  field.ErrorList
			}{"errors": {tc.errors, found.Errors}, "warnings": {tc.warnings, found.Warnings}} {
				var got []string
				for _, err := range one.got {
					got = append(got, err.Field)
				}
				if diff := cmp.Diff(one.want, got); diff != "" {
					t.Errorf("\n%s\n%s: -want, +got:\n%s\n%v", tc.reason, what, diff, one.got)
				}
			}
		})
	}
}

// The boxes of a set know the kinds of all of them: a resource may have come from any.
func TestEffectiveKinds(t *testing.T) {
	set := only(t, `
operatorBox: {onReconcile: {deployments: [{name: a, image: x}]}}
serve: {target: {b: {operatorBox: {onReconcile: {services: [{name: a, port: "80"}]}}}, a: {operatorBox: {onReconcile: {configMaps: [{name: a}]}}}}}`)
	if diff := cmp.Diff([]string{"a", "b"}, set.Targets()); diff != "" {
		t.Errorf("Targets(): -want, +got:\n%s", diff)
	}
	for _, b := range set.Boxes() {
		var kinds []string
		for _, kind := range b.Kinds {
			kinds = append(kinds, kind.Kind)
		}
		if diff := cmp.Diff([]string{"ConfigMap", "Service", "Deployment"}, kinds); diff != "" {
			t.Errorf("kinds of the box %q: -want, +got:\n%s", b.Target, diff)
		}
	}
}
