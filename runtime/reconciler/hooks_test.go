package reconciler

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/status"
	"github.com/orkestra-runtime/orkestra/runtime/hook"
	"github.com/orkestra-runtime/orkestra/runtime/queue"
	"github.com/orkestra-runtime/orkestra/runtime/work"
)

type request = hook.Request[*unstructured.Unstructured]

// hooked is a harness whose box names the hook example.com/hooks.W.
func hooked(t *testing.T, operatorBox string, hooks hook.Hooks[*unstructured.Unstructured]) *harness {
	t.Helper()
	h := newHarness(t, operatorBox, map[string]any{"size": int64(3)})
	h.Hooks = map[string]*hook.Hook{"example.com/hooks.W": hook.New(hooks)}
	return h
}

// run reconciles the resource.
func (h *harness) run(t *testing.T) (work.Outcome, error) {
	t.Helper()
	h.client.ClearActions()
	return h.Reconcile(t.Context(), work.Work{
		Item:   queue.Item{NamespacedName: types.NamespacedName{Namespace: "shop", Name: "w"}, GVK: h.set.GVK},
		Object: h.resource, Set: h.set, Box: h.set.Effective(""),
	})
}

// requests are what the last cycle has asked of the server.
func (h *harness) requests() []string {
	requests := []string{}
	for _, action := range h.client.Actions() {
		if action.GetVerb() != "list" && action.GetVerb() != "watch" {
			requests = append(requests, action.GetVerb()+" "+action.GetResource().Resource)
		}
	}
	return requests
}

// summary is what the condition Ready says.
func (h *harness) summary() (state metav1.ConditionStatus, reason, message string) {
	condition := status.Find(status.Conditions(h.resource.Object), orkv1.ConditionReady)
	if condition == nil {
		return "", "", ""
	}
	return condition.Status, condition.Reason, condition.Message
}

const withConfigMap = `onReconcile: {configMaps: [{name: made, data: {size: "{{ .spec.size }}"}}]}, `

func TestHookRunsAfterTheChildren(t *testing.T) {
	cases := map[string]struct {
		reason string
		first  string
		want   []string
	}{
		"Default": {reason: "a hook sees the children of the cycle", want: []string{"create configmaps", "hook"}},
		"First":   {reason: "children may need what the hook makes", first: ", runHooksFirst: true", want: []string{"hook"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var seen []string
			var h *harness
			h = hooked(t, `{`+withConfigMap+`reconciler: {hooks: {location: example.com/hooks, function: W`+tc.first+`}}}`,
				hook.Hooks[*unstructured.Unstructured]{OnReconcile: func(context.Context, *request) (reconcile.Result, error) {
					seen = append(h.requests(), "hook")
					return reconcile.Result{}, nil
				}})
			if _, err := h.run(t); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, seen); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
			if !slices.Contains(h.requests(), "create configmaps") {
				t.Error("the declared child is not made")
			}
		})
	}
}

