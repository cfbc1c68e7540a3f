package apply

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// Protected tells whether a label keeps the object from being deleted.
func Protected(object *unstructured.Unstructured) bool {
	labels := object.GetLabels()
	return labels[orkv1.LabelDeletionProtection] == "true" || labels[orkv1.LegacyDomain+"deletion-protection"] == "true"
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
