package reconciler

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clienttesting "k8s.io/client-go/testing"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/status"
	"github.com/orkestra-runtime/orkestra/controllers/children"
	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/queue"
	"github.com/orkestra-runtime/orkestra/runtime/work"
)

// fragile is a box of which a spec with a wrong name makes the last child fail, after the others are written.
const fragile = `
  onCreate: {configMaps: [{name: once, data: {v: "{{ .spec.v }}"}}]},
  onReconcile: {configMaps: [
    {name: extra, when: [{field: spec.extra, exists: true}]},
    {name: "{{ .spec.name }}", data: {v: "{{ .spec.v }}"}}]}`

const wrongName = `configMaps[1].name: "NO NAME" is not a name that the kind can have`

// seen is what one cycle comes to.
type seen struct {
	Requests          []string
	Err               string
	Terminal          bool
	Ready, RolledBack string
}

// look runs a cycle.
func (h *harness) look(tb testing.TB) seen {
	tb.Helper()
	h.client.ClearActions()
	_, err := h.Reconcile(tb.Context(), h.work())
	got := seen{Terminal: errors.Is(err, reconcile.TerminalError(nil))}
	if err != nil {
		got.Err, _, _ = strings.Cut(strings.TrimPrefix(err.Error(), "terminal error: "), ": a lowercase")
	}
	for _, action := range h.client.Actions() {
		if action.GetVerb() != "list" && action.GetVerb() != "watch" {
			line := action.GetVerb() + " " + action.GetResource().Resource
			switch action := action.(type) {
			case clienttesting.CreateActionImpl:
				line += " " + action.GetObject().(metav1.Object).GetName()
			case clienttesting.DeleteActionImpl:
				line += " " + action.GetName()
			}
			got.Requests = append(got.Requests, line)
		}
	}
	got.Ready, got.RolledBack = h.told("Ready"), h.told(orkv1.ConditionRolledBack)
	return got
}

func (h *harness) work() work.Work {
	return work.Work{
		Item:   queue.Item{NamespacedName: types.NamespacedName{Namespace: "shop", Name: "w"}, GVK: h.set.GVK},
		Object: h.resource, Set: h.set, Box: h.set.Effective(""),
	}
}

// told is status and reason of a condition.
func (h *harness) told(conditionType string) string {
	condition := status.Find(status.Conditions(h.resource.Object), conditionType)
	if condition == nil {
		return ""
	}
	return string(condition.Status) + " " + condition.Reason
}

func (h *harness) message(conditionType string) string {
	condition := status.Find(status.Conditions(h.resource.Object), conditionType)
	if condition == nil {
		return ""
	}
	return condition.Message
}

// edit is somebody's change of the resource.
func (h *harness) edit(tb testing.TB, change func(*unstructured.Unstructured)) {
	tb.Helper()
	next := h.resource.DeepCopy()
	change(next)
	if err := h.client.Tracker().Update(h.Resource.GroupVersionResource, next, "shop"); err != nil {
		tb.Fatal(err)
	}
	h.resource = next
}

// want has somebody change the spec.
func (h *harness) want(tb testing.TB, spec map[string]any) {
	tb.Helper()
	h.edit(tb, func(next *unstructured.Unstructured) {
		next.Object["spec"] = spec
		next.SetGeneration(next.GetGeneration() + 1)
	})
}

// restart forgets what a process knows.
func (h *harness) restart() { h.Declarative = NewDeclarative(h.Options) }

// configMaps lists the ConfigMaps there are, with what they hold.
func (h *harness) configMaps(tb testing.TB) []string {
	tb.Helper()
	list, err := h.client.Resource(corev1.SchemeGroupVersion.WithResource("configmaps")).List(tb.Context(), metav1.ListOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	names := []string{}
	for _, one := range list.Items {
		v, _, _ := unstructured.NestedString(one.Object, "data", "v")
		names = append(names, strings.TrimSpace(one.GetName()+" "+v))
	}
	slices.Sort(names)
	return names
}

func (h *harness) events() []string {
	lines := []string{}
	for {
		select {
		case line := <-h.recorder.Events:
			lines = append(lines, strings.Join(strings.Fields(line)[:2], " "))
		default:
			return lines
		}
	}
}

func expectSeen(tb testing.TB, what string, want, got seen) {
	tb.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		tb.Errorf("%s: -want, +got:\n%s", what, diff)
	}
}

