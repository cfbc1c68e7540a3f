package reconciler

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/status"
	"github.com/orkestra-runtime/orkestra/providers"
	"github.com/orkestra-runtime/orkestra/runtime/hook"
)

// ledger is a provider that keeps what it is asked for, as the contract wants it: both methods may be called any number of times.
type ledger struct {
	name string
	// fail is asked before anything is done.
	fail func(ctx context.Context, r providers.Request, deletes bool) error

	mu   sync.Mutex // guards the rest
	kept map[string]map[string]string
	log  []string
	last providers.Request
}

func (l *ledger) Name() string { return l.name }

func (l *ledger) Reconcile(ctx context.Context, r providers.ReconcileRequest) error {
	return l.do(ctx, r.Request, false)
}

func (l *ledger) Delete(ctx context.Context, r providers.DeleteRequest) error {
	return l.do(ctx, r.Request, true)
}

func (l *ledger) do(ctx context.Context, r providers.Request, deletes bool) error {
	if l.fail != nil {
		if err := l.fail(ctx, r, deletes); err != nil {
			return err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last = r
	if l.kept == nil {
		l.kept = map[string]map[string]string{}
	}
	for _, one := range r.Declarations {
		name := one.Kind + " " + one.Fields["name"]
		if deletes {
			l.log = append(l.log, l.name+": delete "+name)
			delete(l.kept, name)
			continue
		}
		l.log = append(l.log, l.name+": "+name)
		l.kept[name] = one.Fields
	}
	return nil
}

// names are those of what is kept, sorted.
func (l *ledger) names() []string { return slices.Sorted(maps.Keys(l.kept)) }

// withProviders is a harness of a box with providers.
func withProviders(t *testing.T, operatorBox string, all ...*ledger) *harness {
	t.Helper()
	h := newHarness(t, operatorBox, map[string]any{"size": int64(3), "name": "orders"})
	h.give(t, all...)
	return h
}

func (h *harness) give(t *testing.T, all ...*ledger) {
	t.Helper()
	var list []providers.Provider
	for _, one := range all {
		list = append(list, one)
	}
	var err error
	if h.Providers, err = providers.NewRegistry(list...); err != nil {
		t.Fatal(err)
	}
}

// remove has the resource deleted.
func (h *harness) remove() { h.resource.SetDeletionTimestamp(&metav1.Time{Time: time.Now()}) }

func TestProvidersAreAskedInOrder(t *testing.T) {
	var order []string
	store := &ledger{name: "store"}
	other := &ledger{name: "other", fail: func(context.Context, providers.Request, bool) error {
		order = append(order, "other")
		return nil
	}}
	var h *harness
	store.fail = func(context.Context, providers.Request, bool) error {
		order = append(order, append(h.requests(), "store")...)
		return nil
	}
	h = hooked(t, `{`+withConfigMap+`providers: {store: [{bucket: {name: "{{ .children.configmap.data.size }}"}}, {queue: {name: q}}], other: [{x: {}}]},
		reconciler: {hooks: {location: example.com/hooks, function: W}}}`, hook.Hooks[*unstructured.Unstructured]{
		OnReconcile: func(context.Context, *request) (reconcile.Result, error) {
			order = append(order, "hook")
			return reconcile.Result{}, nil
		},
	})
	h.give(t, store, other)
	h.ProviderAuth = map[string]map[string]string{"store": {"key": "s3cret"}}
	outcome, err := h.run(t)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"other", "patch websites", "create configmaps", "store", "hook"}, order); diff != "" {
		t.Errorf("after the children, by name, and before the hook: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"bucket 3", "queue q"}, store.names()); diff != "" {
		t.Errorf("fields see the children of the same cycle: -want, +got:\n%s", diff)
	}
	want := []string{"provider other is to bring about x", "provider store is to bring about bucket, queue"}
	if diff := cmp.Diff(want, outcome.Steps); diff != "" {
		t.Errorf("whoever explains the cycle is told: -want, +got:\n%s", diff)
	}
	r := store.last
	if r.Owner != "Website.web.example.com/shop/w" || r.OwnerName != "w" || r.OwnerNamespace != "shop" || r.Auth["key"] != "s3cret" {
		t.Errorf("the request names %s, %s, %s and has %v", r.Owner, r.OwnerName, r.OwnerNamespace, r.Auth)
	}
	if size, _, _ := unstructured.NestedString(r.Object, "children", "configmap", "data", "size"); size != "3" {
		t.Errorf("the object has the children %v", r.Object["children"])
	}
	if _, there := h.resource.Object["children"]; there {
		t.Error("the resource in memory has children")
	}
}

// What a condition switches off is not asked for any more, and taken away with all the rest.
func TestProviderConditions(t *testing.T) {
	store := &ledger{name: "store"}
	h := withProviders(t, `{providers: {store: [{bucket: {name: a}}, {bucket: {name: b}, when: [{field: spec.size, greaterThan: "2"}]},
		{bucket: {name: c}, or: [{field: spec.size, equals: "9"}]}]}}`, store)
	if _, err := h.run(t); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"bucket a", "bucket b"}, store.names()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if !slices.Contains(h.resource.GetFinalizers(), orkv1.Finalizer) {
		t.Fatalf("finalizers %v: nothing keeps the resource for its provider", h.resource.GetFinalizers())
	}
	if err := unstructured.SetNestedField(h.resource.Object, int64(1), "spec", "size"); err != nil {
		t.Fatal(err)
	}
	store.log = nil
	if _, err := h.run(t); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"store: bucket a"}, store.log); diff != "" {
		t.Errorf("b is asked for although its condition is false: -want, +got:\n%s", diff)
	}
	store.log = nil
	h.remove()
	if _, err := h.run(t); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"store: delete bucket a", "store: delete bucket b", "store: delete bucket c"}, store.log); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if left := h.resource.GetFinalizers(); len(left) > 0 {
		t.Errorf("finalizers %v: nothing is left, and the resource does not go", left)
	}
}

