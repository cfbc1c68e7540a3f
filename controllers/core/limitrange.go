package core

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
)

// LimitRanges builds v1 LimitRanges.
func LimitRanges() controllers.Kind {
	return controllers.Of(controllers.Spec[orkv1.LimitRange]{
		Kind:       controllers.Kind{Key: "limitRanges", GVK: corev1.SchemeGroupVersion.WithKind("LimitRange")},
		List:       func(b *orkv1.Block) []orkv1.LimitRange { return b.LimitRanges },
		Common:     func(in *orkv1.LimitRange) controllers.Common { return controllers.CommonOf(&in.Entry) },
		NameSuffix: "-limits",
		Copying: &controllers.Copying[orkv1.LimitRange]{
			Of: func(in *orkv1.LimitRange) controllers.Copy {
				return controllers.Copy{
					From: in.FromLimitRange, FromField: "fromLimitRange", FromNamespace: in.FromNamespace, ToNamespaces: in.ToNamespaces,
				}
			},
			Fields: []string{"spec"},
		},
		Build: buildLimitRange,
	})
}

func buildLimitRange(d *controllers.Draft, in *orkv1.LimitRange, at *field.Path) any {
	// A profile or a source, where there is one, fills in the limits.
	if len(in.Limits) == 0 && in.Profile == "" && in.FromLimitRange == "" {
		d.Report(field.Required(at.Child("limits"), "at least one limit is required"))
	}
	spec := corev1ac.LimitRangeSpec()
	for i := range in.Limits {
		spec.WithLimits(limit(d, &in.Limits[i], at.Child("limits").Index(i)))
	}
	return corev1ac.LimitRange(d.Name, "").WithSpec(spec)
}

func limit(d *controllers.Draft, in *orkv1.LimitRangeItem, at *field.Path) *corev1ac.LimitRangeItemApplyConfiguration {
	item := corev1ac.LimitRangeItem()
	d.Required(in.Type, "a type is required: Container, Pod or PersistentVolumeClaim", at.Child("type"))
	if kind := d.OneOf(in.Type, at.Child("type"), string(corev1.LimitTypeContainer), string(corev1.LimitTypePod),
		string(corev1.LimitTypePersistentVolumeClaim)); kind != nil {
		item.WithType(corev1.LimitType(*kind))
		if *kind != string(corev1.LimitTypeContainer) && len(in.Default)+len(in.DefaultRequest) > 0 {
			d.Report(field.Forbidden(at.Child("default"), "only a Container has defaults: remove default and defaultRequest"))
		}
	}
	item.Min = optionalBounds(d, in.Min, at.Child("min"))
	item.DefaultRequest = optionalBounds(d, in.DefaultRequest, at.Child("defaultRequest"))
	item.Default = optionalBounds(d, in.Default, at.Child("default"))
	item.Max = optionalBounds(d, in.Max, at.Child("max"))
	item.MaxLimitRequestRatio = optionalBounds(d, in.MaxLimitRequestRatio, at.Child("maxLimitRequestRatio"))
	inOrder(d, at, []bound{
		{"min", item.Min}, {"defaultRequest", item.DefaultRequest}, {"default", item.Default}, {"max", item.Max},
	})
	return item
}

// optionalBounds is nil without any.
func optionalBounds(d *controllers.Draft, texts map[string]orkv1.Template, at *field.Path) *corev1.ResourceList {
	if list := bounds(d, texts, at); len(list) > 0 {
		return &list
	}
	return nil
}

type bound struct {
	name string
	list *corev1.ResourceList
}

// inOrder reports a quantity that is above one of a later list.
func inOrder(d *controllers.Draft, at *field.Path, ascending []bound) {
	for i, low := range ascending {
		for _, high := range ascending[i+1:] {
			if low.list == nil || high.list == nil {
				continue
			}
			for _, name := range slices.Sorted(maps.Keys(*low.list)) {
				least := (*low.list)[name]
				if most, ok := (*high.list)[name]; ok && least.Cmp(most) > 0 {
					d.Report(field.Invalid(at.Child(low.name).Key(string(name)), least.String(),
						fmt.Sprintf("is more than %s, which is %s", high.name, most.String())))
				}
			}
		}
	}
}
