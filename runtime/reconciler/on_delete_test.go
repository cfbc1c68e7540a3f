package reconciler

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/providers/external"
	"github.com/orkestra-runtime/orkestra/runtime/hook"
)

// outside answers external calls with their names, and notes them. Those of down fail.
type outside struct {
	made []string
	down map[string]bool
}

func (o *outside) Call(_ context.Context, r external.Request) (external.Answer, error) {
	o.made = append(o.made, r.URL)
	if o.down[r.Name] {
		return external.Answer{StatusCode: 503}, errors.New("down")
	}
	return external.Answer{StatusCode: 200, Text: r.Name}, nil
}

// cycleOfDeletion is what one cycle is to do.
type cycleOfDeletion struct {
	down  string
	calls []string
	ready string
	// left is how many ConfigMaps there are then, and kept the annotation without its time.
	left int
	kept string
	gone bool
}

const callsOfStages = `
  onReconcile: {external: [{name: live, url: "http://live"}], configMaps: [{name: first}, {name: second}]},
  onDelete: {ordered: true, external: [{name: whole, url: "http://whole"}], groups: [
    {external: [{name: one, url: "http://one/{{ .external.whole.body }}"}], configMaps: [{name: "{{ if .external.one.body }}first{{ end }}"}]},
    {external: [{name: two, url: "http://two"}], when: [{field: external.two.body, equals: two}], configMaps: [{name: second}]}]}`

func TestOnDeleteCalls(t *testing.T) {
	const one, two = "http://one/whole", "http://two"
	cases := map[string]struct {
		reason, operatorBox string
		cycles              []cycleOfDeletion
	}{
		"Stages": {
			reason: "the calls of a stage are made in each cycle until it is done, and not again", operatorBox: callsOfStages,
			cycles: []cycleOfDeletion{
				{calls: []string{"http://whole", one}, ready: "stage 1 of 2: waits for ConfigMap first", left: 1, kept: "1/2"},
				{calls: []string{"http://whole", one, two}, ready: "stage 2 of 2: waits for ConfigMap second", kept: "2/2"},
				{calls: []string{"http://whole", two}, gone: true},
			},
		},
		"Failure": {
			reason: "a call that fails is made again, and not those of the stages before it", operatorBox: callsOfStages,
			cycles: []cycleOfDeletion{
				{calls: []string{"http://whole", one}, ready: "stage 1 of 2: waits for ConfigMap first", left: 1, kept: "1/2"},
				{down: "two", calls: []string{"http://whole", one, two}, ready: "onDelete: stage 2 of 2: external calls: two: down", left: 1, kept: "2/2"},
				{down: "whole", calls: []string{"http://whole"}, ready: "onDelete: external calls: whole: down", left: 1, kept: "2/2"},
				{calls: []string{"http://whole", two}, ready: "stage 2 of 2: waits for ConfigMap second", kept: "2/2"},
				{calls: []string{"http://whole", two}, gone: true},
			},
		},
		"NothingWaits": {
			reason:      "one cycle is enough where nothing is waited for",
			operatorBox: `onDelete: {external: [{name: bye, url: "http://bye/{{ .spec.id }}"}]}`,
			cycles:      []cycleOfDeletion{{calls: []string{"http://bye/7"}, gone: true}},
		},
		"Over": {
			reason: "what comes after onDelete may take longer",
			operatorBox: `onDelete: {external: [{name: bye, url: "http://bye"}]},
  reconciler: {hooks: {location: example.com/hooks, function: W, args: {a: "{{ .external.forHook.body }}"}, external: [{name: forHook, url: "http://hook"}]}}`,
			cycles: []cycleOfDeletion{
				{calls: []string{"http://bye", "http://hook"}, ready: "waits for the hook OnDelete", kept: "over/1"},
				{calls: []string{"http://hook"}, ready: "waits for the hook OnDelete", kept: "over/1"},
				{down: "forHook", calls: []string{"http://hook"}, ready: "external calls: forHook: down", kept: "over/1"},
				{calls: []string{"http://hook"}, gone: true},
			},
		},
		"ContinueOnError": {
			reason: "a failure that may be keeps nothing, and a gate tells of it",
			operatorBox: `onDelete: {external: [{name: bye, url: "http://bye", continueOnError: true}, {name: after, url: "http://after", when: [{field: external.bye.error, equals: ""}]}],
  when: [{field: external.bye.error, equals: ""}], configMaps: [{name: first}]}, onReconcile: {configMaps: [{name: first}]}`,
			cycles: []cycleOfDeletion{{down: "bye", calls: []string{"http://bye"}, left: 1, gone: true}},
		},
		"Closed": {
			reason:      "a gate that does not read what calls come to keeps them from being made",
			operatorBox: `onDelete: {external: [{name: bye, url: "http://bye"}], when: [{field: spec.none, exists: true}]}`,
			cycles:      []cycleOfDeletion{{gone: true}},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			calls := &outside{}
			waits := 3
			h := newHarness(t, "{"+tc.operatorBox+"}", map[string]any{"id": "7"})
			h.Calls = calls
			h.Hooks = map[string]*hook.Hook{"example.com/hooks.W": hook.New(hook.Hooks[*unstructured.Unstructured]{
				OnDelete: func(_ context.Context, r *request) (result reconcile.Result, err error) {
					if got := r.Args.String("a"); got != "forHook" {
						t.Errorf("the hook is handed %q, want what its call came to", got)
					}
					if waits--; waits > 0 {
						result.RequeueAfter = time.Second
					}
					return result, nil
				},
			})}
			h.cycle(t)
			h.edit(t, func(o *unstructured.Unstructured) { o.SetDeletionTimestamp(new(metav1.Now())) })
			h.settleChildren(t, len(h.configMaps(t)))
			for i, want := range tc.cycles {
				calls.made, calls.down = nil, map[string]bool{want.down: true}
				_, err := h.try(t)
				_, _, message := h.summary()
				kept, _, _ := strings.Cut(h.resource.GetAnnotations()[orkv1.AnnotationDeletion], " ")
				got := cycleOfDeletion{down: want.down, calls: calls.made, ready: message, left: len(h.configMaps(t)), kept: kept, gone: len(h.resource.GetFinalizers()) == 0}
				if want.gone || want.ready != "" && err != nil && strings.Contains(err.Error(), want.ready) {
					got.ready = want.ready
				}
				if want.gone {
					got.kept = want.kept
				}
				if diff := cmp.Diff(want, got, cmp.AllowUnexported(cycleOfDeletion{})); diff != "" {
					t.Fatalf("\n%s\ncycle %d: -want, +got:\n%s", tc.reason, i+1, diff)
				}
				h.settleChildren(t, got.left)
			}
		})
	}
}