func expect(tb testing.TB, what string, want, got any) {
	tb.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		tb.Errorf("%s: -want, +got:\n%s", what, diff)
	}
}

func spec(name, v string) map[string]any { return map[string]any{"name": name, "v": v} }

func bad() map[string]any { return map[string]any{"name": "NO NAME", "v": "2", "extra": "yes"} }

// newFragile is a resource that has succeeded once, and whose present spec fails.
func newFragile(tb testing.TB, rollback string) *harness {
	tb.Helper()
	h := newHarness(tb, "{"+rollback+fragile+"}", spec("b", "1"))
	h.replaces()
	h.look(tb)
	h.events()
	h.want(tb, bad())
	return h
}

// replaces has the server in memory take what is applied to a ConfigMap for all of it.
func (h *harness) replaces() {
	h.client.PrependReactor("patch", "configmaps", func(action clienttesting.Action) (bool, runtime.Object, error) {
		applied := &unstructured.Unstructured{}
		if err := applied.UnmarshalJSON(action.(clienttesting.PatchAction).GetPatch()); err != nil {
			return true, nil, err
		}
		return true, applied, h.client.Tracker().Update(action.GetResource(), applied, action.GetNamespace())
	})
}

func TestDefect69Rollback(t *testing.T) {
	h := newHarness(t, "{rollBackOnError: true,"+fragile+"}", spec("b", "1"))
	rollbacks := 0
	h.RolledBack = func() { rollbacks++ }
	expectSeen(t, "the first success records the spec", seen{
		Requests: []string{"create configmaps once", "create configmaps b", "patch websites", "update websites"}, Ready: "True ReconcileSucceeded",
	}, h.look(t))
	expectSeen(t, "and is not recorded twice", seen{Ready: "True ReconcileSucceeded"}, h.look(t))

	h.want(t, bad())
	failing := seen{
		Requests: []string{"create configmaps extra", "update websites"},
		Err:      wrongName, Ready: "False InvalidDeclaration",
	}
	expectSeen(t, "a failure that a person has to mend is tried again, for it counts", failing, h.look(t))
	failing.Requests = nil
	expectSeen(t, "the second one asks nothing", failing, h.look(t))
	expect(t, "nobody is told of a rollback yet", []string{"Warning InvalidDeclaration"}, h.events())
	expectSeen(t, "the third one goes back at once", seen{
		Requests: []string{"patch websites", "delete configmaps extra", "update websites"},
		Err:      wrongName, Terminal: true,
		Ready: "False InvalidDeclaration", RolledBack: "True PreviousSpecApplied",
	}, h.look(t))
	expect(t, "what the failing generation had made is gone", []string{"b 1", "once 1"}, h.configMaps(t))
	expect(t, "events", []string{"Warning RolledBack"}, h.events())
	if message := h.message(orkv1.ConditionRolledBack); !strings.HasPrefix(message, "generation 2 failed 3 times in a row: "+wrongName) {
		t.Errorf("RolledBack says %q, want the generation and the error", message)
	}
	rolledBack := seen{Ready: "False InvalidDeclaration", RolledBack: "True PreviousSpecApplied"}
	expectSeen(t, "what is back costs nothing", rolledBack, h.look(t))

	h.restart()
	expectSeen(t, "also after a restart", rolledBack, h.look(t))
	marked := rolledBack
	h.edit(t, func(o *unstructured.Unstructured) { o.SetAnnotations(map[string]string{"theirs": "1"}) })
	marked.Requests = []string{"patch websites"}
	expectSeen(t, "somebody else's write does not end it", marked, h.look(t))
	expectSeen(t, "and is mended once", rolledBack, h.look(t))
	expect(t, "nobody is told again", []string{}, h.events())
	expect(t, "the counter", 1, rollbacks)

	h.want(t, spec("c", "3"))
	expectSeen(t, "a change of the spec ends it", seen{
		Requests: []string{"create configmaps c", "delete configmaps b", "patch websites", "update websites"},
		Ready:    "True ReconcileSucceeded",
	}, h.look(t))
	if _, still := h.resource.GetAnnotations()[orkv1.AnnotationRollbackAtGeneration]; still {
		t.Error("the mark of the rollback is still there")
	}
	expectSeen(t, "normal again", seen{Ready: "True ReconcileSucceeded"}, h.look(t))
}