func TestProvidersOfAClosedBoxAreNotAsked(t *testing.T) {
	store := &ledger{name: "store"}
	h := withProviders(t, `{when: [{field: spec.size, equals: "9"}], providers: {store: [{bucket: {name: a}}]}}`, store)
	if _, err := h.run(t); err != nil || len(store.log) > 0 {
		t.Errorf("%v, and asked for %v", err, store.log)
	}
}

func TestProviderErrors(t *testing.T) {
	const declared = `{providers: {first: [{role: {name: r}}], store: [{bucket: {name: "{{ .spec.name }}"}}, {queue: {name: q}}], third: [{x: {}}]}}`
	cases := map[string]struct {
		reason  string
		fail    func(context.Context, providers.Request) error
		want    string
		failed  []string
		stalled bool
		panics  int
	}{
		"Plain": {
			reason: "an error that does not tell of what it is may be about all", fail: func(context.Context, providers.Request) error { return errors.New("connection refused") },
			want: "providers: store: bucket, queue: connection refused", failed: []string{"bucket", "queue"},
		},
		"OfOne": {
			reason: "one that tells is about that", fail: func(_ context.Context, r providers.Request) error {
				return r.Declarations[1].Failed(errors.New("is full"))
			},
			want: "providers: store: queue: is full", failed: []string{"queue"},
		},
		"Field": {
			reason: "what no further try mends is not tried again", fail: func(_ context.Context, r providers.Request) error {
				_, err := r.Declarations[0].Require("region")
				return err
			},
			want: "providers: store: bucket: field region is required and empty", failed: []string{"bucket"}, stalled: true,
		},
		"Auth": {
			reason: "credentials are for nobody else", fail: func(_ context.Context, r providers.Request) error {
				return fmt.Errorf("login with %s failed", r.Auth["key"])
			},
			want: "providers: store: bucket, queue: login with [redacted] failed", failed: []string{"bucket", "queue"},
		},
		"Secret": {
			reason: "and neither is what it read of a Secret", fail: func(ctx context.Context, r providers.Request) error {
				data, err := r.Kube.GetSecret(ctx, "shop", "db")
				return fmt.Errorf("login with %s failed: %w", data["password"], err)
			},
			want: "providers: store: bucket, queue: login with [redacted] failed: %!w(<nil>)", failed: []string{"bucket", "queue"},
		},
		"Panic": {
			reason: "a panic is an error of this resource", fail: func(_ context.Context, r providers.Request) error { panic("no " + r.Auth["key"]) },
			want: "providers: store: bucket, queue: panic: no [redacted]", failed: []string{"bucket", "queue"}, panics: 1,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			first, third := &ledger{name: "first"}, &ledger{name: "third"}
			store := &ledger{name: "store", fail: func(ctx context.Context, r providers.Request, _ bool) error { return tc.fail(ctx, r) }}
			h := withProviders(t, declared, first, store, third)
			h.ProviderAuth, h.Kube = map[string]map[string]string{"store": {"key": "s3cret"}}, secretReader{"password": []byte("hunter2")}
			var failed []string
			panics := 0
			h.Asked = func(one Asked) {
				if one.Failed {
					failed = append(failed, one.Kind)
				}
			}
			h.Panicked = func() { panics++ }
			_, err := h.run(t)
			if errors.Is(err, reconcile.TerminalError(nil)) != tc.stalled {
				t.Errorf("\n%s\nReconcile(...): %v", tc.reason, err)
			}
			if _, reason, message := h.summary(); reason != orkv1.ReasonProviderError || message != tc.want {
				t.Errorf("\n%s\nReady says %s: %s, want %s", tc.reason, reason, message, tc.want)
			}
			if status.IsTrue(h.resource, orkv1.ConditionStalled) != tc.stalled {
				t.Errorf("\n%s\nStalled is %t", tc.reason, !tc.stalled)
			}
			if diff := cmp.Diff(tc.failed, failed); diff != "" || panics != tc.panics {
				t.Errorf("\n%s\n%d panics, -want, +got:\n%s", tc.reason, panics, diff)
			}
			if len(first.log) != 1 || len(third.log) != 0 {
				t.Errorf("\nwhat comes before it is done, what comes after it is not: %v, %v", first.log, third.log)
			}
		})
	}
}

