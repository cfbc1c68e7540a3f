package roots

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/orkestra-runtime/orkestra/api/nearest"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// childKeys are the keys below .children of the kinds that have names of their own there: the kind, what it is called in the plural,
// and its short form.
var childKeys = []string{
	"deployment", "deployments", "replicaset", "replicasets", "statefulset", "statefulsets", "daemonset", "daemonsets", "pod", "pods",
	"job", "jobs", "cronjob", "cronjobs", "service", "services", "endpointslice", "endpointslices", "ingress", "ingresses",
	"secret", "secrets", "configmap", "configmaps", "serviceaccount", "serviceaccounts", "persistentvolume", "persistentvolumes", "pv",
	"persistentvolumeclaim", "persistentvolumeclaims", "pvc", "horizontalpodautoscaler", "horizontalpodautoscalers", "hpa",
	"poddisruptionbudget", "poddisruptionbudgets", "pdb", "namespace", "namespaces", "role", "roles", "rolebinding", "rolebindings",
	"clusterrole", "clusterroles", "clusterrolebinding", "clusterrolebindings", "networkpolicy", "networkpolicies",
	"resourcequota", "resourcequotas", "limitrange", "limitranges", "custom", "node",
}

// children are the keys below .children.
type children struct {
	declared map[string]bool
	open     bool
}

// WithChildren returns the roots of a place that sees children of the declared keys, such as deployment and networkPolicies, which may
// also be written in small letters alone. Open tells
// that there may be children of other kinds as well, whose names only a resource tells.
func (r *Known) WithChildren(open bool, declared []string) *Known {
	with := *r
	with.children = &children{declared: map[string]bool{}, open: open}
	for _, key := range declared {
		with.children.declared[strings.ToLower(key)] = true
		with.children.declared[strings.ToLower(key[:1])+key[1:]] = true
	}
	return &with
}

func (c *children) check(key string) *template.Misread {
	if c == nil || c.declared[key] || key == template.Element {
		return nil
	}
	if !c.open && !slices.Contains(childKeys, key) {
		known := append(slices.Sorted(maps.Keys(c.declared)), childKeys...)
		if near := nearest.Word(key, known); near != "" {
			return &template.Misread{Problem: fmt.Sprintf("there is no .children.%s: did you mean .children.%s?", key, near)}
		}
		return &template.Misread{Problem: fmt.Sprintf("there is no .children.%s: no child of such a kind is declared here", key)}
	}
	if c.open {
		return nil
	}
	return &template.Misread{Warning: true, Problem: fmt.Sprintf(".children.%s is empty: no child of that kind is declared here", key)}
}