// settleChildren waits until memory shows as many ConfigMaps of the resource.
func (h *harness) settleChildren(tb testing.TB, n int) {
	tb.Helper()
	kind, held := h.Children.Kind(corev1.SchemeGroupVersion.WithKind("ConfigMap"))
	if !held {
		return
	}
	for deadline := time.Now().Add(5 * time.Second); ; {
		owned, err := kind.Owned(owner(h.work()).Hash())
		if err != nil || len(owned) == n {
			return
		}
		if time.Now().After(deadline) {
			tb.Fatalf("memory shows %d children, want %d", len(owned), n)
		}
	}
}

func TestDefect69RollbackBackToTheOldSpecByHand(t *testing.T) {
	h := newFragile(t, "rollBackOnError: true,")
	for range 3 {
		h.look(t)
	}
	h.want(t, spec("b", "1"))
	expectSeen(t, "the spec is recorded already; only the mark goes", seen{
		Requests: []string{"patch websites", "update websites"}, Ready: "True ReconcileSucceeded",
	}, h.look(t))
}

func TestDefect69RollbackOfTheNextGeneration(t *testing.T) {
	h := newFragile(t, "rollback: {trigger: {consecutiveFailures: 1}},")
	for generation := 2; generation < 5; generation++ {
		got := h.look(t)
		expect(t, "it is rolled back as well", "True PreviousSpecApplied", got.RolledBack)
		expect(t, "and that is told", true, slices.Contains(h.events(), "Warning RolledBack"))
		expect(t, "it stays what the conditions say", seen{Ready: "False InvalidDeclaration", RolledBack: "True PreviousSpecApplied"}, h.look(t))
		h.want(t, map[string]any{"name": "NO NAME", "v": fmt.Sprint(generation)})
	}
	expect(t, "always to the last success", []string{"b 1", "once 1"}, h.configMaps(t))
}

func TestDefect69OnRollback(t *testing.T) {
	h := newFragile(t, `rollback: {trigger: {consecutiveFailures: 2}, onRollback: {configMaps: [
      {name: "{{ .previous.spec.name }}", data: {v: "{{ .previous.spec.v }} not {{ .spec.v }}"}, when: [{field: previous.spec.v, equals: "1"}]},
      {name: "notice", data: {v: "x"}}]}},`)
	h.look(t)
	got := h.look(t)
	expect(t, "the block is applied, and what it does not name stays", []string{"patch websites", "patch configmaps", "create configmaps notice", "update websites"}, got.Requests)
	expect(t, "children", []string{"b 1 not 2", "extra", "notice x", "once 1"}, h.configMaps(t))
	h.settleChildren(t, 4)
	expectSeen(t, "converged", seen{Ready: "False InvalidDeclaration", RolledBack: "True PreviousSpecApplied"}, h.look(t))
	h.want(t, spec("b", "3"))
	got = h.look(t)
	expect(t, "what only the rollback wanted goes with it", []string{"b 3", "once 1"}, h.configMaps(t))
	expect(t, "and so does the condition", "", got.RolledBack)
}

