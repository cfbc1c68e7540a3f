package box

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/notes"
)

// namesSecret tells whether a field of a provider is the name of a Secret, by what it is called.
func namesSecret(path string) bool {
	path = strings.ToLower(path)
	for _, end := range []string{"secret", "secretname", "secret.name", "secretref", "secretref.name"} {
		if strings.HasSuffix(path, end) {
			return true
		}
	}
	return false
}

// secrets are the Secrets that fields of providers name, and the places of those whose names only a resource tells.
func (s *Set) secrets() (named []string, templated field.ErrorList) {
	for _, b := range s.Boxes() {
		for _, one := range b.Provided {
			for i, need := range one.Needs {
				for _, path := range slices.Sorted(maps.Keys(need.declared)) {
					switch name := strings.TrimSpace(notes.Text(need.declared[path])); {
					case !namesSecret(path) || name == "":
					case isStatic(orkv1.Template(name)):
						named = append(named, name)
					default:
						templated = append(templated, field.Invalid(below(one.At.Index(i).Child(need.Kind), path), name, ""))
					}
				}
			}
		}
	}
	slices.Sort(named)
	return slices.Compact(named), once(templated)
}

// providerSecrets is the right to read the Secrets that fields of providers name.
func (s *Set) providerSecrets() []rbacv1.PolicyRule {
	named, _ := s.secrets()
	if len(named) == 0 {
		return nil
	}
	return []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"secrets"}, ResourceNames: named, Verbs: []string{"get"}}}
}

// NotGranted tells of rights that running the set may need and that Rules leave out, for what is meant is not known before there is a
// resource.
func (s *Set) NotGranted() field.ErrorList {
	if slices.Contains(s.Kinds(), corev1.SchemeGroupVersion.WithKind("Secret")) {
		return nil
	}
	_, templated := s.secrets()
	for _, one := range templated {
		one.Detail = "names a Secret that only the resource tells: the printed roles do not let the operator get it; add a Role for it where it is"
	}
	return templated
}
