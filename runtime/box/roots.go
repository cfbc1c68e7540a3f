package box

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Roots are what texts read of a resource itself. They share its memory: nobody may write to what is in them.
func Roots(object *unstructured.Unstructured) map[string]any {
	return map[string]any{
		"apiVersion": object.GetAPIVersion(),
		"kind":       object.GetKind(),
		"metadata":   Member(object, "metadata"),
		"spec":       Member(object, "spec"),
		"status":     Member(object, "status"),
		"target":     Delivery(object),
	}
}

// Member returns a map of the object, an empty one when it has none, so that texts may look into it.
func Member(object *unstructured.Unstructured, name string) any {
	if value, ok := object.Object[name]; ok && value != nil {
		return value
	}
	return map[string]any{}
}
