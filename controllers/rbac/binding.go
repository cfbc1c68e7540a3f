package rbac

import (
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	rbacv1ac "k8s.io/client-go/applyconfigurations/rbac/v1"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
)

const (
	kindRole        = "Role"
	kindClusterRole = "ClusterRole"
)

// roleRef names the role that is granted. Kinds are those that it may be of, the default first.
func roleRef(d *controllers.Draft, in *orkv1.RoleRef, at *field.Path, kinds ...string) *rbacv1ac.RoleRefApplyConfiguration {
	reference := rbacv1ac.RoleRef().WithAPIGroup(rbacv1.GroupName).WithKind(kinds[0])
	if in == nil {
		d.Report(field.Required(at, "the role that is granted is required"))
		return reference
	}
	reference.Name = d.Required(in.Name, "the name of a role is required", at.Child("name"))
	if kind := d.OneOf(in.Kind, at.Child("kind"), kinds...); kind != nil {
		reference.WithKind(*kind)
	}
	d.OneOf(in.APIGroup, at.Child("apiGroup"), rbacv1.GroupName)
	return reference
}

func subjects(d *controllers.Draft, declared []orkv1.Subject, at *field.Path) []*rbacv1ac.SubjectApplyConfiguration {
	if len(declared) == 0 {
		d.Report(field.Required(at, "at least one subject is required"))
	}
	built := make([]*rbacv1ac.SubjectApplyConfiguration, 0, len(declared))
	for i := range declared {
		built = append(built, subject(d, &declared[i], at.Index(i)))
	}
	return built
}

func subject(d *controllers.Draft, in *orkv1.Subject, at *field.Path) *rbacv1ac.SubjectApplyConfiguration {
	kind := rbacv1.ServiceAccountKind
	if text := d.OneOf(in.Kind, at.Child("kind"), rbacv1.ServiceAccountKind, rbacv1.UserKind, rbacv1.GroupKind); text != nil {
		kind = *text
	}
	built := rbacv1ac.Subject().WithKind(kind)
	built.Name = d.Required(in.Name, "a name is required", at.Child("name"))
	namespace := d.Text(in.Namespace)
	if !d.Known(in.Kind) {
		return built
	}
	if kind != rbacv1.ServiceAccountKind {
		if in.Namespace != "" {
			d.Report(field.Forbidden(at.Child("namespace"), "a "+kind+" has none: remove it"))
		}
		d.OneOf(in.APIGroup, at.Child("apiGroup"), rbacv1.GroupName)
		return built.WithAPIGroup(rbacv1.GroupName)
	}
	if in.APIGroup != "" {
		d.Report(field.Forbidden(at.Child("apiGroup"), "a ServiceAccount has none: remove it"))
	}
	switch {
	case namespace != nil:
		built.WithNamespace(*namespace)
	case d.Namespace() != "":
		built.WithNamespace(d.Namespace())
	case d.Rendered():
		d.Report(field.Required(at.Child("namespace"), "the namespace of the ServiceAccount is required: the resource is cluster-scoped"))
	}
	return built
}
