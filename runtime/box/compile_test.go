package box_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/controllers/builtin"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

// compile compiles a Katalog of the one entry website, given as YAML, and returns the messages of what is wrong with it.
func compile(tb testing.TB, entry string) ([]*box.Set, []string) {
	tb.Helper()
	katalog := &orkv1.Katalog{}
	katalog.Name = "test"
	var crd orkv1.CRD
	if err := yaml.UnmarshalStrict([]byte(entry), &crd); err != nil {
		tb.Fatalf("%v in %s", err, entry)
	}
	katalog.Spec.CRDs = map[string]orkv1.CRD{"website": crd}
	registry, err := builtin.Registry()
	if err != nil {
		tb.Fatal(err)
	}
	sets, found := box.CompileKatalog(katalog, box.Options{Registry: registry})
	messages := make([]string, 0, len(found.Errors))
	for _, one := range found.Errors {
		messages = append(messages, one.Error())
	}
	return sets, messages
}

// only compiles an entry that is right.
func only(tb testing.TB, entry string) *box.Set {
	tb.Helper()
	sets, wrong := compile(tb, entry)
	if len(sets) != 1 || len(wrong) > 0 {
		tb.Fatalf("%d sets and %v, want one without errors", len(sets), wrong)
	}
	return sets[0]
}

func TestErrors(t *testing.T) {
	const at = "spec.crds[website].operatorBox."
	cases := map[string]struct {
		reason string
		entry  string
		want   []string
	}{
		"Template": {
			reason: "the path names the field of the child",
			entry:  `operatorBox: {onReconcile: {configMaps: [{name: a}, {name: b, data: {x: "{{ .spec. }}"}}]}}`,
			want:   []string{at + "onReconcile.configMaps[1].data[x]"},
		},
		"Gates": {
			reason: "gates of the box, of a block, of a child, of a field and of requeue",
			entry: `operatorBox:
  when: [{field: spec.a, greaterThan: x}]
  reconciler: {requeue: [{after: 1s, when: [{field: spec.a, regex: "("}]}]}
  onCreate: {when: [{field: "{{ x", equals: a}], configMaps: [{name: a, or: [{field: spec.a, operator: nonsense}]}]}
  status: {fields: [{path: a, value: b, when: [{field: spec.a, between: x}]}]}`,
			want: []string{
				at + "when[0].greaterThan", at + "status.fields[0].when[0].between", at + "reconciler.requeue[0].when[0].regex",
				at + "onCreate.when[0].field", at + "onCreate.configMaps[0].or[0].operator",
			},
		},
		"Values": {
			reason: "values that no template can change",
			entry: `operatorBox: {onReconcile: {
  configMaps: [{name: NOT A NAME, forEach: {field: "a..b"}}], deployments: [{name: a, image: x, replicas: abc}]}}`,
			want: []string{
				at + "onReconcile.configMaps[0].name", at + "onReconcile.configMaps[0].forEach.field", at + "onReconcile.deployments[0].replicas",
			},
		},
		"Status": {
			reason: "a value of the status", entry: `operatorBox: {status: {fields: [{path: a, value: b}, {path: a, value: "{{ nonsense }}"}]}}`,
			want: []string{at + "status.fields[1].value"},
		},
		"Requeue": {
			reason: "a delay that is no template is read at once",
			entry:  `operatorBox: {reconciler: {requeue: [{after: soon}, {after: "{{ .spec.after }}"}, {after: 5m}]}}`,
			want:   []string{at + "reconciler.requeue[0].after"},
		},
		"Labels": {
			reason: "labels of the resource", entry: `labels: {a: "{{ .spec. }}"}`,
			want: []string{"spec.crds[website].labels[a]"},
		},
		"Custom": {
			reason: "a kind has to be known before anything is rendered",
			entry:  `operatorBox: {onReconcile: {custom: [{apiVersion: v1, kind: "{{ .spec.kind }}", metadata: {name: a}}]}}`,
			want:   []string{at + "onReconcile.custom[0].kind"},
		},
		"Disabled": {
			reason: "an entry that does not run is checked all the same", entry: `enabled: false
operatorBox: {onReconcile: {configMaps: [{name: "{{"}]}}`,
			want: []string{at + "onReconcile.configMaps[0].name"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, wrong := compile(t, tc.entry)
			got := make([]string, 0, len(wrong))
			for _, message := range wrong {
				path, _, _ := strings.Cut(message, ": ")
				got = append(got, path)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\n%s\nCompileKatalog(...): -want, +got:\n%s", tc.reason, strings.Join(wrong, "\n"), diff)
			}
		})
	}
}

