package box

import (
	"cmp"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Rules are the rights that running the sets needs, and no more: on the resources themselves, on their children, and on what the
// runtime keeps for itself. The rights on ConfigMaps and Leases are needed in the operator's own namespace alone.
func Rules(sets ...*Set) []rbacv1.PolicyRule {
	verbs := map[schema.GroupResource][]string{}
	grant := func(group, resource string, granted ...string) {
		id := schema.GroupResource{Group: group, Resource: resource}
		for _, verb := range granted {
			if !slices.Contains(verbs[id], verb) {
				verbs[id] = append(verbs[id], verb)
			}
		}
	}
	grant("apiextensions.k8s.io", "customresourcedefinitions", "get", "list", "watch")
	grant("events.k8s.io", "events", "create", "patch")
	grant("", "configmaps", "get", "create", "patch")
	grant("coordination.k8s.io", "leases", "get", "create", "update")
	for _, set := range sets {
		plural := set.Plural
		if plural == "" {
			plural = pluralOf(set.GVK)
		}
		grant(set.GVK.Group, plural, "get", "list", "watch", "patch")
		grant(set.GVK.Group, plural+"/status", "patch")
		// An owner reference that blocks the owner's deletion needs this right on the owner.
		grant(set.GVK.Group, plural+"/finalizers", "update")
		for _, kind := range set.Kinds() {
			grant(kind.Group, pluralOf(kind), "get", "list", "watch", "create", "patch", "delete")
		}
	}
	rules := make([]rbacv1.PolicyRule, 0, len(verbs))
	for id, granted := range verbs {
		rules = append(rules, rbacv1.PolicyRule{APIGroups: []string{id.Group}, Resources: []string{id.Resource}, Verbs: granted})
	}
	slices.SortFunc(rules, func(a, b rbacv1.PolicyRule) int {
		return cmp.Or(cmp.Compare(a.APIGroups[0], b.APIGroups[0]), cmp.Compare(a.Resources[0], b.Resources[0]))
	})
	return rules
}

// pluralOf guesses the resource of a kind by the rule that almost every kind follows.
func pluralOf(kind schema.GroupVersionKind) string {
	plural, _ := meta.UnsafeGuessKindToResource(kind)
	return plural.Resource
}