func TestDefect69OnRollbackCalls(t *testing.T) {
	h := newFragile(t, `rollback: {trigger: {consecutiveFailures: 2}, onRollback: {
      external: [{name: back, url: "http://back/{{ .previous.spec.v }}"}], when: [{field: external.back.body, equals: back}],
      configMaps: [{name: "notice", data: {v: "{{ .external.back.status }}"}}]}},`)
	calls := &outside{down: map[string]bool{"back": true}}
	h.Calls = calls
	h.look(t)
	expect(t, "nothing is called before there is a rollback", 0, len(calls.made))
	got := h.look(t)
	expect(t, "a call that fails ends the cycle", "True RollbackFailed", got.RolledBack)
	expect(t, "and is told", true, strings.Contains(h.message(orkv1.ConditionRolledBack), "external calls: back: down"))
	calls.down = nil
	got = h.look(t)
	expect(t, "it is made again", []string{"http://back/1", "http://back/1"}, calls.made)
	expect(t, "and the block reads what it came to", "True PreviousSpecApplied", got.RolledBack)
	expect(t, "children", []string{"b 1", "extra", "notice 200", "once 1"}, h.configMaps(t))
	calls.made = nil
	h.want(t, spec("b", "3"))
	h.look(t)
	expect(t, "with the rollback it ends", 0, len(calls.made))
}

func TestDefect69PreviousSpecIsNormalized(t *testing.T) {
	h := newFragile(t, "rollback: {trigger: {consecutiveFailures: 1}}, normalize: {spec: {v: '{{ .spec.v | trimSpace }}-n'}},")
	h.look(t)
	expect(t, "as every spec is", []string{"b 1-n", "once 1-n"}, h.configMaps(t))
}

func TestDefect69NothingToGoBackTo(t *testing.T) {
	cases := map[string]struct {
		reason  string
		prepare func(*testing.T, *harness)
		want    string
		message string
	}{
		"FirstGeneration": {
			reason: "no spec has succeeded", prepare: func(*testing.T, *harness) {},
			want: "False NoPreviousSpec", message: "no spec of the resource is known to have succeeded",
		},
		"Spoilt": {
			reason: "somebody wrote something else there",
			prepare: func(t *testing.T, h *harness) {
				t.Helper()
				h.edit(t, func(o *unstructured.Unstructured) {
					o.SetAnnotations(map[string]string{orkv1.AnnotationPreviousSpec: "x"})
				})
			},
			want: "False NoPreviousSpec", message: "the annotation orkestra.konductor.io/previous-spec is of no use: unpack: ",
		},
		"SameSpec": {
			reason: "what fails now has succeeded before",
			prepare: func(t *testing.T, h *harness) {
				t.Helper()
				encoded, err := specOf(h.resource)
				if err != nil {
					t.Fatal(err)
				}
				h.edit(t, func(o *unstructured.Unstructured) {
					o.SetAnnotations(map[string]string{orkv1.AnnotationPreviousSpec: zip(string(encoded))})
				})
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t, "{rollback: {trigger: {consecutiveFailures: 2}},"+fragile+"}", bad())
			tc.prepare(t, h)
			for range 4 {
				got := h.look(t)
				if got.RolledBack != tc.want || !got.Terminal || got.Ready != "False InvalidDeclaration" {
					t.Errorf("\n%s\nthe cycle comes to %+v, want RolledBack %q and an error as without a rollback", tc.reason, got, tc.want)
				}
			}
			if message := h.message(orkv1.ConditionRolledBack); !strings.Contains(message, tc.message) {
				t.Errorf("\n%s\nRolledBack says %q, want %q", tc.reason, message, tc.message)
			}
			expect(t, "events", []string{"Warning InvalidDeclaration"}, h.events())
		})
	}
}

func TestDefect69ReadsTheOlderDomain(t *testing.T) {
	h := newHarness(t, "{rollBackOnError: true,"+fragile+"}", bad())
	h.edit(t, func(o *unstructured.Unstructured) {
		o.SetAnnotations(map[string]string{
			orkv1.LegacyDomain + "previous-spec":          zip(`{"name":"b","v":"1"}`),
			orkv1.LegacyDomain + "rollback-at-generation": "1",
		})
	})
	expect(t, "a rollback of an older operator goes on", "True PreviousSpecApplied", h.look(t).RolledBack)
	expect(t, "children", []string{"b 1"}, h.configMaps(t))
}

