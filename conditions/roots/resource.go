package roots

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// DeliveryRoot is the root that tells how a resource was delivered.
const DeliveryRoot = "target"

// Of are what texts read of a resource itself. They share its memory: nobody may write to what is in them.
func Of(object *unstructured.Unstructured) map[string]any {
	return ReadBy(object, func(string) bool { return true })
}

// ReadBy are those of Of for a text that tells which roots it reads: one that takes work to be made is left out where the text does not read it.
func ReadBy(object *unstructured.Unstructured, reads func(root string) bool) map[string]any {
	roots := Stored(object)
	if reads(DeliveryRoot) {
		roots[DeliveryRoot] = Delivery(object)
	}
	if reads(RequestRoot) || reads(IntentRoot) {
		if intent := Intent(object); intent != nil {
			roots[RequestRoot], roots[IntentRoot] = intent, intent
		}
	}
	return roots
}

// Stored are the roots that are parts of the resource. Nothing but the map is made for them.
func Stored(object *unstructured.Unstructured) map[string]any {
	return map[string]any{
		"apiVersion": text(object, "apiVersion"),
		"kind":       text(object, "kind"),
		"metadata":   Member(object, "metadata"),
		"spec":       Member(object, "spec"),
		"status":     Member(object, "status"),
	}
}

// text returns a text of the object, "" when it has none.
func text(object *unstructured.Unstructured, name string) any {
	if value, ok := object.Object[name].(string); ok && value != "" {
		return object.Object[name]
	}
	return ""
}

// Member returns a map of the object, an empty one when it has none, so that texts may look into it.
func Member(object *unstructured.Unstructured, name string) any {
	if value, ok := object.Object[name]; ok && value != nil {
		return value
	}
	return map[string]any{}
}
