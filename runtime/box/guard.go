package box

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// NamespaceGuard tells which namespaces are operated. The zero value allows all.
type NamespaceGuard struct {
	allowed, restricted []string
}

// namespaceGuard is the entry's own, else the Katalog's.
func namespaceGuard(katalog *orkv1.Katalog, entry *orkv1.CRD) NamespaceGuard {
	if len(entry.AllowedNamespaces)+len(entry.RestrictedNamespaces) > 0 {
		return NamespaceGuard{allowed: entry.AllowedNamespaces, restricted: entry.RestrictedNamespaces}
	}
	if katalog.Security == nil || katalog.Security.NamespaceProtection == nil {
		return NamespaceGuard{}
	}
	shared := katalog.Security.NamespaceProtection
	if shared.Enabled != nil && !*shared.Enabled {
		return NamespaceGuard{}
	}
	return NamespaceGuard{allowed: shared.AllowedNamespaces, restricted: shared.RestrictedNamespaces}
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

// Restriction says of a resource that its namespace is off limits.
func Restriction(namespace string) string {
	return "namespace " + namespace + " is not one that the Katalog operates"
}

// NamespaceOf is the namespace that decides whether an object may be touched: its own, and of a Namespace itself its name.
func NamespaceOf(object *unstructured.Unstructured) string {
	if object.GroupVersionKind().GroupKind() == (schema.GroupKind{Group: corev1.GroupName, Kind: "Namespace"}) {
		return object.GetName()
	}
	return object.GetNamespace()
}