func TestDefect69WhatCounts(t *testing.T) {
	refused := apierrors.NewInternalError(errors.New("no luck"))
	r := &box.Rollback{Failures: 3}
	cases := map[string]struct {
		reason string
		err    error
		want   bool
	}{
		"Server":     {"an answer of the server may be about the spec", refused, true},
		"Template":   {"so may a template", errors.New("template"), true},
		"Missing":    {"a kind that is not installed is not", fmt.Errorf("custom[0]: %w", &children.MissingKindError{}), false},
		"Unreadable": {"nor is one that may not be listed", fmt.Errorf("custom[0]: %w", &children.UnreadableKindError{}), false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := blamesSpec(tc.err); got != tc.want {
				t.Errorf("\n%s\nblamesSpec(%v) = %t, want %t", tc.reason, tc.err, got, tc.want)
			}
		})
	}
	start := time.Unix(1000, 0)
	at := func(seconds ...int) []time.Time {
		times := []time.Time{}
		for _, s := range seconds {
			times = append(times, start.Add(time.Duration(s)*time.Second))
		}
		return times
	}
	expect(t, "no more are kept than are needed", at(2, 3, 50), recent(at(0, 2, 3, 50), r))
	r.Within = 10 * time.Second
	expect(t, "and none that is too old", at(41, 50), recent(at(0, 2, 41, 50), r))
	expect(t, "the time is that from the first to the last", at(40, 41, 50), recent(at(40, 41, 50), r))
}

func TestDefect69WithinDuration(t *testing.T) {
	h := newFragile(t, "rollback: {trigger: {consecutiveFailures: 2, withinDuration: 10s}},")
	now := time.Unix(1000, 0)
	h.Now = func() time.Time { return now }
	for range 3 {
		expect(t, "failures that are too far from each other", "", h.look(t).RolledBack)
		now = now.Add(11 * time.Second)
	}
	h.look(t)
	now = now.Add(9 * time.Second)
	expect(t, "two of them", "True PreviousSpecApplied", h.look(t).RolledBack)
}

func TestDefect69ASuccessStartsCountingAnew(t *testing.T) {
	h := newFragile(t, "rollback: {trigger: {consecutiveFailures: 2}}, when: [{field: metadata.annotations.closed, notExists: true}],")
	open := func(annotations map[string]string) {
		h.edit(t, func(o *unstructured.Unstructured) {
			delete(annotations, "none")
			for key, value := range o.GetAnnotations() {
				if key != "closed" {
					annotations[key] = value
				}
			}
			o.SetAnnotations(annotations)
		})
	}
	h.look(t)
	open(map[string]string{"closed": "yes"})
	expect(t, "behind a closed gate nothing fails", "True ReconcileSucceeded", h.look(t).Ready)
	open(map[string]string{})
	expect(t, "one failure in a row", "", h.look(t).RolledBack)
	expect(t, "two of them", "True PreviousSpecApplied", h.look(t).RolledBack)
}

func TestDefect69NoRollbackWhileTheServerFails(t *testing.T) {
	h := newFragile(t, "rollback: {trigger: {consecutiveFailures: 1}},")
	down := true
	h.client.PrependReactor("patch", "websites", func(clienttesting.Action) (bool, runtime.Object, error) {
		return down, nil, apierrors.NewServiceUnavailable("down")
	})
	for range 2 {
		got := h.look(t)
		expect(t, "what can't be marked is tried again", seen{Err: wrongName, Ready: got.Ready}, seen{Err: got.Err, Terminal: got.Terminal, Ready: got.Ready, RolledBack: got.RolledBack})
	}
	down = false
	expect(t, "then it goes back", "True PreviousSpecApplied", h.look(t).RolledBack)
}

