package core

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
)

// ResourceQuotas builds v1 ResourceQuotas.
func ResourceQuotas() controllers.Kind {
	return controllers.Of(controllers.Spec[orkv1.ResourceQuota]{
		Kind:       controllers.Kind{Key: "resourceQuotas", GVK: corev1.SchemeGroupVersion.WithKind("ResourceQuota")},
		List:       func(b *orkv1.Block) []orkv1.ResourceQuota { return b.ResourceQuotas },
		Common:     func(in *orkv1.ResourceQuota) controllers.Common { return controllers.CommonOf(&in.Entry) },
		NameSuffix: "-quota",
		Copying: &controllers.Copying[orkv1.ResourceQuota]{
			Of: func(in *orkv1.ResourceQuota) controllers.Copy {
				return controllers.Copy{
					From: in.FromResourceQuota, FromField: "fromResourceQuota", FromNamespace: in.FromNamespace, ToNamespaces: in.ToNamespaces,
				}
			},
			Fields: []string{"spec"},
		},
		Build: buildResourceQuota,
	})
}

func buildResourceQuota(d *controllers.Draft, in *orkv1.ResourceQuota, at *field.Path) any {
	// A profile or a source, where there is one, fills in the limits.
	if len(in.Hard) == 0 && in.Profile == "" && in.FromResourceQuota == "" {
		d.Report(field.Required(at.Child("hard"), "at least one limit is required"))
	}
	return corev1ac.ResourceQuota(d.Name, "").WithSpec(corev1ac.ResourceQuotaSpec().WithHard(bounds(d, in.Hard, at.Child("hard"))))
}

// bounds reads quantities by the name of any resource.
func bounds(d *controllers.Draft, texts map[string]orkv1.Template, at *field.Path) corev1.ResourceList {
	list := corev1.ResourceList{}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if msgs := validation.IsQualifiedName(name); len(msgs) > 0 {
			d.Report(field.Invalid(at, name, "is not the name of a resource: "+strings.Join(msgs, ", ")))
		}
		if quantity := d.Quantity(texts[name], at.Key(name)); quantity != nil {
			list[corev1.ResourceName(name)] = *quantity
		}
	}
	return list
}
