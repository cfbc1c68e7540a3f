package hook_test

import (
	"context"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/orkestra-runtime/orkestra/runtime/hook"
)

var pod = corev1.SchemeGroupVersion.WithKind("Pod")

func scheme(t *testing.T) *runtime.Scheme {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	return scheme
}

// of is a Hook whose OnReconcile takes a T.
func of[T client.Object]() *hook.Hook {
	return hook.New(hook.Hooks[T]{OnReconcile: func(context.Context, *hook.Request[T]) (reconcile.Result, error) {
		return reconcile.Result{}, nil
	}})
}

func TestCheck(t *testing.T) {
	cases := map[string]struct {
		reason string
		hook   *hook.Hook
		kind   schema.GroupVersionKind
		want   string
	}{
		"Typed":        {reason: "the Go type of the kind", hook: of[*corev1.Pod](), kind: pod},
		"Unstructured": {reason: "needs no Go type", hook: of[*unstructured.Unstructured](), kind: schema.GroupVersionKind{Group: "a", Version: "v1", Kind: "A"}},
		"OtherType":    {reason: "a type of another kind", hook: of[*corev1.Node](), kind: pod, want: "takes *v1.Node, of kind Node of v1; want hook.Hooks of"},
		"OtherVersion": {reason: "another version has other fields", hook: of[*corev1.Pod](), kind: schema.GroupVersionKind{Version: "v2", Kind: "Pod"}, want: "of kind Pod of v1; want"},
		"NotInScheme":  {reason: "the client could not write it", hook: of[*metav1.PartialObjectMetadata](), kind: pod, want: "want hook.Hooks of"},
		"Interface":    {reason: "nothing that could be made", hook: of[client.Object](), kind: pod, want: "Object; want hook.Hooks of"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			err := tc.hook.Check(tc.kind, scheme(t))
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("\n%s\nCheck(...) = %v, want %q", tc.reason, err, tc.want)
			}
		})
	}
}

// What is registered and does nothing is a mistake, and what has one function of three is none.
func TestDefect85NothingIsRegisteredSilently(t *testing.T) {
	cases := map[string]struct {
		reason string
		hook   *hook.Hook
		want   string
	}{
		"Nil":         {reason: "a variable that nobody set", want: "is nil"},
		"Empty":       {reason: "functions that nobody set", hook: hook.New(hook.Hooks[*corev1.Pod]{}), want: "has no function"},
		"OnReconcile": {reason: "one is enough", hook: of[*corev1.Pod]()},
		"OnNotFound":  {reason: "one is enough", hook: hook.New(hook.Hooks[*corev1.Pod]{OnNotFound: func(context.Context, types.NamespacedName) error { return nil }})},
		"OnDeleteOnly": {reason: "one is enough", hook: hook.New(hook.Hooks[*corev1.Pod]{OnDelete: func(context.Context, *hook.Request[*corev1.Pod]) (reconcile.Result, error) {
			return reconcile.Result{}, nil
		}})},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			err := tc.hook.Check(pod, scheme(t))
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("\n%s\nCheck(...) = %v, want %q", tc.reason, err, tc.want)
			}
			// The functions that are not there are called all the same.
			resource := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Pod"}}
			if tc.hook == nil {
				return
			}
			if _, err := tc.hook.OnReconcile(t.Context(), resource, hook.Tools{}); err != nil {
				t.Error(err)
			}
			if _, err := tc.hook.OnDelete(t.Context(), resource, hook.Tools{}); err != nil {
				t.Error(err)
			}
			if err := tc.hook.OnNotFound(t.Context(), types.NamespacedName{}); err != nil {
				t.Error(err)
			}
		})
	}
}

// bare is a type that does not keep its kind in JSON.
type bare struct {
	Kept              metav1.TypeMeta `json:"-"`
	metav1.ObjectMeta `json:"metadata"`
}

func (b *bare) GetObjectKind() schema.ObjectKind { return &b.Kept }
func (b *bare) DeepCopyObject() runtime.Object   { copied := *b; return &copied }

func TestDefect91TypedObjectArrivesWithItsKind(t *testing.T) {
	gvk := schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Bare"}
	resource := &unstructured.Unstructured{}
	resource.SetGroupVersionKind(gvk)
	resource.SetName("a")
	resource.SetUID("u")
	known := runtime.NewScheme()
	known.AddKnownTypeWithName(gvk, &bare{})
	child := &corev1.ConfigMap{}
	run := hook.New(hook.Hooks[*bare]{OnReconcile: func(_ context.Context, r *hook.Request[*bare]) (reconcile.Result, error) {
		if got := r.Object.GetObjectKind().GroupVersionKind(); got != gvk {
			t.Errorf("the object is of %s, want %s", got, gvk)
		}
		return reconcile.Result{}, controllerutil.SetControllerReference(r.Object, child, known)
	}})
	if _, err := run.OnReconcile(t.Context(), resource, hook.Tools{}); err != nil {
		t.Fatal(err)
	}
	if owner := metav1.GetControllerOf(child); owner == nil || owner.Kind != "Bare" || owner.APIVersion != "example.com/v1" || owner.UID != "u" {
		t.Errorf("the child's owner is %v", owner)
	}
}