func TestDefect69TheWayBackFails(t *testing.T) {
	h := newFragile(t, "rollback: {trigger: {consecutiveFailures: 1}, onRollback: {configMaps: [{name: notice}]}},")
	refuse := true
	h.client.PrependReactor("create", "configmaps", func(action clienttesting.Action) (bool, runtime.Object, error) {
		if create, ok := action.(clienttesting.CreateAction); ok && refuse && create.GetObject().(metav1.Object).GetName() == "notice" {
			return true, nil, apierrors.NewInternalError(errors.New("no luck"))
		}
		return false, nil, nil
	})
	for range 2 {
		got := h.look(t)
		expect(t, "it is tried again, and Ready tells of the first error", []any{false, "False InvalidDeclaration", "True RollbackFailed"}, []any{got.Terminal, got.Ready, got.RolledBack})
		expect(t, "the error is the present one", true, strings.Contains(got.Err, "no luck"))
	}
	refuse = false
	expectSeen(t, "then it succeeds", seen{
		Requests: []string{"create configmaps notice", "update websites"}, Ready: "False InvalidDeclaration", RolledBack: "True PreviousSpecApplied",
	}, h.look(t))
}

func TestDefect69APanicCounts(t *testing.T) {
	h := newFragile(t, "rollback: {trigger: {consecutiveFailures: 1}},")
	h.Others = func() []*unstructured.Unstructured { return nil }
	h.client.PrependReactor("create", "configmaps", func(clienttesting.Action) (bool, runtime.Object, error) { panic("no luck") })
	func() {
		defer func() { expect(t, "the panic goes on", "no luck", recover()) }()
		h.look(t)
	}()
	expect(t, "the next cycle goes back", "True PreviousSpecApplied", h.look(t).RolledBack)
}

func TestDefect69SpecThatIsTooLarge(t *testing.T) {
	h := newHarness(t, "{rollBackOnError: true,"+fragile+"}", spec("b", "1"))
	h.replaces()
	h.look(t)
	h.want(t, map[string]any{"name": "b", "v": "2", "blob": incompressible()})
	got := h.look(t)
	expect(t, "it is no failure, and told", []string{"True ReconcileSucceeded", "False SpecNotRecorded"}, []string{got.Ready, got.RolledBack})
	if _, there := h.resource.GetAnnotations()[orkv1.AnnotationPreviousSpec]; there {
		t.Error("an older spec is still recorded: it is not the one that succeeded last")
	}
	expectSeen(t, "that costs no request again", seen{Ready: got.Ready, RolledBack: got.RolledBack}, h.look(t))
	h.want(t, bad())
	for range 4 {
		got = h.look(t)
	}
	expect(t, "there is nothing to go back to", "False NoPreviousSpec", got.RolledBack)
}

func TestDefect69DeletionWhileRolledBack(t *testing.T) {
	h := newFragile(t, "rollback: {trigger: {consecutiveFailures: 1}}, finalizers: [example.com/own],")
	h.look(t)
	h.edit(t, func(o *unstructured.Unstructured) {
		now := metav1.Now()
		o.SetDeletionTimestamp(&now)
		o.SetGeneration(o.GetGeneration() + 1)
	})
	if _, err := h.Reconcile(t.Context(), h.work()); err != nil {
		t.Fatal(err)
	}
	expect(t, "the resource is let go", 0, len(h.resource.GetFinalizers()))
}

func TestDefect69WithoutRollbackNothingIsPaid(t *testing.T) {
	h := newHarness(t, "{"+fragile+"}", spec("b", "1"))
	expect(t, "no request more", []string{"create configmaps once", "create configmaps b", "update websites"}, h.look(t).Requests)
	h.want(t, bad())
	for range 4 {
		got := h.look(t)
		expect(t, "and errors are as ever", []any{true, ""}, []any{got.Terminal, got.RolledBack})
	}
	expect(t, "nothing is remembered", 0, len(h.histories.of))
}

func TestDefect69WhatIsGoneIsForgotten(t *testing.T) {
	h := newFragile(t, "rollBackOnError: true,")
	h.look(t)
	gone := h.work()
	gone.Object = nil
	if _, err := h.Reconcile(t.Context(), gone); err != nil {
		t.Fatal(err)
	}
	expect(t, "histories", 0, len(h.histories.of))
}

func BenchmarkRecordedSpec(b *testing.B) {
	h := newHarness(b, "{rollBackOnError: true,"+strings.TrimPrefix(usual, "{"), map[string]any{"version": "1", "regions": []any{"eu", "us"}})
	h.cycle(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, requests := h.cycle(b); len(requests) > 0 {
			b.Fatal(requests)
		}
	}
}
