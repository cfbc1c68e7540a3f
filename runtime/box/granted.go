package box

import (
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// granted lists what the operator must have besides what it writes and watches: the Secrets with credentials of external calls, of
// repositories and of providers, and what it hands on: the rules of the declared roles, and the right to bind roles that are named
// elsewhere. Nobody may grant what they have not. What holds a template is not known here, and left out.
func (s *Set) granted() []rbacv1.PolicyRule {
	rules := append(s.credentials(), s.providerSecrets()...)
	for _, b := range s.Boxes() {
		for _, block := range b.Declared() {
			for i := range block.Children {
				switch declared := block.Children[i].Declaration.Value.(type) {
				case orkv1.Role:
					rules = append(rules, staticRules(declared.Rules)...)
				case orkv1.ClusterRole:
					rules = append(rules, staticRules(declared.Rules)...)
				case orkv1.RoleBinding:
					rules = append(rules, binding(declared.RoleRef, "Role")...)
				case orkv1.ClusterRoleBinding:
					rules = append(rules, binding(declared.RoleRef, "ClusterRole")...)
				}
			}
		}
	}
	return rules
}

func staticRules(declared []orkv1.PolicyRule) []rbacv1.PolicyRule {
	var rules []rbacv1.PolicyRule
	for _, one := range declared {
		rule, static := rbacv1.PolicyRule{}, true
		for _, list := range []struct {
			from []orkv1.Template
			into *[]string
		}{
			{one.APIGroups, &rule.APIGroups},
			{one.Resources, &rule.Resources},
			{one.Verbs, &rule.Verbs},
			{one.ResourceNames, &rule.ResourceNames},
			{one.NonResourceURLs, &rule.NonResourceURLs},
		} {
			for _, text := range list.from {
				static = static && isStatic(text)
				*list.into = append(*list.into, strings.TrimSpace(string(text)))
			}
		}
		if len(rule.Resources) > 0 && len(rule.APIGroups) == 0 {
			rule.APIGroups = []string{""}
		}
		if static {
			rules = append(rules, rule)
		}
	}
	return rules
}

// binding is the right to bind the role of that name, whatever it holds.
func binding(role *orkv1.RoleRef, kind string) []rbacv1.PolicyRule {
	if role == nil || !isStatic(role.Name) || !isStatic(role.Kind) {
		return nil
	}
	if role.Kind != "" {
		kind = strings.TrimSpace(string(role.Kind))
	}
	return []rbacv1.PolicyRule{{
		APIGroups: []string{rbacv1.GroupName}, Resources: []string{strings.ToLower(kind) + "s"}, Verbs: []string{"bind"},
		ResourceNames: []string{strings.TrimSpace(string(role.Name))},
	}}
}

func isStatic(text orkv1.Template) bool { return !strings.Contains(string(text), "{{") }