// Texts are rendered at any depth, single expressions keep their type, and what is no text passes as it is.
func TestHookArgsAreRenderedForTheResource(t *testing.T) {
	var got map[string]any
	h := hooked(t, `{`+withConfigMap+`reconciler: {hooks: {location: example.com/hooks, function: W, args: {
		name: "{{ .metadata.name }}-x", size: "{{ .spec.size }}", days: 30, on: true, tls: {of: ["{{ .kind }}"]},
		child: "{{ .children.configmap.data.size }}"}}}}`,
		hook.Hooks[*unstructured.Unstructured]{OnReconcile: func(_ context.Context, r *request) (reconcile.Result, error) {
			var config struct {
				Name, Child string
				Size, Days  int
				On          bool
				TLS         struct{ Of []string }
			}
			err := r.Args.Bind(&config)
			got = map[string]any{"name": config.Name, "size": config.Size, "days": config.Days, "on": config.On, "of": config.TLS.Of, "child": config.Child}
			return reconcile.Result{}, err
		}})
	if _, err := h.run(t); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"name": "w-x", "size": 3, "days": 30, "on": true, "of": []string{"Website"}, "child": "3"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func TestHookResult(t *testing.T) {
	broken := errors.New("broken")
	cases := map[string]struct {
		reason       string
		result       reconcile.Result
		err          error
		wantAfter    time.Duration
		wantRequeue  bool
		wantTerminal bool
		wantReason   string
		wantStalled  bool
		wantMessage  string
	}{
		"Nothing":      {reason: "what the Katalog declares holds", wantAfter: time.Hour, wantReason: orkv1.ReasonReconcileSucceeded},
		"RequeueAfter": {reason: "Go's own time wins", result: reconcile.Result{RequeueAfter: time.Minute}, wantAfter: time.Minute, wantReason: orkv1.ReasonReconcileSucceeded},
		"Requeue":      {reason: "the deprecated field is forwarded", result: reconcile.Result{Requeue: true}, wantAfter: time.Hour, wantRequeue: true, wantReason: orkv1.ReasonReconcileSucceeded}, //nolint:staticcheck // forwarded as long as there is code that returns it
		"Error":        {reason: "is tried again", err: broken, wantReason: orkv1.ReasonReconcileError, wantMessage: "hook OnReconcile: broken"},
		"Terminal":     {reason: "is not tried again, and a person must act", err: reconcile.TerminalError(broken), wantTerminal: true, wantReason: orkv1.ReasonReconcileError, wantStalled: true, wantMessage: "hook OnReconcile: broken"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			h := hooked(t, `{reconciler: {requeue: {after: 1h}, hooks: {location: example.com/hooks, function: W}}}`,
				hook.Hooks[*unstructured.Unstructured]{OnReconcile: func(context.Context, *request) (reconcile.Result, error) { return tc.result, tc.err }})
			outcome, err := h.run(t)
			if tc.err == nil && (outcome.RequeueAfter != tc.wantAfter || outcome.Requeue != tc.wantRequeue) {
				t.Errorf("\n%s\nrequeue after %s, and with back-off %t; want %s and %t", tc.reason, outcome.RequeueAfter, outcome.Requeue, tc.wantAfter, tc.wantRequeue)
			}
			if (err == nil) != (tc.err == nil) || errors.Is(err, reconcile.TerminalError(nil)) != tc.wantTerminal || tc.err != nil && !errors.Is(err, broken) {
				t.Errorf("\n%s\nReconcile(...) = %v", tc.reason, err)
			}
			_, reason, message := h.summary()
			if reason != tc.wantReason || message != tc.wantMessage || status.IsTrue(h.resource, orkv1.ConditionStalled) != tc.wantStalled {
				t.Errorf("\n%s\nReady says %s: %s, want %s: %s", tc.reason, reason, message, tc.wantReason, tc.wantMessage)
			}
		})
	}
}

// The hook has a copy, and the spec that normalize makes.
func TestHookSeesTheEffectiveResource(t *testing.T) {
	set := compileEntry(t, `normalize: {spec: {size: "{{ add .spec.size 1 }}"}}, operatorBox: {reconciler: {hooks: {location: example.com/hooks, function: W}}}`)
	h := hooked(t, `{}`, hook.Hooks[*unstructured.Unstructured]{OnReconcile: func(_ context.Context, r *request) (reconcile.Result, error) {
		size, _, _ := unstructured.NestedFieldNoCopy(r.Object.Object, "spec", "size")
		if text, ok := size.(string); ok && text != "4" || size == int64(3) {
			t.Errorf("spec.size is %v, want what normalize makes of it", size)
		}
		r.Object.Object["spec"] = "ruined"
		return reconcile.Result{}, nil
	}})
	h.set = set
	if _, err := h.run(t); err != nil {
		t.Fatal(err)
	}
	if size, _, _ := unstructured.NestedInt64(h.resource.Object, "spec", "size"); size != 3 {
		t.Errorf("the resource in memory has size %d, want it untouched", size)
	}
}

func TestHookOfAClosedBoxDoesNotRun(t *testing.T) {
	h := hooked(t, `{when: [{field: spec.size, equals: "4"}], reconciler: {hooks: {location: example.com/hooks, function: W}}}`,
		hook.Hooks[*unstructured.Unstructured]{OnReconcile: func(context.Context, *request) (reconcile.Result, error) {
			t.Error("the hook runs behind a closed gate")
			return reconcile.Result{}, nil
		}})
	if _, err := h.run(t); err != nil {
		t.Fatal(err)
	}
}

