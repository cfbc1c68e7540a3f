package apply

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
)

// Protected tells whether a label keeps the object from being deleted.
func Protected(object *unstructured.Unstructured) bool {
	return orkv1.ProtectedBy(object.GetLabels()) != ""
}

// ProtectedAmong lists the owner's children of the kinds that their labels protect and that are not on their way out, the last kind first.
func (a *Applier) ProtectedAmong(owner controllers.Owner, kinds []schema.GroupVersionKind) ([]Child, error) {
	protected, err := a.owned(owner, kinds, Protected)
	return slices.DeleteFunc(protected, func(child Child) bool { return child.Kind.Deleting(child.Object) }), err
}

// NeedsFinalizer tells whether one of the owner's children of the kinds must not be left to garbage collection: it has to be deleted in
// its turn, or its label protects it.
func (a *Applier) NeedsFinalizer(owner controllers.Owner, kinds []schema.GroupVersionKind) (bool, error) {
	held, err := a.owned(owner, kinds, func(child *unstructured.Unstructured) bool {
		_, deep := DepthOf(child)
		return deep || Protected(child)
	})
	return len(held) > 0, err
}

// ProtectedError says that a child should be deleted and that its label forbids it. It is worth a new try when the label is gone,
// which is an event.
type ProtectedError struct {
	GVK             schema.GroupVersionKind
	Namespace, Name string
}

func (e *ProtectedError) Error() string {
	return fmt.Sprintf("%s %s is to be deleted, and its label %s forbids it; remove the label to let it go",
		e.GVK.Kind, qualified(e.Namespace, e.Name), orkv1.LabelDeletionProtection)
}

func protectedError(gvk schema.GroupVersionKind, object *unstructured.Unstructured) error {
	return &ProtectedError{GVK: gvk, Namespace: object.GetNamespace(), Name: object.GetName()}
}
