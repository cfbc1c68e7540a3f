package rbac

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	rbacv1ac "k8s.io/client-go/applyconfigurations/rbac/v1"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
)

// scope is where a role holds.
type scope bool

const (
	inNamespace scope = false
	everywhere  scope = true
)

func rules(d *controllers.Draft, declared []orkv1.PolicyRule, where scope, at *field.Path) []*rbacv1ac.PolicyRuleApplyConfiguration {
	if len(declared) == 0 {
		d.Report(field.Required(at, "at least one rule is required"))
	}
	built := make([]*rbacv1ac.PolicyRuleApplyConfiguration, 0, len(declared))
	for i := range declared {
		built = append(built, rule(d, &declared[i], where, at.Index(i)))
	}
	return built
}

func rule(d *controllers.Draft, in *orkv1.PolicyRule, where scope, at *field.Path) *rbacv1ac.PolicyRuleApplyConfiguration {
	built := rbacv1ac.PolicyRule().
		WithVerbs(d.Texts(in.Verbs)...).
		WithResources(d.Texts(in.Resources)...).
		WithResourceNames(d.Texts(in.ResourceNames)...).
		WithNonResourceURLs(d.Texts(in.NonResourceURLs)...)
	if isEmpty(d, in.Verbs) {
		d.Report(field.Required(at.Child("verbs"), "at least one verb is required, such as get"))
	}
	urls := !isEmpty(d, in.NonResourceURLs)
	switch {
	case urls && where == inNamespace:
		d.Report(field.Forbidden(at.Child("nonResourceURLs"), "a Role has none: declare a ClusterRole"))
	case urls && !isEmpty(d, in.Resources):
		d.Report(field.Forbidden(at.Child("nonResourceURLs"), "excludes resources: make two rules of them"))
	case urls:
		return built
	case isEmpty(d, in.Resources):
		d.Report(field.Required(at.Child("resources"), "at least one resource is required, such as pods"))
	}
	return built.WithAPIGroups(groups(d, in.APIGroups)...)
}

// isEmpty tells whether no text of the list says anything. One that only rendering can tell is taken to say something.
func isEmpty(d *controllers.Draft, texts []orkv1.Template) bool {
	return !slices.ContainsFunc(texts, func(text orkv1.Template) bool {
		return !d.Known(text) || strings.TrimSpace(string(text)) != ""
	})
}

// groups are API groups, of which the core group is the empty text.
func groups(d *controllers.Draft, texts []orkv1.Template) []string {
	var list []string
	for _, text := range texts {
		group := strings.TrimSpace(string(text))
		if d.Known(text) && !slices.Contains(list, group) {
			list = append(list, group)
		}
	}
	if len(texts) == 0 {
		return []string{""}
	}
	return list
}
