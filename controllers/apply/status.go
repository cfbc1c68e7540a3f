package apply

import (
	"context"
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// keepStatus makes the status of a child that was just applied hold what it is to hold. Other fields of it are left alone.
func (a *Applier) keepStatus(ctx context.Context, desired map[string]any, change Change) (Change, error) {
	kind, ok := a.store.Kind(change.Object.GroupVersionKind())
	if !ok {
		return change, a.store.Absent(change.Object.GroupVersionKind())
	}
	part := map[string]any{"status": desired}
	if kind.Deleting(change.Object) || a.spells.holdsStatus(kind, part, change.Object) {
		return change, nil
	}
	patch, err := json.Marshal(part)
	if err != nil {
		return change, fmt.Errorf("encode the status: %w", err)
	}
	answer, err := kind.Write(IDOf(change.Object).NamespacedName, func() (*unstructured.Unstructured, error) {
		return a.client.Resource(kind.Resource).Namespace(change.Object.GetNamespace()).Patch(ctx, change.Object.GetName(),
			types.MergePatchType, patch, metav1.PatchOptions{FieldManager: orkv1.FieldManager}, "status")
	})
	if err != nil {
		return change, fmt.Errorf("patch the status of %s %s: %w",
			kind.GVK.Kind, qualified(change.Object.GetNamespace(), change.Object.GetName()), err)
	}
	a.spells.learnStatus(kind, part, answer)
	if change.Action == Unchanged && answer.GetResourceVersion() != change.Object.GetResourceVersion() {
		change.Action = Configured
	}
	change.Object = answer
	return change, nil
}
