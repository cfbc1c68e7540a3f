package box_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers/builtin"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

// compiled compiles a Katalog of one entry.
func compiled(t *testing.T, crd string) (*box.Set, string) {
	t.Helper()
	registry, err := builtin.Registry()
	if err != nil {
		t.Fatal(err)
	}
	katalog := &orkv1.Katalog{}
	text := "security: {namespaceProtection: {restrictedNamespaces: [kube-system]}}\nspec: {crds: {website: {apiTypes: {group: example.com, version: v1, kind: Website}, " +
		strings.TrimSpace(crd) + "}}}"
	if err := yaml.UnmarshalStrict([]byte(text), katalog); err != nil {
		t.Fatal(err)
	}
	sets, found := box.CompileKatalog(katalog, box.Options{Registry: registry})
	if len(found.Errors) > 0 {
		return nil, found.Errors.ToAggregate().Error()
	}
	return sets[0], ""
}

func TestGateErrors(t *testing.T) {
	cases := map[string]struct{ reason, crd, want string }{
		"UnknownSentinel": {
			"a wrong name lists the right ones", "operatorBox: {preReconcile: {sentinels: [specChanged]}}",
			`preReconcile.sentinels[0]: Invalid value: "specChanged": there is no such sentinel (valid: generationChanged, labelsChanged, annotationsChanged, ` +
				"deletionStarted, finalizersChanged, nameChanged, namespaceChanged, generateNameChanged, uidChanged, resourceVersionChanged, " +
				"creationTimestampChanged, deletionGracePeriodSecondsChanged, ownerReferenceChanged, managedFieldsChanged)",
		},
		"Misspelt": {
			"a slip", "operatorBox: {preReconcile: {sentinels: [labelChanged]}}", "did you mean labelsChanged?",
		},
		"NotInParent": {
			"a gate asks for what is not computed",
			"operatorBox: {preReconcile: {sentinels: [labelsChanged], enqueueGate: {sentinels: [generationChanged]}}}",
			`enqueueGate.sentinels[0]: Invalid value: "generationChanged": is not among preReconcile.sentinels: add it there`,
		},
		"Undeclared": {
			"so does a condition",
			`operatorBox: {preReconcile: {enqueueGate: {when: [{field: "{{ generationChanged }}", equals: "true"}]}}}`,
			"the sentinel generationChanged is not declared: add it to spec.crds[website].operatorBox.preReconcile.sentinels",
		},
		"UndeclaredField": {
			"in another form", `operatorBox: {preReconcile: {enqueueGate: {when: [{field: sentinels.generationChanged, equals: "true"}]}}}`,
			"the sentinel generationChanged is not declared: add it to",
		},
		"UndeclaredCEL": {
			"in CEL", `operatorBox: {preReconcile: {enqueueGate: {when: [{cel: sentinels.generationChanged}]}}}`, "generationChanged",
		},
		"Elsewhere": {
			"a template of a child has no sentinels", `operatorBox: {onReconcile: {configMaps: [{data: {a: "{{ generationChanged }}"}}]}}`,
			"generationChanged is a sentinel: the gates of preReconcile and observe and the conditions of queue.behaviour have them, and nothing else",
		},
		"ElsewhereField": {
			"nor has a condition of one", `operatorBox: {when: [{field: sentinels.generationChanged, equals: "true"}]}`,
			".sentinels is there in the gates of preReconcile and observe and in the conditions of queue.behaviour, and not here",
		},
		"Children": {
			"a gate comes before the children are read", `operatorBox: {preReconcile: {reconcileGate: {when: [{field: children.deployment.status, exists: true}]}}}`,
			".children is there in a cycle, which comes after the gates, and not here",
		},
		"Cross": {
			"and before other resources are", `operatorBox: {preReconcile: {reconcileGate: {when: [{field: "{{ .cross.a.found }}", equals: "true"}]}}}`,
			".cross is there in a cycle, which comes after the gates, and not here",
		},
		"ChildrenCEL":      {"in CEL as well", `operatorBox: {preReconcile: {reconcileGate: {when: [{cel: has(children.deployment)}]}}}`, "children"},
		"BehaviourNoDepth": {"there is nothing to measure against", "operatorBox: {reconciler: {queue: {behaviour: {onLimit: {drop: true}}}}}", "maxDepth: Required value: behaviour measures against it"},
		"Percentage":       {"more than all", "operatorBox: {reconciler: {queue: {maxDepth: 1, behaviour: {onThreshold: {value: 101}}}}}", "want a percentage of maxDepth, from 1 to 100"},
		"BehaviourSentinel": {
			"conditions of the queue ask for what is declared", `operatorBox: {reconciler: {queue: {maxDepth: 1, behaviour: {onLimit: {when: [{field: "{{ uidChanged }}", equals: "true"}]}}}}}`,
			"the sentinel uidChanged is not declared: add it to spec.crds[website].operatorBox.preReconcile.sentinels",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if _, got := compiled(t, tc.crd); !strings.Contains(got, tc.want) {
				t.Errorf("\n%s\ngot  %s\nwant %s", tc.reason, got, tc.want)
			}
		})
	}
}