func TestDefect61HookAndBlockBothRunWhenAResourceIsDeleted(t *testing.T) {
	cases := map[string]struct {
		reason string
		first  string
		want   []string
	}{
		"BlockFirst": {reason: "by default what the block deletes is gone when the hook runs", want: []string{"block", "hook"}},
		"HookFirst":  {reason: "the hook may need what the block deletes", first: ", runHooksFirst: true", want: []string{"hook", "block"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var seen []string
			note := func(what string) {
				if !slices.Contains(seen, what) {
					seen = append(seen, what)
				}
			}
			fails := true
			var h *harness
			noteDeletion := func() {
				if slices.Contains(h.requests(), "delete configmaps") {
					note("block")
				}
			}
			h = hooked(t, `{`+withConfigMap+`onDelete: {configMaps: [{name: made}]}, reconciler: {hooks: {location: example.com/hooks, function: W`+tc.first+`}}}`,
				hook.Hooks[*unstructured.Unstructured]{OnDelete: func(context.Context, *request) (reconcile.Result, error) {
					noteDeletion()
					note("hook")
					if fails {
						return reconcile.Result{}, errors.New("the bucket is not empty")
					}
					return reconcile.Result{}, nil
				}})
			if _, err := h.run(t); err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(h.resource.GetFinalizers(), orkv1.Finalizer) {
				t.Fatalf("finalizers %v: nothing keeps the resource for the hook", h.resource.GetFinalizers())
			}
			h.resource.SetDeletionTimestamp(&metav1.Time{Time: time.Now()})
			until := func(done func(err error) bool) {
				t.Helper()
				err := wait.PollUntilContextTimeout(t.Context(), 5*time.Millisecond, 10*time.Second, true, func(context.Context) (bool, error) {
					_, err := h.run(t)
					noteDeletion()
					return done(err), nil
				})
				if err != nil {
					t.Fatalf("it does not come so far: %v, finalizers %v", seen, h.resource.GetFinalizers())
				}
			}
			until(func(err error) bool {
				return err != nil && strings.Contains(err.Error(), "hook OnDelete: the bucket is not empty")
			})
			if state, reason, message := h.summary(); state != metav1.ConditionFalse || reason != orkv1.ReasonDeleteError || !strings.HasSuffix(message, "the bucket is not empty") {
				t.Errorf("Ready is %s, %s: %s; want the error of the deletion", state, reason, message)
			}
			fails = false
			until(func(err error) bool { return err == nil && len(h.resource.GetFinalizers()) == 0 })
			if diff := cmp.Diff(tc.want, seen); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestHookKeepsADeletedResourceUntilItIsDone(t *testing.T) {
	result := reconcile.Result{RequeueAfter: time.Minute}
	h := hooked(t, `{reconciler: {hooks: {location: example.com/hooks, function: W}}}`,
		hook.Hooks[*unstructured.Unstructured]{OnDelete: func(context.Context, *request) (reconcile.Result, error) { return result, nil }})
	if _, err := h.run(t); err != nil {
		t.Fatal(err)
	}
	h.resource.SetDeletionTimestamp(&metav1.Time{Time: time.Now()})
	outcome, err := h.run(t)
	if err != nil || outcome.RequeueAfter != time.Minute || outcome.Waiting == "" || len(h.resource.GetFinalizers()) != 1 {
		t.Errorf("outcome %+v, %v with finalizers %v; want to wait a minute", outcome, err, h.resource.GetFinalizers())
	}
	result = reconcile.Result{}
	if _, err = h.run(t); err != nil || len(h.resource.GetFinalizers()) != 0 {
		t.Errorf("%v with finalizers %v; want the resource to go", err, h.resource.GetFinalizers())
	}
}

func TestHookIsToldOfAResourceThatIsGone(t *testing.T) {
	var told []types.NamespacedName
	h := hooked(t, `{reconciler: {hooks: {location: example.com/hooks, function: W}}}`,
		hook.Hooks[*unstructured.Unstructured]{OnNotFound: func(_ context.Context, name types.NamespacedName) error {
			told = append(told, name)
			return nil
		}})
	h.resource = nil
	if _, err := h.run(t); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]types.NamespacedName{{Namespace: "shop", Name: "w"}}, told); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
