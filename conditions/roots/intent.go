package roots

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// RequestRoot and IntentRoot are two names of one root: what the caller of the gateway sent for the resource.
const (
	RequestRoot = "request"
	IntentRoot  = "intent"
)

// Intent is what the caller of the gateway sent, as the gateway has kept it. It is nil for a resource that was made in another way, and where
// nobody can read it.
func Intent(object *unstructured.Unstructured) map[string]any {
	text := deliveredIntent.of(object)
	if text == "" {
		return nil
	}
	var intent map[string]any
	if utiljson.Unmarshal([]byte(text), &intent) != nil {
		return nil
	}
	return intent
}
