package apply

import (
	"context"
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
)

// Owned lists the owner's children of the kinds, the last kind first, except those that are on their way out.
func (a *Applier) Owned(owner controllers.Owner, kinds []schema.GroupVersionKind) ([]Child, error) {
	all, err := a.owned(owner, kinds, func(*unstructured.Unstructured) bool { return true })
	left := all[:0]
	for _, child := range all {
		if !child.Kind.Deleting(child.Object) {
			left = append(left, child)
		}
	}
	return left, err
}

// HandOver has children of another target of the owner's resource be the owner's. They are what declarations create once, and stay as
// they are but for the labels that tell whose they are.
func (a *Applier) HandOver(ctx context.Context, owner controllers.Owner, handed []Child) (ChangeSet, error) {
	var done ChangeSet
	for _, child := range handed {
		object, err := a.handOver(ctx, owner, child)
		if err != nil {
			return done, err
		}
		done = append(done, Change{Action: Adopted, Object: object})
	}
	return done, nil
}

func (a *Applier) handOver(ctx context.Context, owner controllers.Owner, child Child) (*unstructured.Unstructured, error) {
	labels := map[string]any{orkv1.LabelOwner: owner.Hash(), orkv1.LabelServeTarget: nil}
	if owner.Target != "" {
		labels[orkv1.LabelServeTarget] = controllers.LabelValue(owner.Target)
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"uid":         child.Object.GetUID(), // the name alone could by now be somebody else's object
		"labels":      labels,
		"annotations": map[string]any{orkv1.AnnotationAppliedHash: nil},
	}})
	if err != nil {
		return nil, fmt.Errorf("encode the labels: %w", err)
	}
	id := IDOf(child.Object)
	object, err := child.Kind.Write(id.NamespacedName, func() (*unstructured.Unstructured, error) {
		return a.client.Resource(child.Kind.Resource).Namespace(id.Namespace).
			Patch(ctx, id.Name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: orkv1.FieldManager})
	})
	if err != nil {
		return nil, fmt.Errorf("hand over %s %s: %w", child.Kind.GVK.Kind, qualified(id.Namespace, id.Name), err)
	}
	return object, nil
}
