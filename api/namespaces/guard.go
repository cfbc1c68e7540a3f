// Package namespaces tells which namespaces a Katalog has an operator and a gateway look at.
package namespaces

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// Guard tells which namespaces are operated. The zero value allows all.
type Guard struct {
	allowed, restricted list
}

// For is the entry's own, else the Katalog's. Its lists have been checked with CheckGlob.
func For(katalog *orkv1.Katalog, entry *orkv1.CRD) Guard {
	if len(entry.AllowedNamespaces)+len(entry.RestrictedNamespaces) > 0 {
		return Guard{allowed: listOf(entry.AllowedNamespaces), restricted: listOf(entry.RestrictedNamespaces)}
	}
	if katalog.Security == nil || katalog.Security.NamespaceProtection == nil {
		return Guard{}
	}
	shared := katalog.Security.NamespaceProtection
	if shared.Enabled != nil && !*shared.Enabled {
		return Guard{}
	}
	return Guard{allowed: listOf(shared.AllowedNamespaces), restricted: listOf(shared.RestrictedNamespaces)}
}

// Allows tells whether objects of the namespace may be touched. Cluster-scoped objects always may.
func (g Guard) Allows(namespace string) bool {
	switch {
	case namespace == "":
		return true
	case !g.allowed.isZero():
		return g.allowed.has(namespace)
	default:
		return !g.restricted.has(namespace)
	}
}

// Expression is one of CEL that is true of the requests in namespaces that are allowed. A request about what is in no namespace has no such field.
func (g Guard) Expression() string {
	const namespace = "request.namespace"
	listed := fmt.Sprintf("!(%s)", g.restricted.expression(namespace))
	if !g.allowed.isZero() {
		listed = g.allowed.expression(namespace)
	}
	return fmt.Sprintf(`(!has(%s) || %s == "" || %s)`, namespace, namespace, listed)
}

// IsZero tells whether it allows all.
func (g Guard) IsZero() bool { return g.allowed.isZero() && g.restricted.isZero() }

// Restriction says of a resource that its namespace is off limits.
func Restriction(namespace string) string {
	return "namespace " + namespace + " is not one that the Katalog operates"
}

// OfObject is the namespace that decides whether an object may be touched: its own, and of a Namespace itself its name.
func OfObject(object *unstructured.Unstructured) string {
	if object.GroupVersionKind().GroupKind() == (schema.GroupKind{Group: corev1.GroupName, Kind: "Namespace"}) {
		return object.GetName()
	}
	return object.GetNamespace()
}