// secretReader has one Secret.
type secretReader map[string][]byte

func (s secretReader) GetSecret(context.Context, string, string) (map[string][]byte, error) {
	return s, nil
}

func (s secretReader) GetConfigMap(context.Context, string, string) (map[string]string, error) {
	return nil, errors.New("there is none")
}

// A provider that the program does not have and the Katalog does not require: the rest is done, and the resource is not said to be ready.
func TestProviderMissing(t *testing.T) {
	h := withProviders(t, `{`+withConfigMap+`providers: {store: [{bucket: {name: a}}]}}`)
	if _, err := h.run(t); err != nil {
		t.Fatal(err)
	}
	state, reason, message := h.summary()
	if state != metav1.ConditionFalse || reason != orkv1.ReasonProviderMissing || !strings.Contains(message, "the provider store is not registered") {
		t.Errorf("Ready is %s, %s: %s", state, reason, message)
	}
	if len(h.resource.GetFinalizers()) > 0 {
		t.Errorf("finalizers %v for nothing", h.resource.GetFinalizers())
	}
	// What a program that had it made must not be forgotten.
	h.resource.SetFinalizers([]string{orkv1.Finalizer})
	h.remove()
	_, _ = h.run(t)
	_, reason, message = h.summary()
	want := "providers: store: is not registered in this program, and what it may have made would be left behind; mend it, or remove the finalizer " +
		orkv1.Finalizer + " by hand and leave it behind"
	if reason != orkv1.ReasonDeleteError || message != want || len(h.resource.GetFinalizers()) != 1 {
		t.Errorf("Ready says %s: %s, with finalizers %v", reason, message, h.resource.GetFinalizers())
	}
}

