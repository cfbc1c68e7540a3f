package reconciler

import (
	"errors"
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
)

var self = types.NamespacedName{Namespace: "shop", Name: "w"}

// conflicted runs a cycle that ends with a conflict, and returns when the next one is due and the requests.
func conflicted(t *testing.T, h *harness) (after time.Duration, requests []string) {
	t.Helper()
	outcome, err := h.try(t)
	if !errors.Is(err, reconcile.TerminalError(nil)) {
		t.Fatalf("the cycle gives %v, want an error that is not tried again", err)
	}
	if got := h.ready(t); got[1] != orkv1.ReasonChildConflict {
		t.Fatalf("Ready is %v, want %s", got, orkv1.ReasonChildConflict)
	}
	for _, action := range h.client.Actions() {
		if action.GetResource().Resource == "configmaps" {
			requests = append(requests, action.GetVerb())
		}
	}
	return outcome.RequeueAfter, requests
}

// What nobody watches is asked for now and then, by one request, and the child is made when it is gone.
func TestConflictWithAStranger(t *testing.T) {
	h := newHarness(t, `{onReconcile: {configMaps: [{name: c}]}}`, map[string]any{})
	h.applies(t, nil)
	now := time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)
	h.Now = func() time.Time { return now }
	theirs := &unstructured.Unstructured{}
	theirs.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMap"))
	theirs.SetNamespace("shop")
	theirs.SetName("c")
	theirs.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: "p", UID: "p", Controller: new(true)}})
	gone := false // the watch of the server in memory does not select by labels: it must not have the object
	h.client.PrependReactor("create", "configmaps", func(clienttesting.Action) (bool, runtime.Object, error) {
		return !gone, nil, apierrors.NewAlreadyExists(configMaps.GroupResource(), "c")
	})
	h.client.PrependReactor("get", "configmaps", func(clienttesting.Action) (bool, runtime.Object, error) {
		if gone {
			return true, nil, apierrors.NewNotFound(configMaps.GroupResource(), "c")
		}
		return true, theirs, nil
	})
	wantRequests := []string{"create", "get"}
	for _, want := range []time.Duration{conflictFirst, 2 * conflictFirst, 4 * conflictFirst, 8 * conflictFirst, conflictLongest, conflictLongest} {
		after, requests := conflicted(t, h)
		if after != want {
			t.Errorf("the next cycle is due after %s, want %s", after, want)
		}
		if diff := cmp.Diff(wantRequests, requests); diff != "" {
			t.Errorf("requests: -want, +got:\n%s", diff)
		}
		wantRequests = []string{"get"}
		now = now.Add(time.Second)
		if after, _ = conflicted(t, h); after != want-time.Second {
			t.Errorf("a cycle in between has the next one after %s, want %s", after, want-time.Second)
		}
		now = now.Add(after)
	}
	gone = true
	h.cycle(t)
	if got := h.ready(t); got[0] != "True" {
		t.Errorf("Ready is %v when the other object is gone", got)
	}
	if outcome, _ := h.cycle(t); outcome.RequeueAfter != 0 {
		t.Errorf("the next cycle is due after %s, want none", outcome.RequeueAfter)
	}
}

// A resource waits for a child that another one of ours has, and no longer once it has it itself.
func TestConflictWithAnotherResource(t *testing.T) {
	h := newHarness(t, `{onReconcile: {configMaps: [{name: c}]}}`, map[string]any{})
	h.applies(t, nil)
	h.cycle(t)
	var labels map[string]string
	h.change(t, configMapKind, "c", true, func(o *unstructured.Unstructured) {
		labels = o.GetLabels()
		theirs := o.GetLabels()
		theirs[orkv1.LabelOwner] = "another"
		o.SetLabels(theirs)
		o.SetAnnotations(map[string]string{orkv1.AnnotationOwner: "Website.web.example.com/shop/other"})
		o.SetOwnerReferences(nil)
	})
	child := types.NamespacedName{Namespace: "shop", Name: "c"}
	if after, requests := conflicted(t, h); after != conflictFirst || len(requests) > 0 {
		t.Errorf("the next cycle is due after %s, and this one asked %v; want %s, and nothing", after, requests, conflictFirst)
	}
	if diff := cmp.Diff([]types.NamespacedName{self}, h.WaitingForChild(configMapKind, child)); diff != "" {
		t.Errorf("who waits for the child: -want, +got:\n%s", diff)
	}
	h.change(t, configMapKind, "c", true, func(o *unstructured.Unstructured) { o.SetLabels(labels) })
	h.cycle(t)
	if got := h.WaitingForChild(configMapKind, child); len(got) > 0 {
		t.Errorf("%v wait for the child, want nobody", got)
	}
}

func TestWaitingForAUniqueValue(t *testing.T) {
	h := newHarness(t, `{}`, map[string]any{"team": "red"})
	h.set = compileEntry(t, `validation: {rules: [{field: spec.team, operator: unique, message: "is taken"}]}, operatorBox: {}`)
	other := h.resource.DeepCopy()
	other.SetName("other")
	others := []*unstructured.Unstructured{h.resource, other}
	h.Others = func() []*unstructured.Unstructured { return others }
	name := types.NamespacedName{Namespace: "shop", Name: "other"}

	outcome, err := h.try(t)
	if err != nil || !outcome.Denied {
		t.Fatalf("denied %t, error %v: want that the value is taken", outcome.Denied, err)
	}
	if diff := cmp.Diff([]types.NamespacedName{self}, h.WaitingForResource(name)); diff != "" {
		t.Errorf("who waits for the value: -want, +got:\n%s", diff)
	}

	// The other one goes after the cycle has seen it, and before anybody waits for it.
	asked := 0
	h.Others = func() []*unstructured.Unstructured {
		if asked++; asked == 1 {
			return others
		}
		return others[:1]
	}
	if outcome, err = h.try(t); err != nil || outcome.Denied {
		t.Errorf("denied %t, error %v: want that the value is free", outcome.Denied, err)
	}
	h.Others = func() []*unstructured.Unstructured { return others[:1] }
	if _, err = h.try(t); err != nil {
		t.Fatal(err)
	}
	if got := h.WaitingForResource(name); len(got) > 0 {
		t.Errorf("%v wait for the value, want nobody", got)
	}
}
