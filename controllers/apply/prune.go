package apply

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/controllers/children"
)

// Wanted is the set of children that stay, whatever else is pruned.
type Wanted map[ID]struct{}

// ID identifies a child whatever its version.
type ID struct {
	schema.GroupKind
	types.NamespacedName
}

// Add puts a child into the set. False: it was in it.
func (w Wanted) Add(object *unstructured.Unstructured) bool {
	id := IDOf(object)
	_, there := w[id]
	w[id] = struct{}{}
	return !there
}

// IDOf returns the identity of an object.
func IDOf(object *unstructured.Unstructured) ID {
	return ID{
		GroupKind:      object.GroupVersionKind().GroupKind(),
		NamespacedName: client.ObjectKeyFromObject(object),
	}
}

// Child is an existing child and its kind.
type Child struct {
	Kind   *children.Kind
	Object *unstructured.Unstructured
}

// Unwanted lists the owner's children of the kinds that are kept as declared and are not wanted any more, the last kind
// first. What is created once is not among them: it stays.
func (a *Applier) Unwanted(owner controllers.Owner, kinds []schema.GroupVersionKind, wanted Wanted) ([]Child, error) {
	return a.owned(owner, kinds, func(child *unstructured.Unstructured) bool {
		_, stays := wanted[IDOf(child)]
		_, kept := controllers.Annotation(child, orkv1.AnnotationAppliedHash)
		return kept && !stays
	})
}

// Named lists the owner's children of the kinds that are in the set.
func (a *Applier) Named(owner controllers.Owner, kinds []schema.GroupVersionKind, names Wanted) ([]Child, error) {
	return a.owned(owner, kinds, func(child *unstructured.Unstructured) bool {
		_, named := names[IDOf(child)]
		return named
	})
}

// Uncollected lists the owner's children that garbage collection does not delete: those in other namespaces and
// cluster-scoped ones of a namespaced owner, and jobs of its deletion that don't refer to it.
func (a *Applier) Uncollected(owner controllers.Owner, kinds []schema.GroupVersionKind) ([]Child, error) {
	return a.owned(owner, kinds, func(child *unstructured.Unstructured) bool {
		_, unbound := child.GetAnnotations()[orkv1.AnnotationDeletion]
		return unbound || owner.Namespace != "" && child.GetNamespace() != owner.Namespace
	})
}

// Delete deletes children, except those that are on their way out. The first error ends it; what was deleted until then is
// returned. A child that its label protects is passed over, and is a *ProtectedError when all others are deleted.
func (a *Applier) Delete(ctx context.Context, unwanted []Child) (ChangeSet, error) {
	return a.deleteAll(ctx, unwanted, metav1.DeletePropagationBackground)
}

// DeleteForeground is Delete, but a child is gone only when what belongs to it is, such as the pods of a Deployment.
func (a *Applier) DeleteForeground(ctx context.Context, unwanted []Child) (ChangeSet, error) {
	return a.deleteAll(ctx, unwanted, metav1.DeletePropagationForeground)
}

func (a *Applier) deleteAll(ctx context.Context, unwanted []Child, policy metav1.DeletionPropagation) (ChangeSet, error) {
	var done ChangeSet
	var protected error
	for _, child := range unwanted {
		if child.Kind.Deleting(child.Object) {
			continue
		}
		if Protected(child.Object) {
			protected = protectedError(child.Kind.GVK, child.Object)
			continue
		}
		if err := a.delete(ctx, child, policy); err != nil {
			return done, err
		}
		done = append(done, Change{Action: Pruned, Object: child.Object})
	}
	return done, protected
}

// owned lists the owner's children that are chosen, the last kind first. A kind that is not installed has none.
func (a *Applier) owned(owner controllers.Owner, kinds []schema.GroupVersionKind, chosen func(*unstructured.Unstructured) bool) ([]Child, error) {
	var list []Child
	for _, gvk := range slices.Backward(kinds) {
		kind, ok := a.store.Kind(gvk)
		if !ok {
			continue
		}
		owned, err := kind.Owned(owner.Hash())
		if err != nil {
			return nil, err
		}
		for _, object := range owned {
			if chosen(object) && ownership(owner, object).other == "" {
				list = append(list, Child{Kind: kind, Object: object})
			}
		}
	}
	return list, nil
}

func (a *Applier) delete(ctx context.Context, unwanted Child, policy metav1.DeletionPropagation) error {
	kind, child := unwanted.Kind, unwanted.Object
	err := a.client.Resource(kind.Resource).Namespace(child.GetNamespace()).Delete(ctx, child.GetName(), metav1.DeleteOptions{
		// The name alone could by now be somebody else's object.
		Preconditions:     &metav1.Preconditions{UID: new(child.GetUID())},
		PropagationPolicy: &policy,
	})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete %s %s: %w", kind.GVK.Kind, qualified(child.GetNamespace(), child.GetName()), err)
	}
	kind.RememberDeletion(child)
	a.spells.forget(spellingKey{group: kind.GVK.Group, kind: kind.GVK.Kind, name: IDOf(child).NamespacedName})
	return nil
}
