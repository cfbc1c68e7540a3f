package rbac

import (
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/util/validation/field"
	rbacv1ac "k8s.io/client-go/applyconfigurations/rbac/v1"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
)

// ClusterRoles builds rbac.authorization.k8s.io/v1 ClusterRoles.
func ClusterRoles() controllers.Kind {
	return controllers.Of(controllers.Spec[orkv1.ClusterRole]{
		Kind: controllers.Kind{
			Key:   "clusterRoles",
			GVK:   rbacv1.SchemeGroupVersion.WithKind("ClusterRole"),
			Scope: controllers.ClusterScoped,
		},
		List:       func(b *orkv1.Block) []orkv1.ClusterRole { return b.ClusterRoles },
		Common:     func(in *orkv1.ClusterRole) controllers.Common { return controllers.CommonOf(&in.Entry) },
		NameSuffix: "-cluster-role",
		CheckName:  content.IsPathSegmentName,
		Build: func(d *controllers.Draft, in *orkv1.ClusterRole, at *field.Path) any {
			return rbacv1ac.ClusterRole(d.Name).WithRules(rules(d, in.Rules, everywhere, at.Child("rules"))...)
		},
	})
}
