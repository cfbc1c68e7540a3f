package rbac

import (
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/util/validation/field"
	rbacv1ac "k8s.io/client-go/applyconfigurations/rbac/v1"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
)

// ClusterRoleBindings builds rbac.authorization.k8s.io/v1 ClusterRoleBindings.
func ClusterRoleBindings() controllers.Kind {
	return controllers.Of(controllers.Spec[orkv1.ClusterRoleBinding]{
		Kind: controllers.Kind{
			Key:   "clusterRoleBindings",
			GVK:   rbacv1.SchemeGroupVersion.WithKind("ClusterRoleBinding"),
			Scope: controllers.ClusterScoped,
		},
		List:       func(b *orkv1.Block) []orkv1.ClusterRoleBinding { return b.ClusterRoleBindings },
		Common:     func(in *orkv1.ClusterRoleBinding) controllers.Common { return controllers.CommonOf(&in.Entry) },
		NameSuffix: "-crb",
		CheckName:  content.IsPathSegmentName,
		Build: func(d *controllers.Draft, in *orkv1.ClusterRoleBinding, at *field.Path) any {
			return rbacv1ac.ClusterRoleBinding(d.Name).
				WithRoleRef(roleRef(d, in.RoleRef, at.Child("roleRef"), kindClusterRole)).
				WithSubjects(subjects(d, in.Subjects, at.Child("subjects"))...)
		},
	})
}
