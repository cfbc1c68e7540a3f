package roots

import (
	"cmp"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// delivered is an annotation of the gateway, by its key in either domain.
type delivered struct{ current, legacy string }

func deliveredBy(key string) delivered {
	return delivered{current: key, legacy: orkv1.LegacyDomain + strings.TrimPrefix(key, orkv1.Domain)}
}

var (
	deliveredTarget = deliveredBy(orkv1.AnnotationServeTarget)
	deliveredAlias  = deliveredBy(orkv1.AnnotationServeAlias)
	deliveredSource = deliveredBy(orkv1.AnnotationServeSource)
	deliveredIntent = deliveredBy(orkv1.AnnotationServeIntent)
)

// Target reads from a resource by which surface it was delivered: its alias where it has one, else its target, else none.
func Target(object *unstructured.Unstructured) string {
	return cmp.Or(deliveredAlias.of(object), deliveredTarget.of(object))
}

// Delivery is the root target: name, alias and source of how the resource was delivered, each empty where that is not known.
func Delivery(object *unstructured.Unstructured) map[string]any {
	return map[string]any{
		"name":   deliveredTarget.of(object),
		"alias":  deliveredAlias.of(object),
		"source": deliveredSource.of(object),
	}
}

// of reads the annotation, of the current domain where both are there. Nothing is copied: it is asked for each event.
func (d delivered) of(object *unstructured.Unstructured) string {
	metadata, _ := object.Object["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	if len(annotations) == 0 {
		return ""
	}
	value, _ := annotations[d.current].(string)
	if value != "" {
		return value
	}
	legacy, _ := annotations[d.legacy].(string)
	return legacy
}