// What only another program could do keeps nothing back that comes after a success.
func TestProviderMissingIsNoFailure(t *testing.T) {
	const url = "https://a.example.com/a"
	h := withProviders(t, `{onReconcile: {git: {repo: "`+url+`"}}, providers: {store: [{bucket: {name: a}}]}, reconciler: {requeue: {after: 7m}}}`)
	h.Checkouts = &repositories{commits: map[string]string{url: "c1"}}
	outcome, _ := h.cycle(t)
	if lastCommitOf(h.resource) != "c1" || outcome.RequeueAfter != 7*time.Minute {
		t.Errorf("commit %q, requeue after %s", lastCommitOf(h.resource), outcome.RequeueAfter)
	}
}

// A resource that goes back to an earlier spec goes back to what providers made of that.
func TestRollbackAsksProviders(t *testing.T) {
	store := &ledger{name: "store"}
	h := newHarness(t, `{rollback: {trigger: {consecutiveFailures: 1}}, onReconcile: {configMaps: [{name: "{{ .spec.name }}"}]}, providers: {store: [{bucket: {name: a, size: "{{ .spec.v }}"}}]}}`, spec("b", "1"))
	h.give(t, store)
	h.look(t)
	h.want(t, spec("b", "2"))
	store.fail = func(_ context.Context, r providers.Request, _ bool) error {
		if r.Declarations[0].Fields["size"] == "2" {
			return errors.New("too large")
		}
		return nil
	}
	h.look(t)
	h.want(t, spec("NO NAME", "3"))
	store.kept = nil
	h.look(t)
	if got := store.kept["bucket a"]["size"]; got != "1" {
		t.Errorf("the bucket has the size %q, want that of the spec that succeeded: %v", got, store.log)
	}
}

func TestDefect62ProvidersDeleteWithoutOnDelete(t *testing.T) {
	down := true
	var order []string
	fail := func(_ context.Context, r providers.Request, deletes bool) error {
		switch {
		case !deletes:
			return nil
		case down && r.Declarations[0].Kind == "cluster":
			return errors.New("it has databases")
		}
		order = append(order, r.Declarations[0].Kind)
		return nil
	}
	cloud, store := &ledger{name: "cloud", fail: fail}, &ledger{name: "store", fail: fail}
	h := withProviders(t, `{providers: {cloud: [{cluster: {name: c}}], store: [{bucket: {name: "{{ .spec.name }}"}}]}}`, cloud, store)
	if _, err := h.run(t); err != nil {
		t.Fatal(err)
	}
	h.remove()
	_, err := h.run(t)
	const want = "providers: cloud: cluster: it has databases"
	if err == nil || err.Error() != want || errors.Is(err, reconcile.TerminalError(nil)) {
		t.Errorf("Reconcile(...): %v, want %s, which is tried again", err, want)
	}
	if state, reason, message := h.summary(); state != metav1.ConditionFalse || reason != orkv1.ReasonDeleteError || message != want {
		t.Errorf("Ready is %s, %s: %s", state, reason, message)
	}
	if len(h.resource.GetFinalizers()) != 1 {
		t.Errorf("finalizers %v: the resource goes, and its cluster stays", h.resource.GetFinalizers())
	}
	down = false
	if _, err := h.run(t); err != nil || len(h.resource.GetFinalizers()) > 0 {
		t.Errorf("%v with finalizers %v, want the resource to go", err, h.resource.GetFinalizers())
	}
	if diff := cmp.Diff([]string{"bucket", "bucket", "cluster"}, order); diff != "" {
		t.Errorf("the last comes first: -want, +got:\n%s", diff)
	}
	if len(cloud.kept)+len(store.kept) > 0 {
		t.Errorf("left are %v and %v", cloud.names(), store.names())
	}
}

