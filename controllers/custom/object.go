package custom

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
)

// fieldStatus is the field of an object that has an endpoint of its own.
const fieldStatus = "status"

// Objects builds objects of any kind from what a declaration spells out. A field that is null counts as not there: nobody
// can own it. A status is part of the object, unless the declaration says that the kind has none; whoever writes the object
// has to send it apart.
func Objects() controllers.Kind {
	return controllers.Of(controllers.Spec[orkv1.Custom]{
		Kind:      controllers.Kind{Key: "custom", Scope: controllers.ScopeUnknown},
		List:      func(b *orkv1.Block) []orkv1.Custom { return b.Custom },
		Common:    common,
		CheckName: content.IsPathSegmentName,
		GVK:       gvk,
		Scope:     scope,
		Build:     build,
	})
}

func common(in *orkv1.Custom) controllers.Common {
	return controllers.Common{
		Conditions:  in.Conditions,
		Policy:      in.EntryPolicy,
		Name:        in.Metadata.Name,
		Namespace:   in.Metadata.Namespace,
		Labels:      in.Metadata.Labels,
		Annotations: in.Metadata.Annotations,
		At:          "metadata",
	}
}

func scope(in *orkv1.Custom) controllers.Scope {
	switch {
	case in.Metadata.Namespaced == nil:
		return controllers.ScopeUnknown
	case *in.Metadata.Namespaced:
		return controllers.Namespaced
	default:
		return controllers.ClusterScoped
	}
}

// gvk is static: the controller watches the kind before it renders anything.
func gvk(in *orkv1.Custom, at *field.Path) (schema.GroupVersionKind, field.ErrorList) {
	var errs field.ErrorList
	for _, f := range []struct{ name, value, example string }{
		{"apiVersion", in.APIVersion, "monitoring.coreos.com/v1"},
		{"kind", in.Kind, "ServiceMonitor"},
	} {
		switch {
		case f.value == "":
			errs = append(errs, field.Required(at.Child(f.name), "is required, such as "+f.example))
		case strings.Contains(f.value, "{{"):
			errs = append(errs, field.Invalid(at.Child(f.name), f.value, "must not be a template: the kind is watched before anything is rendered"))
		}
	}
	gv, err := schema.ParseGroupVersion(in.APIVersion)
	if err != nil {
		errs = append(errs, field.Invalid(at.Child("apiVersion"), in.APIVersion, "is not <group>/<version>"))
	}
	if len(errs) > 0 {
		return schema.GroupVersionKind{}, errs
	}
	return gv.WithKind(in.Kind), nil
}

func build(d *controllers.Draft, in *orkv1.Custom, at *field.Path) any {
	if scope(in) == controllers.ClusterScoped && in.Metadata.Namespace != "" {
		d.Report(field.Forbidden(at.Child("metadata", "namespace"), "a namespace makes no sense with namespaced: false: remove one of them"))
	}
	object, errs := plain(in.Object, at)
	d.Report(errs...)
	if in.HasStatus != nil && !*in.HasStatus {
		delete(object, fieldStatus)
	}
	return object
}
