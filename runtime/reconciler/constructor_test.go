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
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/orkestra-runtime/orkestra/runtime/queue"
	"github.com/orkestra-runtime/orkestra/runtime/work"
)

const construct = `default: false, constructor: {location: example.com/own, function: New, args: {name: "{{ .metadata.name }}", of: "{{ .kind }}", days: 3}}`

// constructed is a harness whose box names a constructor, and its reconciler.
func constructed(t *testing.T, operatorBox string, with reconcile.Func) (*harness, *Constructor) {
	t.Helper()
	h := newHarness(t, operatorBox, map[string]any{"size": int64(3)})
	return h, NewConstructor(h.Declarative, with)
}

func (h *harness) hand(t *testing.T, to work.Reconciler) (work.Outcome, error) {
	t.Helper()
	h.client.ClearActions()
	return to.Reconcile(t.Context(), work.Work{
		Item:   queue.Item{NamespacedName: types.NamespacedName{Namespace: "shop", Name: "w"}, GVK: h.set.GVK},
		Object: h.resource, Set: h.set, Box: h.set.Effective(""),
	})
}

func TestConstructorForwardsWhatItsReconcilerReturns(t *testing.T) {
	broken := errors.New("broken")
	cases := map[string]struct {
		reason       string
		result       reconcile.Result
		err          error
		want         work.Outcome
		wantTerminal bool
	}{
		"Nothing":      {reason: "what the Katalog declares holds", want: work.Outcome{RequeueAfter: time.Hour}},
		"RequeueAfter": {reason: "Go's own time wins", result: reconcile.Result{RequeueAfter: time.Minute}, want: work.Outcome{RequeueAfter: time.Minute}},
		"Requeue":      {reason: "the deprecated field is forwarded", result: reconcile.Result{Requeue: true}, want: work.Outcome{RequeueAfter: time.Hour, Requeue: true}}, //nolint:staticcheck // forwarded as long as there is code that returns it
		"Error":        {reason: "is tried again", err: broken, want: work.Outcome{NotReady: true}},
		"Terminal":     {reason: "is not tried again", err: reconcile.TerminalError(broken), want: work.Outcome{NotReady: true}, wantTerminal: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			h, c := constructed(t, `{reconciler: {requeue: {after: 1h}, `+construct+`}}`,
				func(_ context.Context, r reconcile.Request) (reconcile.Result, error) {
					if r.String() != "shop/w" {
						t.Errorf("the request is for %s, want shop/w", r)
					}
					return tc.result, tc.err
				})
			for range 2 {
				got, err := h.hand(t, c)
				if (err == nil) != (tc.err == nil) || tc.err != nil && !errors.Is(err, broken) || errors.Is(err, reconcile.TerminalError(nil)) != tc.wantTerminal {
					t.Errorf("\n%s\nReconcile(...) = %v", tc.reason, err)
				}
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
				}
				if requests := h.requests(); len(requests) > 0 {
					t.Errorf("\n%s\nrequests %v: status and finalizers are the reconciler's", tc.reason, requests)
				}
			}
			var events []string
			for len(h.recorder.Events) > 0 {
				events = append(events, <-h.recorder.Events)
			}
			if tc.err == nil && len(events) > 0 || tc.err != nil && (len(events) != 1 || !strings.Contains(events[0], "constructor: broken")) {
				t.Errorf("\n%s\nevents %v, want one of a failure that begins", tc.reason, events)
			}
		})
	}
}

func TestConstructorDoesWhatIsDeclared(t *testing.T) {
	h, c := constructed(t, `{finalizers: [example.com/mine], status: {fields: [{path: size, value: "{{ .spec.size }}", type: int}]}, reconciler: {`+construct+`}}`,
		func(context.Context, reconcile.Request) (reconcile.Result, error) { return reconcile.Result{}, nil })
	if _, err := h.hand(t, c); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"patch websites", "update websites"}, h.requests()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if diff := cmp.Diff(map[string]any{"size": int64(3)}, h.resource.Object["status"]); diff != "" {
		t.Errorf("the status holds what is declared: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"example.com/mine"}, h.resource.GetFinalizers()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// The reconciler deals with a deletion first, and what is declared to be the runtime's is done when it has no more to do.
func TestConstructorOfADeletedResource(t *testing.T) {
	result := reconcile.Result{RequeueAfter: time.Minute}
	calls := 0
	h, c := constructed(t, `{finalizers: [example.com/mine], reconciler: {`+construct+`}}`,
		func(context.Context, reconcile.Request) (reconcile.Result, error) { calls++; return result, nil })
	if _, err := h.hand(t, c); err != nil {
		t.Fatal(err)
	}
	h.resource.SetDeletionTimestamp(&metav1.Time{Time: time.Now()})
	outcome, err := h.hand(t, c)
	if err != nil || outcome.RequeueAfter != time.Minute || len(h.resource.GetFinalizers()) != 1 {
		t.Errorf("outcome %+v, %v with finalizers %v; want to wait", outcome, err, h.resource.GetFinalizers())
	}
	result = reconcile.Result{}
	if _, err := h.hand(t, c); err != nil || len(h.resource.GetFinalizers()) != 0 || calls != 3 {
		t.Errorf("%v with finalizers %v after %d calls; want the resource to go", err, h.resource.GetFinalizers(), calls)
	}
	h.resource = nil
	if _, err := h.hand(t, c); err != nil || calls != 4 {
		t.Errorf("%v after %d calls; want the reconciler to be told that the resource is gone", err, calls)
	}
}

func TestConstructorIsNotAskedForWhatRulesDeny(t *testing.T) {
	set := compileEntry(t, `validation: {rules: [{field: spec.size, greaterThan: "5", message: "too small"}]}, operatorBox: {reconciler: {`+construct+`}}`)
	h, c := constructed(t, `{}`, func(context.Context, reconcile.Request) (reconcile.Result, error) {
		t.Error("the reconciler is called")
		return reconcile.Result{}, nil
	})
	h.set = set
	outcome, err := h.hand(t, c)
	if err != nil || !outcome.Denied {
		t.Errorf("outcome %+v, %v; want a denial", outcome, err)
	}
	if len(h.recorder.Events) != 1 {
		t.Errorf("%d events, want one that tells of it", len(h.recorder.Events))
	}
}

func TestConstructorOfAClosedBoxDoesNotRun(t *testing.T) {
	h, c := constructed(t, `{when: [{field: spec.size, equals: "4"}], finalizers: [example.com/mine], reconciler: {`+construct+`}}`,
		func(context.Context, reconcile.Request) (reconcile.Result, error) {
			t.Error("the reconciler is called")
			return reconcile.Result{}, nil
		})
	if _, err := h.hand(t, c); err != nil || len(h.requests()) > 0 {
		t.Errorf("%v with requests %v; want nothing to happen", err, h.requests())
	}
}

func TestConstructorArgs(t *testing.T) {
	set := compile(t, `{reconciler: {`+construct+`}}`)
	all := ArgsOf(set, set.Effective("").Constructor, time.Now)
	if all.Int("days") != 3 || all.String("name") != "{{ .metadata.name }}" {
		t.Errorf("before there is a resource, days is %d and name %q", all.Int("days"), all.String("name"))
	}
	resource := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": "w"}}}
	rendered, err := all.For(resource)
	if err != nil || rendered.String("name") != "w" || rendered.String("of") != "Website" || rendered.Int("days") != 3 {
		t.Errorf("For(w) = %v, %v", rendered, err)
	}
	if resource.GetKind() != "" {
		t.Error("the caller's resource is changed")
	}
}
