package box

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// Target reads from a resource by which surface it was delivered: its alias where it has one, else its target, else none.
func Target(object *unstructured.Unstructured) string {
	annotations := object.GetAnnotations()
	for _, key := range []string{orkv1.AnnotationServeAlias, orkv1.AnnotationServeTarget} {
		for _, domain := range []string{orkv1.Domain, orkv1.LegacyDomain} {
			if target := annotations[domain+key[len(orkv1.Domain):]]; target != "" {
				return target
			}
		}
	}
	return ""
}
