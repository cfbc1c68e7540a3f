package reconciler

import (
	"errors"
	"fmt"
	"maps"
	"strconv"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	clienttesting "k8s.io/client-go/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/orkestra-runtime/orkestra/controllers/children"
	"github.com/orkestra-runtime/orkestra/runtime/queue"
	"github.com/orkestra-runtime/orkestra/runtime/work"
)

// applies has the server in memory do server-side apply, as far as that every applied field is there afterwards, and returns what it was
// sent. Refuse, if it is not nil, is asked first.
func (h *harness) applies(tb testing.TB, refuse func(applied *unstructured.Unstructured) error) *[]*unstructured.Unstructured {
	tb.Helper()
	sent := &[]*unstructured.Unstructured{}
	h.client.PrependReactor("patch", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		patch, ok := action.(clienttesting.PatchAction)
		if !ok || patch.GetPatchType() != types.ApplyPatchType {
			return false, nil, nil
		}
		applied := &unstructured.Unstructured{}
		if err := utiljson.Unmarshal(patch.GetPatch(), &applied.Object); err != nil {
			return true, nil, err
		}
		*sent = append(*sent, applied)
		if refuse != nil {
			if err := refuse(applied); err != nil {
				return true, nil, err
			}
		}
		stored, err := h.client.Tracker().Get(action.GetResource(), action.GetNamespace(), patch.GetName())
		if err != nil {
			return true, nil, err
		}
		current, ok := stored.(*unstructured.Unstructured)
		if !ok {
			return true, nil, fmt.Errorf("a %T is stored", stored)
		}
		if version := applied.GetResourceVersion(); version != "" && version != current.GetResourceVersion() {
			return true, nil, apierrors.NewConflict(action.GetResource().GroupResource(), patch.GetName(), errors.New("changed"))
		}
		next := &unstructured.Unstructured{Object: merged(current.Object, applied.Object)}
		h.version++
		next.SetResourceVersion(strconv.Itoa(h.version))
		return true, next, h.client.Tracker().Update(action.GetResource(), next, action.GetNamespace())
	})
	return sent
}

func merged(content, with map[string]any) map[string]any {
	content = maps.Clone(content)
	for name, value := range with {
		have, haveMap := content[name].(map[string]any)
		below, isMap := value.(map[string]any)
		if haveMap && isMap {
			value = merged(have, below)
		}
		content[name] = value
	}
	return content
}

// change has somebody else change a child. Seen tells whether memory shows it before the next write of such a child; else the change comes
// just before that.
func (h *harness) change(tb testing.TB, gvk schema.GroupVersionKind, name string, seen bool, do func(*unstructured.Unstructured)) {
	tb.Helper()
	kind, ok := h.Children.Kind(gvk)
	if !ok {
		tb.Fatalf("nobody holds %s", gvk.Kind)
	}
	if seen {
		h.changeNow(tb, kind, name, true, do)
		return
	}
	done := false
	h.client.PrependReactor("patch", kind.Resource.Resource, func(clienttesting.Action) (bool, runtime.Object, error) {
		if !done {
			done = true
			h.changeNow(tb, kind, name, false, do)
		}
		return false, nil, nil
	})
}

func (h *harness) changeNow(tb testing.TB, kind *children.Kind, name string, seen bool, do func(*unstructured.Unstructured)) {
	tb.Helper()
	stored, err := h.client.Tracker().Get(kind.Resource, "shop", name)
	if err != nil {
		tb.Fatal(err)
	}
	child := stored.(*unstructured.Unstructured).DeepCopy() //nolint:forcetypeassert // a dynamic client's
	do(child)
	h.version++
	child.SetResourceVersion(strconv.Itoa(h.version))
	if err := h.client.Tracker().Update(kind.Resource, child, "shop"); err != nil {
		tb.Fatal(err)
	}
	if seen {
		if _, err := kind.Write(client.ObjectKeyFromObject(child), func() (*unstructured.Unstructured, error) { return child.DeepCopy(), nil }); err != nil {
			tb.Fatal(err)
		}
	}
}

// spec has the resource's user change it.
func (h *harness) spec(field string, value any) {
	h.resource = h.resource.DeepCopy()
	_ = unstructured.SetNestedField(h.resource.Object, value, "spec", field)
	h.resource.SetGeneration(h.resource.GetGeneration() + 1)
}

// try is a cycle that may fail.
func (h *harness) try(tb testing.TB) (work.Outcome, error) {
	tb.Helper()
	h.client.ClearActions()
	return h.Reconcile(tb.Context(), work.Work{
		Item:   queue.Item{NamespacedName: types.NamespacedName{Namespace: "shop", Name: "w"}, GVK: h.set.GVK},
		Object: h.resource, Set: h.set, Box: h.set.Effective(""),
	})
}
