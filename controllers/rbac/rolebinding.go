package rbac

import (
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/util/validation/field"
	rbacv1ac "k8s.io/client-go/applyconfigurations/rbac/v1"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
)

// RoleBindings builds rbac.authorization.k8s.io/v1 RoleBindings.
func RoleBindings() controllers.Kind {
	return controllers.Of(controllers.Spec[orkv1.RoleBinding]{
		Kind: controllers.Kind{
			Key: "roleBindings",
			GVK: rbacv1.SchemeGroupVersion.WithKind("RoleBinding"),
		},
		List:       func(b *orkv1.Block) []orkv1.RoleBinding { return b.RoleBindings },
		Common:     func(in *orkv1.RoleBinding) controllers.Common { return controllers.CommonOf(&in.Entry) },
		NameSuffix: "-rolebinding",
		CheckName:  content.IsPathSegmentName,
		Build: func(d *controllers.Draft, in *orkv1.RoleBinding, at *field.Path) any {
			return rbacv1ac.RoleBinding(d.Name, "").
				WithRoleRef(roleRef(d, in.RoleRef, at.Child("roleRef"), kindRole, kindClusterRole)).
				WithSubjects(subjects(d, in.Subjects, at.Child("subjects"))...)
		},
	})
}
