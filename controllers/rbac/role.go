package rbac

import (
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/util/validation/field"
	rbacv1ac "k8s.io/client-go/applyconfigurations/rbac/v1"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
)

// Roles builds rbac.authorization.k8s.io/v1 Roles.
func Roles() controllers.Kind {
	return controllers.Of(controllers.Spec[orkv1.Role]{
		Kind:       controllers.Kind{Key: "roles", GVK: rbacv1.SchemeGroupVersion.WithKind("Role")},
		List:       func(b *orkv1.Block) []orkv1.Role { return b.Roles },
		Common:     func(in *orkv1.Role) controllers.Common { return controllers.CommonOf(&in.Entry) },
		NameSuffix: "-role",
		CheckName:  content.IsPathSegmentName,
		Build: func(d *controllers.Draft, in *orkv1.Role, at *field.Path) any {
			return rbacv1ac.Role(d.Name, "").WithRules(rules(d, in.Rules, inNamespace, at.Child("rules"))...)
		},
	})
}
