package simulate

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

// at is a ConfigMap endpoint, and widgets one of a kind that nobody knows.
func endpoints() (configMaps, widgets dynamic.ResourceInterface) {
	c := client{newServer(newKinds(nil), time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC))}
	return c.Resource(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}).Namespace("default"),
		c.Resource(schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}).Namespace("default")
}

func read(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	objects, err := readDocument([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return objects[0]
}

const widget = `{apiVersion: example.com/v1, kind: Widget, metadata: {name: a, namespace: default}, spec: {size: 1, tags: [x]}, status: {own: 1}}`

func TestServerKeepsStatusApart(t *testing.T) {
	_, widgets := endpoints()
	created, err := widgets.Create(t.Context(), read(t, widget), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if created.Object["status"] != nil || created.GetGeneration() != 1 || created.GetUID() == "" || created.GetResourceVersion() == "" {
		t.Errorf("a new object has no status, and what every object has: %v", created)
	}
	update := created.DeepCopy()
	update.Object["status"], update.Object["spec"] = map[string]any{"phase": "A"}, map[string]any{"size": int64(2)}
	updated, err := widgets.UpdateStatus(t.Context(), update, metav1.UpdateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(created.Object["spec"], updated.Object["spec"]); diff != "" {
		t.Errorf("an update of the status changes nothing else: -before, +after:\n%s", diff)
	}
	if updated.GetGeneration() != 1 || updated.GetResourceVersion() == created.GetResourceVersion() {
		t.Errorf("a new status is a new version and no new generation: %v", updated)
	}
	if _, err := widgets.UpdateStatus(t.Context(), update, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		t.Errorf("an update of an old version is a conflict, got %v", err)
	}
	same, err := widgets.UpdateStatus(t.Context(), updated, metav1.UpdateOptions{})
	if err != nil || same.GetResourceVersion() != updated.GetResourceVersion() {
		t.Errorf("what changes nothing is no new version: %v, %v", same, err)
	}
}

func TestServerApplies(t *testing.T) {
	configMaps, _ := endpoints()
	apply := func(text string) *unstructured.Unstructured {
		t.Helper()
		body, err := json.Marshal(read(t, text))
		if err != nil {
			t.Fatal(err)
		}
		applied, err := configMaps.Patch(t.Context(), "a", types.ApplyPatchType, body, metav1.PatchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return applied
	}
	const head = `apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default`
	apply("{" + head + ", labels: {one: x, two: x}}, data: {ours: a, dropped: a}}")
	merge := []byte(`{"data": {"theirs": "b"}, "metadata": {"labels": {"three": "y"}}}`)
	if _, err := configMaps.Patch(t.Context(), "a", types.MergePatchType, merge, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	applied := apply("{" + head + ", labels: {two: z}}, data: {ours: b}}")
	if diff := cmp.Diff(map[string]any{"ours": "b", "theirs": "b"}, applied.Object["data"]); diff != "" {
		t.Errorf("what is applied no more goes, what others wrote stays: -want, +got:\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"two": "z", "three": "y"}, applied.GetLabels()); diff != "" {
		t.Errorf("at every depth: -want, +got:\n%s", diff)
	}
}

func TestServerRefuses(t *testing.T) {
	configMaps, widgets := endpoints()
	wrong := read(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default}, dat: {}}`)
	if _, err := configMaps.Create(t.Context(), wrong, metav1.CreateOptions{}); !apierrors.IsBadRequest(err) {
		t.Errorf("a field that the kind does not have is refused, got %v", err)
	}
	if _, err := widgets.Create(t.Context(), read(t, widget), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := widgets.Create(t.Context(), read(t, widget), metav1.CreateOptions{}); !apierrors.IsAlreadyExists(err) {
		t.Errorf("what is there can't be made, got %v", err)
	}
	other := metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: new(types.UID("other"))}}
	if err := widgets.Delete(t.Context(), "a", other); !apierrors.IsConflict(err) {
		t.Errorf("what is another object is not deleted, got %v", err)
	}
	if _, err := widgets.Get(t.Context(), "b", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("what is not there is not found, got %v", err)
	}
	if _, err := widgets.Update(t.Context(), read(t, widget), metav1.UpdateOptions{}); !apierrors.IsMethodNotSupported(err) {
		t.Errorf("what it can't do, it says, got %v", err)
	}
}

func TestServerDeletes(t *testing.T) {
	_, widgets := endpoints()
	object := read(t, widget)
	object.SetFinalizers([]string{"example.com/hold"})
	if _, err := widgets.Create(t.Context(), object, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := widgets.Delete(t.Context(), "a", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	held, err := widgets.Get(t.Context(), "a", metav1.GetOptions{})
	if err != nil || held.GetDeletionTimestamp() == nil {
		t.Fatalf("a finalizer holds an object that is deleted: %v, %v", held, err)
	}
	if _, err := widgets.Patch(t.Context(), "a", types.MergePatchType, []byte(`{"metadata": {"finalizers": null}}`), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	list, err := widgets.List(t.Context(), metav1.ListOptions{})
	if err != nil || len(list.Items) != 0 {
		t.Errorf("without the last finalizer it is gone: %v, %v", list, err)
	}
}
