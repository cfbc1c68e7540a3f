package box

import "slices"

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
