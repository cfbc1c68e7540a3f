package box

import (
	"cmp"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// Target reads from a resource by which surface it was delivered: its alias where it has one, else its target, else none.
func Target(object *unstructured.Unstructured) string {
	return cmp.Or(delivery(object, orkv1.AnnotationServeAlias), delivery(object, orkv1.AnnotationServeTarget))
}

// Delivery is the root target: name, alias and source of how the resource was delivered, each empty where that is not known.
func Delivery(object *unstructured.Unstructured) map[string]any {
	return map[string]any{
		"name":   delivery(object, orkv1.AnnotationServeTarget),
		"alias":  delivery(object, orkv1.AnnotationServeAlias),
		"source": delivery(object, orkv1.AnnotationServeSource),
	}
}

// delivery reads an annotation of the gateway, in either domain. Nothing is copied: it is asked for each event.
func delivery(object *unstructured.Unstructured, key string) string {
	metadata, _ := object.Object["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	if len(annotations) == 0 {
		return ""
	}
	value, _ := annotations[key].(string)
	legacy, _ := annotations[orkv1.LegacyDomain+strings.TrimPrefix(key, orkv1.Domain)].(string)
	return cmp.Or(value, legacy)
}