// onDelete, the hook and the providers all run, in this order.
func TestDefect61OnDeleteHookAndProvidersAllRun(t *testing.T) {
	var seen []string
	var h *harness
	note := func(what string) {
		if !slices.Contains(seen, what) {
			seen = append(seen, what)
		}
	}
	noteDeletion := func() {
		if slices.Contains(h.requests(), "delete configmaps") {
			note("block")
		}
	}
	store := &ledger{name: "store", fail: func(_ context.Context, _ providers.Request, deletes bool) error {
		if deletes {
			note("provider")
		}
		return nil
	}}
	h = hooked(t, `{`+withConfigMap+`onDelete: {configMaps: [{name: made}]}, providers: {store: [{bucket: {name: a}}]},
		reconciler: {hooks: {location: example.com/hooks, function: W}}}`, hook.Hooks[*unstructured.Unstructured]{
		OnDelete: func(context.Context, *request) (reconcile.Result, error) {
			noteDeletion()
			note("hook")
			return reconcile.Result{}, nil
		},
	})
	h.give(t, store)
	if _, err := h.run(t); err != nil {
		t.Fatal(err)
	}
	h.remove()
	err := wait.PollUntilContextTimeout(t.Context(), 5*time.Millisecond, 10*time.Second, true, func(context.Context) (bool, error) {
		_, err := h.run(t)
		noteDeletion()
		return len(h.resource.GetFinalizers()) == 0, err
	})
	if err != nil {
		t.Fatalf("it does not come so far: %v, %v", err, seen)
	}
	if diff := cmp.Diff([]string{"block", "hook", "provider"}, seen); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// A text that fails when the resource is deleted keeps it, and the message has room for the way out.
func TestProviderFieldFailsAtDeletion(t *testing.T) {
	store := &ledger{name: "store"}
	h := withProviders(t, `{providers: {store: [{bucket: {name: "{{ slice .spec.name 0 3 }}"}}]}}`, store)
	if _, err := h.run(t); err != nil {
		t.Fatal(err)
	}
	if err := unstructured.SetNestedField(h.resource.Object, "x", "spec", "name"); err != nil {
		t.Fatal(err)
	}
	h.remove()
	_, _ = h.run(t)
	_, reason, message := h.summary()
	if reason != orkv1.ReasonDeleteError || !strings.HasPrefix(message, "providers: store: bucket.name: ") ||
		!strings.HasSuffix(message, "remove the finalizer "+orkv1.Finalizer+" by hand and leave it behind") || len(message) > longestText {
		t.Errorf("Ready says %s: %s", reason, message)
	}
	if len(store.log) != 1 || len(h.resource.GetFinalizers()) != 1 {
		t.Errorf("asked for %v, with finalizers %v", store.log, h.resource.GetFinalizers())
	}
}

// A provider that goes on when its time is over holds no worker, and is not called a second time meanwhile.
func TestProviderTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hold, begun := make(chan struct{}), atomic.Int64{}
		d := NewDeclarative(Options{})
		stubborn := func(context.Context) error {
			begun.Add(1)
			<-hold
			return nil
		}
		start, key := time.Now(), askedFor{provider: "store"}
		err := d.bounded(t.Context(), key, stubborn)
		if took := time.Since(start); took != DefaultProviderTimeout+providerGrace || err == nil || !strings.Contains(err.Error(), "(1m)") {
			t.Errorf("after %s: %v, want an error after its time and a second", took, err)
		}
		if err = d.bounded(t.Context(), key, stubborn); err == nil || begun.Load() != 1 {
			t.Errorf("%v, and it has begun %d times; want it to begin once", err, begun.Load())
		}
		close(hold)
		synctest.Wait()
		if err = d.bounded(t.Context(), key, stubborn); err != nil || begun.Load() != 2 {
			t.Errorf("%v, and it has begun %d times; want it to begin again", err, begun.Load())
		}
		late := errors.New("too slow")
		err = d.bounded(t.Context(), key, func(ctx context.Context) error { <-ctx.Done(); return late })
		if !errors.Is(err, late) {
			t.Errorf("%v, want what the provider says of it", err)
		}
	})
}