func TestReads(t *testing.T) {
	type reads struct{ Children, StatusChildren, Status bool }
	cases := map[string]struct {
		reason string
		entry  string
		want   reads
	}{
		"Nothing":       {reason: "a box that looks at its spec alone", entry: `operatorBox: {onReconcile: {configMaps: [{name: a, data: {a: "{{ .spec.a }}"}}]}}`},
		"ChildTemplate": {reason: "a template of a child", entry: `operatorBox: {onReconcile: {configMaps: [{name: a, data: {a: "{{ .children.job.status.x }}"}}]}}`, want: reads{Children: true}},
		"ChildGate":     {reason: "a gate of a child", entry: `operatorBox: {onReconcile: {configMaps: [{name: a, when: [{field: children.job.status.x, exists: true}]}]}}`, want: reads{Children: true}},
		"BlockGate":     {reason: "a gate of a block", entry: `operatorBox: {onCreate: {when: [{field: status.x, equals: a}], configMaps: [{name: a}]}}`, want: reads{Status: true}},
		"BoxGate":       {reason: "the gate of the box", entry: `operatorBox: {when: [{field: status.x, equals: "{{ .children.job.status.x }}"}]}`, want: reads{Children: true, Status: true}},
		"ForEach":       {reason: "what a declaration is expanded over", entry: `operatorBox: {onReconcile: {configMaps: [{name: "{{ .item }}", forEach: {field: children.jobs}}]}}`, want: reads{Children: true}},
		"StatusField":   {reason: "the status looks at children after they were written", entry: `operatorBox: {status: {fields: [{path: a, value: "{{ .children.job.status.x }}"}]}}`, want: reads{StatusChildren: true}},
		"StatusGate":    {reason: "a state machine", entry: `operatorBox: {status: {fields: [{path: a, value: b, when: [{field: status.a, equals: a}]}]}}`, want: reads{Status: true}},
		"Requeue":       {reason: "the delay is decided last", entry: `operatorBox: {reconciler: {requeue: [{after: "{{ .children.job.status.x }}"}]}}`, want: reads{StatusChildren: true}},
		"Everything":    {reason: "who prints all reads all", entry: `operatorBox: {status: {fields: [{path: a, value: "{{ toJson . }}"}]}}`, want: reads{StatusChildren: true, Status: true}},
		"Labels":        {reason: "labels of the resource", entry: `labels: {phase: "{{ .status.phase }}"}`, want: reads{Status: true}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := only(t, tc.entry).Effective("")
			got := reads{b.ReadsChildren, b.StatusReadsChildren, b.ReadsStatus}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// summary is what an entry sets or leaves to its default.
type summary struct {
	Workers, FailureThreshold             int
	Watch                                 box.Watch
	Off, Conditions, ObservedGeneration   bool
	Finalizers                            []string
	CreateOnce, Force                     []bool
	Kinds                                 []string
	Allowed, Restricted, NoNamespaceAtAll bool
}

func summarize(set *box.Set) summary {
	b := set.Effective("")
	s := summary{
		Workers: set.Workers, FailureThreshold: set.FailureThreshold, Watch: set.Watch,
		Off: b.Status.Off, Conditions: b.Status.Conditions, ObservedGeneration: b.Status.ObservedGeneration, Finalizers: b.Finalizers,
		Allowed: set.Namespaces.Allows("shop"), Restricted: set.Namespaces.Allows("kube-system"), NoNamespaceAtAll: set.Namespaces.Allows(""),
	}
	for _, block := range b.Blocks {
		for i := range block.Children {
			s.CreateOnce = append(s.CreateOnce, block.Children[i].CreateOnce)
			s.Force = append(s.Force, block.Children[i].Force)
		}
	}
	for _, kind := range set.Kinds() {
		s.Kinds = append(s.Kinds, kind.Kind)
	}
	return s
}

func TestDefaults(t *testing.T) {
	cases := map[string]struct {
		reason string
		entry  string
		want   summary
	}{
		"None": {
			reason: "an empty entry", entry: `{}`,
			want: summary{
				Workers: 3, FailureThreshold: 5, Watch: box.Watch{Resync: 30 * time.Second}, Conditions: true, ObservedGeneration: true,
				Allowed: true, Restricted: true, NoNamespaceAtAll: true,
			},
		},
		"All": {
			reason: "an entry that sets all there is",
			entry: `
namespace: shop
labelSelector: {a: b}
fieldSelector: {metadata.name: x}
restrictedNamespaces: [kube-system]
forceConflict: false
ignoreStatusPatch: true
ignoreObservedGeneration: true
operatorBox:
  finalizers: [a.io/b]
  reconciler: {workers: 7, resync: 5m, queue: {failureThreshold: 2}}
  status: {conditions: false}
  onCreate: {configMaps: [{name: a}, {name: b, reconcile: true, forceConflict: true}]}
  onReconcile: {deployments: [{name: d, image: x}], jobs: [{name: j, image: x}], configMaps: [{name: c}],
    custom: [{apiVersion: test.example.com/v1, kind: Part, metadata: {name: p}}]}`,
			want: summary{
				Workers: 7, FailureThreshold: 2,
				Watch: box.Watch{Namespace: "shop", LabelSelector: "a=b", FieldSelector: "metadata.name=x", Resync: 5 * time.Minute},
				Off:   true, Finalizers: []string{"a.io/b"},
				// In the order in which they are written: onCreate's ConfigMaps, then of onReconcile ConfigMaps, custom, Deployments, Jobs.
				CreateOnce: []bool{true, false, false, false, false, true}, Force: []bool{false, true, false, false, false, false},
				Kinds:   []string{"ConfigMap", "Part", "Deployment", "Job"},
				Allowed: true, NoNamespaceAtAll: true,
			},
		},
		"Allowed": {
			reason: "only what is allowed, and what has no namespace", entry: `allowedNamespaces: [shop]`,
			want: summary{
				Workers: 3, FailureThreshold: 5, Watch: box.Watch{Resync: 30 * time.Second}, Conditions: true, ObservedGeneration: true,
				Allowed: true, NoNamespaceAtAll: true,
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, summarize(only(t, tc.entry))); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestSetIdentity(t *testing.T) {
	set := only(t, `apiTypes: {group: web.example.com, version: v1, kind: Website, plural: websites}`)
	got := fmt.Sprint(set.Katalog, set.Name, set.GVK, set.Plural)
	want := fmt.Sprint("test", "website", schema.GroupVersionKind{Group: "web.example.com", Version: "v1", Kind: "Website"}, "websites")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func TestDisabledEntryIsNoSet(t *testing.T) {
	if sets, wrong := compile(t, `enabled: false`); len(sets) > 0 || len(wrong) > 0 {
		t.Errorf("%d sets and %v, want neither", len(sets), wrong)
	}
}

func TestTarget(t *testing.T) {
	cases := map[string]struct {
		reason      string
		annotations map[string]string
		want        string
	}{
		"None":   {reason: "most resources have none"},
		"Target": {reason: "the target", annotations: map[string]string{orkv1.AnnotationServeTarget: "a"}, want: "a"},
		"Alias":  {reason: "the alias before the target", annotations: map[string]string{orkv1.AnnotationServeTarget: "a", orkv1.AnnotationServeAlias: "b"}, want: "b"},
		"Legacy": {reason: "the older domain is read as well", annotations: map[string]string{orkv1.LegacyDomain + "serve-target": "c"}, want: "c"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			object := &unstructured.Unstructured{Object: map[string]any{}}
			object.SetAnnotations(tc.annotations)
			if got := roots.Target(object); got != tc.want {
				t.Errorf("\n%s\nTarget(...) = %q, want %q", tc.reason, got, tc.want)
			}
		})
	}
}
