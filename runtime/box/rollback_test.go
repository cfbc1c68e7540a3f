package box_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/controllers/builtin"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

func TestRollback(t *testing.T) {
	type want struct {
		Failures int
		Within   time.Duration
		Block    bool
		Kinds    int
	}
	cases := map[string]struct {
		reason, box string
		want        *want
	}{
		"None":    {reason: "it is a choice", box: `{}`},
		"Short":   {reason: "three failures at any time", box: `{rollBackOnError: true}`, want: &want{Failures: 3}},
		"Empty":   {reason: "the same", box: `{rollback: {}}`, want: &want{Failures: 3}},
		"Trigger": {reason: "as it says", box: `{rollback: {trigger: {consecutiveFailures: 5, withinDuration: 10m}}}`, want: &want{Failures: 5, Within: 10 * time.Minute}},
		"Block": {
			reason: "kinds of its children are kinds of the box", box: `{rollback: {onRollback: {configMaps: [{name: a}]}}}`,
			want: &want{Failures: 3, Block: true, Kinds: 1},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := only(t, "operatorBox: "+tc.box).Effective("")
			var got *want
			if r := b.Rollback; r != nil {
				got = &want{Failures: r.Failures, Within: r.Within, Block: r.Block != nil, Kinds: len(b.Kinds)}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nRollback: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestPreviousIsReadInOnRollbackAlone(t *testing.T) {
	cases := map[string]struct {
		reason, box string
		want        []string
		warnings    []string
	}{
		"OnRollback": {
			reason: "templates, gates and loops see it",
			box: `{rollback: {onRollback: {when: [{field: previous.spec.image, exists: true}], configMaps: [
  {name: a, data: {a: "{{ .previous.spec.image }}"}}, {name: "{{ .item }}", forEach: {field: previous.spec.hosts}}]}}}`,
		},
		"Elsewhere": {
			reason: "there is none in a cycle as any other", box: `{onReconcile: {configMaps: [{name: a, data: {a: "{{ .previous.spec.image }}"}}]}}`,
			want: []string{".previous is there inside of rollback.onRollback, and not here"},
		},
		"Misspelt": {
			reason: "it has the fields of the spec", box: `{rollback: {onRollback: {configMaps: [{name: a, data: {a: "{{ .previous.spec.imgae }}"}}]}}}`,
			want: []string{".previous.spec has no field imgae in the schema: did you mean image?"},
		},
		"NotTheSpec": {
			reason: "nothing but the spec is kept", box: `{rollback: {onRollback: {configMaps: [{name: a, data: {a: "{{ .previous.status.phase }}"}}]}}}`,
			warnings: []string{".previous has no field status in the schema, so it is always empty (valid: spec)"},
		},
	}
	registry, err := builtin.Registry()
	if err != nil {
		t.Fatal(err)
	}
	schema := &roots.Props{}
	if err := yaml.Unmarshal([]byte(`{type: object, properties: {spec: {type: object, properties: {
  image: {type: string}, hosts: {type: array, items: {type: string}}}}}}`), schema); err != nil {
		t.Fatal(err)
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var crd orkv1.CRD
			if err := yaml.UnmarshalStrict([]byte("operatorBox: "+tc.box), &crd); err != nil {
				t.Fatal(err)
			}
			katalog := &orkv1.Katalog{Spec: orkv1.KatalogSpec{CRDs: map[string]orkv1.CRD{"website": crd}}}
			_, found := box.CompileKatalog(katalog, box.Options{Registry: registry, Schemas: map[string]*roots.Props{"website": schema}})
			for what, one := range map[string]struct{ want, got []string }{
				"errors": {tc.want, details(found.Errors)}, "warnings": {tc.warnings, details(found.Warnings)},
			} {
				if len(one.got) != len(one.want) || len(one.want) > 0 && !strings.Contains(one.got[0], one.want[0]) {
					t.Errorf("\n%s\n%s: %q, want %q", tc.reason, what, one.got, one.want)
				}
			}
		})
	}
}

func details(errs field.ErrorList) []string {
	all := make([]string, 0, len(errs))
	for _, one := range errs {
		all = append(all, one.Detail)
	}
	return all
}

func TestWrittenOnce(t *testing.T) {
	b := only(t, `operatorBox: {onCreate: {configMaps: [{name: a}, {name: b, reconcile: true}]}, onReconcile: {jobs: [{name: a, image: x}], secrets: [{name: a}, {name: b, once: true}]}}`).Effective("")
	got := map[string]bool{}
	for _, block := range b.Blocks {
		for i := range block.Children {
			got[block.Children[i].String()] = block.Children[i].WrittenOnce()
		}
	}
	want := map[string]bool{"configMaps[0]": true, "configMaps[1]": false, "jobs[0]": true, "secrets[0]": false, "secrets[1]": true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("WrittenOnce(): -want, +got:\n%s", diff)
	}
}
