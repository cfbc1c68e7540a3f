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
	"k8s.io/apimachinery/pkg/runtime/schema"
	clienttesting "k8s.io/client-go/testing"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers/apply"
	"github.com/orkestra-runtime/orkestra/runtime/work"
)

var configMapKind = corev1.SchemeGroupVersion.WithKind("ConfigMap")

const recreated = `{onReconcile: {configMaps: [{name: c, data: {a: "{{ .spec.a }}"}, onImmutable: "recreate"}]}}`

// immutableData is a server that changes the data of no ConfigMap.
func immutableData(*unstructured.Unstructured) error {
	refused := apierrors.NewInvalid(schema.GroupKind{Kind: "ConfigMap"}, "c", nil)
	refused.ErrStatus.Details.Causes = []metav1.StatusCause{{Field: "data", Message: "Forbidden: field is immutable when `immutable` is set"}}
	return refused
}

// awaitOwned waits until the watch has told of so many children of the kind.
func (h *harness) awaitOwned(t *testing.T, gvk schema.GroupVersionKind, want int) {
	t.Helper()
	kind, _ := h.Children.Kind(gvk)
	hash := owner(work.Work{Object: h.resource, Set: h.set, Box: h.set.Effective("")}).Hash()
	for end := time.Now().Add(10 * time.Second); ; {
		owned, err := kind.ByIndex("owner", hash)
		if err != nil {
			t.Fatal(err)
		}
		if len(owned) == want {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("the watch tells of %d children, want %d", len(owned), want)
		}
		<-time.After(time.Millisecond)
	}
}

func TestRecreate(t *testing.T) {
	h := newHarness(t, recreated, map[string]any{"a": "1"})
	h.applies(t, immutableData)
	h.cycle(t)
	h.awaitOwned(t, configMapKind, 1)
	h.change(t, configMapKind, "c", true, func(*unstructured.Unstructured) {}) // the server in memory gives no version by itself
	h.spec("a", "2")
	outcome, requests := h.cycle(t)
	if diff := cmp.Diff([]string{"patch configmaps", "delete configmaps", "update websites"}, requests); diff != "" {
		t.Fatalf("the cycle of the change: -want, +got:\n%s", diff)
	}
	if got := outcome.Changes[0].Action; got != apply.Recreated {
		t.Errorf("the child is %s, want recreated", got)
	}
	h.awaitOwned(t, configMapKind, 0)
	if _, requests := h.cycle(t); !cmp.Equal([]string{"create configmaps", "update websites"}, requests) {
		t.Errorf("the cycle that its end brings asks for %v", requests)
	}
	if _, requests := h.cycle(t); len(requests) > 0 {
		t.Errorf("the cycle after it asks for %v, want nothing", requests)
	}
}

func TestRecreateThatTheServerRefuses(t *testing.T) {
	h := newHarness(t, recreated, map[string]any{"a": "1"})
	h.applies(t, immutableData)
	h.cycle(t)
	h.awaitOwned(t, configMapKind, 1)
	h.change(t, configMapKind, "c", true, func(*unstructured.Unstructured) {}) // the server in memory gives no version by itself
	h.client.PrependReactor("create", "configmaps", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewInvalid(schema.GroupKind{Kind: "ConfigMap"}, "c", nil)
	})
	h.spec("a", "2")
	h.cycle(t)
	h.awaitOwned(t, configMapKind, 0)
	for i, want := range [][]string{{"create", "update"}, {}, {}} {
		_, err := h.try(t)
		if _, refused := errors.AsType[*apply.RefusedError](err); !refused {
			t.Errorf("cycle %d: %v, want that the server refuses the child", i, err)
		}
		verbs := []string{}
		for _, action := range h.client.Actions() {
			verbs = append(verbs, action.GetVerb())
		}
		if diff := cmp.Diff(want, verbs); diff != "" {
			t.Errorf("cycle %d asks for: -want, +got:\n%s", i, diff)
		}
	}
}

// What the server makes of a child, each time anew, is no reason to delete it in each cycle.
func TestRecreateOncePerDeclaration(t *testing.T) {
	h := newHarness(t, recreated, map[string]any{"a": "1"})
	h.applies(t, immutableData)
	h.cycle(t)
	h.change(t, configMapKind, "c", true, func(o *unstructured.Unstructured) { o.Object["data"] = map[string]any{"a": "the webhook's"} })
	for range 3 {
		_, err := h.try(t)
		if immutable, ok := errors.AsType[*apply.ImmutableError](err); !ok || !immutable.Recreate {
			t.Fatalf("Reconcile(...): %v, want a report", err)
		}
		for _, action := range h.client.Actions() {
			if action.GetVerb() == "delete" {
				t.Fatal("the child is deleted")
			}
		}
	}
}

func TestRecreateLeaves(t *testing.T) {
	cases := map[string]struct {
		reason string
		box    string
		change func(*unstructured.Unstructured)
		want   string
	}{
		"Report": {
			reason: "nothing is deleted unless somebody asks for it", box: `{onReconcile: {configMaps: [{name: c, data: {a: "{{ .spec.a }}"}}]}}`,
			want: orkv1.ReasonChildImmutable,
		},
		"Protected": {
			reason: "a label is stronger than the declaration", box: recreated,
			change: func(o *unstructured.Unstructured) {
				labels := o.GetLabels()
				labels[orkv1.LabelDeletionProtection] = "true"
				o.SetLabels(labels)
			},
			want: orkv1.ReasonChildProtected,
		},
		"Nobodys": {
			reason: "what is not ours is not deleted", box: recreated,
			change: func(o *unstructured.Unstructured) {
				labels := o.GetLabels()
				delete(labels, orkv1.LabelOwner)
				o.SetLabels(labels)
				o.SetOwnerReferences(nil)
			},
			want: orkv1.ReasonChildImmutable,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t, tc.box, map[string]any{"a": "1"})
			h.applies(t, immutableData)
			h.cycle(t)
			if tc.change != nil {
				h.change(t, configMapKind, "c", true, tc.change)
			}
			h.spec("a", "2")
			_, err := h.try(t)
			if reason, stalled := reasonOf(err); reason != tc.want || !stalled {
				t.Errorf("\n%s\nReconcile(...): %v, a %s, want %s", tc.reason, err, reason, tc.want)
			}
			for _, action := range h.client.Actions() {
				if action.GetVerb() == "delete" {
					t.Errorf("\n%s\nthe child is deleted", tc.reason)
				}
			}
		})
	}
}

func TestPruneLeavesWhatIsProtected(t *testing.T) {
	h := newHarness(t, `{onReconcile: {configMaps: [{name: c, when: [{field: spec.a, equals: "1"}]}, {name: d, when: [{field: spec.a, equals: "1"}]}]}}`,
		map[string]any{"a": "1"})
	h.cycle(t)
	h.change(t, configMapKind, "c", true, func(o *unstructured.Unstructured) {
		labels := o.GetLabels()
		labels[orkv1.LabelDeletionProtection] = "true"
		o.SetLabels(labels)
	})
	h.spec("a", "2")
	outcome, err := h.try(t)
	if reason, stalled := reasonOf(err); reason != orkv1.ReasonChildProtected || !stalled {
		t.Errorf("Reconcile(...): %v", err)
	}
	if len(outcome.Changes) != 1 || outcome.Changes[0].Object.GetName() != "d" {
		t.Errorf("the changes are %v, want that d is pruned", outcome.Changes)
	}
}
