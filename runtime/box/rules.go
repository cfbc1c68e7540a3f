package box

import (
	"cmp"
	"reflect"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// Rules are the rights that running the sets needs in the whole cluster, and no more: on the resources themselves, on their
// children, on what enrich reads, and what declared roles grant to others.
func Rules(sets ...*Set) []rbacv1.PolicyRule {
	rights := rights{}
	var granted []rbacv1.PolicyRule
	rights.grant("apiextensions.k8s.io", "customresourcedefinitions", "get", "list", "watch")
	rights.grant("events.k8s.io", "events", "create", "patch", "list")
	for _, set := range sets {
		plural := set.Plural
		if plural == "" {
			plural = pluralOf(set.GVK)
		}
		rights.grant(set.GVK.Group, plural, "get", "list", "watch", "patch")
		rights.grant(set.GVK.Group, plural+"/status", "update")
		// An owner reference that blocks the owner's deletion needs this right on the owner.
		rights.grant(set.GVK.Group, plural+"/finalizers", "update")
		for _, kind := range set.statusKinds() {
			rights.grant(kind.Group, pluralOf(kind)+"/status", "patch")
		}
		for _, kind := range set.Kinds() {
			rights.grant(kind.Group, pluralOf(kind), "get", "list", "watch", "create", "patch", "delete")
		}
		set.grantObserved(rights)
		for _, source := range set.Enriches() {
			rights.grant(source.Group, source.Resource().Resource, "list", "watch")
		}
		for _, rule := range set.granted() {
			if !slices.ContainsFunc(granted, func(other rbacv1.PolicyRule) bool { return reflect.DeepEqual(rule, other) }) {
				granted = append(granted, rule)
			}
		}
	}
	return append(rights.rules(), granted...)
}

// OwnRules are the rights that the runtime needs in its own namespace, for what it remembers, for leader election and for Katalogs
// of the cluster.
func OwnRules() []rbacv1.PolicyRule {
	rights := rights{}
	rights.grant("", "configmaps", "get", "create", "patch")
	rights.grant("coordination.k8s.io", "leases", "get", "create", "update")
	rights.grant(orkv1.Group, "katalogs", "get", "list", "watch")
	rights.grant(orkv1.Group, "katalogs/status", "update")
	return rights.rules()
}

// rights are verbs by resource.
type rights map[schema.GroupResource][]string

func (r rights) grant(group, resource string, verbs ...string) {
	id := schema.GroupResource{Group: group, Resource: resource}
	for _, verb := range verbs {
		if !slices.Contains(r[id], verb) {
			r[id] = append(r[id], verb)
		}
	}
}

// rules are sorted by group and resource.
func (r rights) rules() []rbacv1.PolicyRule {
	rules := make([]rbacv1.PolicyRule, 0, len(r))
	for id, verbs := range r {
		rules = append(rules, rbacv1.PolicyRule{APIGroups: []string{id.Group}, Resources: []string{id.Resource}, Verbs: verbs})
	}
	slices.SortFunc(rules, func(a, b rbacv1.PolicyRule) int {
		return cmp.Or(cmp.Compare(a.APIGroups[0], b.APIGroups[0]), cmp.Compare(a.Resources[0], b.Resources[0]))
	})
	return rules
}

// statusKinds lists the kinds of children whose status is declared.
func (s *Set) statusKinds() []schema.GroupVersionKind {
	var kinds []schema.GroupVersionKind
	for _, b := range s.Boxes() {
		for _, block := range b.Declared() {
			for _, child := range block.Children {
				if custom, ok := child.Declaration.Value.(orkv1.Custom); ok && custom.Object["status"].Value != nil {
					kinds = append(kinds, child.GVK)
				}
			}
		}
	}
	return kinds
}

// pluralOf guesses the resource of a kind by the rule that almost every kind follows.
func pluralOf(kind schema.GroupVersionKind) string {
	plural, _ := meta.UnsafeGuessKindToResource(kind)
	return plural.Resource
}

// grantObserved grants what observing needs and, on kinds that Go code writes, writing.
func (s *Set) grantObserved(rights rights) {
	for _, selection := range s.Selections() {
		plural := pluralOf(selection.GroupVersionKind)
		if selection == EventSelection {
			rights.grant(selection.Group, plural, "list", "watch")
			continue
		}
		rights.grant(selection.Group, plural, "get", "list", "watch")
		for _, one := range s.Observations(selection) {
			if one.Watch.Implicit {
				rights.grant(selection.Group, plural, "create", "update", "patch", "delete")
			}
		}
	}
}