func TestGatesCompile(t *testing.T) {
	set, wrong := compiled(t, `operatorBox: {preReconcile: {sentinels: [generationChanged, labelsChanged],
		enqueueGate: {sentinels: [labelsChanged], failPolicy: closed, when: [{field: "{{ if generationChanged }}yes{{ end }}", equals: "yes"}]},
		reconcileGate: {eventAware: true, when: [{field: sentinels.labelsChanged, equals: "true"}, {field: health.state, notEquals: degraded},
			{field: metrics.queueDepth, lessThan: "5"}, {field: target.name, exists: true}, {cel: "sentinels.generationChanged || spec.a == 1"}]}}}`)
	if wrong != "" {
		t.Fatal(wrong)
	}
	b := set.Effective("")
	if b.EnqueueGate == nil || b.ReconcileGate == nil || !b.EventAware || len(b.Sentinels) != 2 || len(b.EnqueueGate.Sentinels) != 1 {
		t.Errorf("box %+v lacks what is declared", b)
	}
	if len(b.ReconcileGate.Sentinels) != 0 {
		t.Error("a gate without sentinels of its own takes those of preReconcile")
	}
	if !b.ReconcileGate.Reads("health") || b.EnqueueGate.Reads("health") {
		t.Error("what a gate reads is not known")
	}
	if !set.Declares("labelsChanged") || set.Declares("uidChanged") {
		t.Error("what an entry declares is not known")
	}
}

func TestNamespacesOfTheKatalog(t *testing.T) {
	cases := map[string]struct {
		reason, crd string
		allows      map[string]bool
	}{
		"Katalog": {"without lists of its own an entry has the Katalog's", "mode: dynamic", map[string]bool{"kube-system": false, "default": true}},
		"Own":     {"its own replace them", "restrictedNamespaces: [default]", map[string]bool{"kube-system": true, "default": false}},
		"Allowed": {"whichever it is", "allowedNamespaces: [kube-system]", map[string]bool{"kube-system": true, "default": false}},
		"Glob":    {"a glob is all that it matches", `allowedNamespaces: ["kube-*"]`, map[string]bool{"kube-system": true, "default": false}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			set, wrong := compiled(t, tc.crd)
			if wrong != "" {
				t.Fatal(wrong)
			}
			for namespace, want := range tc.allows {
				if got := set.Namespaces.Allows(namespace); got != want {
					t.Errorf("\n%s\nAllows(%s) = %t, want %t", tc.reason, namespace, got, want)
				}
			}
		})
	}
}

// What a gate does not read is left out of its facts, so what it reads in a roundabout way must be there.
func TestSceneFacts(t *testing.T) {
	cases := map[string]struct{ reason, condition string }{
		"Nothing":      {"a path of the resource", `{field: spec.a, equals: "1"}`},
		"Target":       {"how it was delivered", `{field: target.name, equals: shop}`},
		"Template":     {"in a template", `{field: "{{ .target.alias }}", equals: kiosk}`},
		"With":         {"through a variable of all there is", `{field: "{{ with .spec }}{{ $.target.name }}{{ end }}", equals: shop}`},
		"Index":        {"by a key that is computed", `{field: "{{ index . (print \"tar\" \"get\") \"name\" }}", equals: shop}`},
		"All":          {"with all there is", `{field: "{{ contains (toJson .) \"kiosk\" }}", equals: "true"}`},
		"CEL":          {"in CEL", `{cel: "target.name == 'shop'"}`},
		"Sentinel":     {"a sentinel by its name", `{field: "{{ labelsChanged }}", equals: "true"}`},
		"Sentinels":    {"as a field", `{field: sentinels.labelsChanged, equals: "true"}`},
		"SentinelsCEL": {"in CEL as well", `{cel: sentinels.labelsChanged}`},
		"Kind":         {"what it is", `{field: kind, equals: Website}`},
		"NoStatus":     {"a part that it does not have", `{field: status.phase, notExists: true}`},
	}
	object := &unstructured.Unstructured{Object: map[string]any{
		"kind": "Website", "spec": map[string]any{"a": int64(1)},
		"metadata": map[string]any{"annotations": map[string]any{orkv1.AnnotationServeTarget: "shop", orkv1.AnnotationServeAlias: "kiosk"}},
	}}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			set, wrong := compiled(t, "operatorBox: {preReconcile: {sentinels: [labelsChanged], enqueueGate: {when: ["+tc.condition+"]}}}")
			if wrong != "" {
				t.Fatal(wrong)
			}
			b := set.Effective("")
			scene := box.Scene{Sentinels: map[string]bool{"labelsChanged": true}, Declared: b.Sentinels}
			if got := scene.Decide(b.EnqueueGate, object); !got.Admit {
				t.Errorf("%s: %s", tc.reason, got.Reason)
			}
		})
	}
}
