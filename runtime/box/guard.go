package box

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// NamespaceGuard tells which namespaces are operated. The zero value allows all.
type NamespaceGuard struct {
	allowed, restricted []string
}

// Allows tells whether objects of the namespace may be touched. Cluster-scoped objects always may.
func (g NamespaceGuard) Allows(namespace string) bool {
	switch {
	case namespace == "":
		return true
	case len(g.allowed) > 0:
		return slices.Contains(g.allowed, namespace)
	default:
		return !slices.Contains(g.restricted, namespace)
	}
}

// NamespaceOf is the namespace that decides whether an object may be touched: its own, and of a Namespace itself its name.
func NamespaceOf(object *unstructured.Unstructured) string {
	if object.GroupVersionKind().GroupKind() == (schema.GroupKind{Group: corev1.GroupName, Kind: "Namespace"}) {
		return object.GetName()
	}
	return object.GetNamespace()
}
