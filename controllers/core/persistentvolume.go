package core

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
)

// PersistentVolumes builds v1 PersistentVolumes.
func PersistentVolumes() controllers.Kind {
	return controllers.Of(controllers.Spec[orkv1.PersistentVolume]{
		Kind: controllers.Kind{
			Key:   "persistentVolumes",
			GVK:   corev1.SchemeGroupVersion.WithKind("PersistentVolume"),
			Scope: controllers.ClusterScoped,
		},
		List:       func(b *orkv1.Block) []orkv1.PersistentVolume { return b.PersistentVolumes },
		Common:     func(in *orkv1.PersistentVolume) controllers.Common { return controllers.CommonOf(&in.Entry) },
		NameSuffix: "-pv",
		Build:      buildPersistentVolume,
	})
}

func buildPersistentVolume(d *controllers.Draft, in *orkv1.PersistentVolume, at *field.Path) any {
	policy := corev1.PersistentVolumeReclaimRetain
	if text := d.OneOf(in.ReclaimPolicy, at.Child("reclaimPolicy"), string(corev1.PersistentVolumeReclaimRetain),
		string(corev1.PersistentVolumeReclaimDelete), string(corev1.PersistentVolumeReclaimRecycle)); text != nil {
		policy = corev1.PersistentVolumeReclaimPolicy(*text)
	}
	spec := corev1ac.PersistentVolumeSpec().
		WithAccessModes(accessModes(d, in.AccessModes, at.Child("accessModes"))...).
		WithPersistentVolumeReclaimPolicy(policy)
	spec.StorageClassName = d.Text(in.StorageClassName)
	d.Required(in.Capacity, "the capacity is required", at.Child("capacity"))
	if capacity := d.Quantity(in.Capacity, at.Child("capacity")); capacity != nil {
		if capacity.Sign() == 0 {
			d.Report(field.Invalid(at.Child("capacity"), capacity.String(), "is no storage: it must be above 0"))
		}
		spec.WithCapacity(corev1.ResourceList{corev1.ResourceStorage: *capacity})
	}
	d.ExactlyOne(at, controllers.Choice{Name: "hostPath", Given: given(in.HostPath)}, controllers.Choice{Name: "csiDriver", Given: given(in.CSIDriver)})
	if path := d.Text(in.HostPath); path != nil {
		spec.WithHostPath(corev1ac.HostPathVolumeSource().WithPath(*path))
	}
	if given(in.CSIDriver) != given(in.CSIVolumeHandle) {
		d.Report(field.Required(at.Child("csiVolumeHandle"), "csiDriver and csiVolumeHandle need each other"))
	}
	if driver, handle := d.Text(in.CSIDriver), d.Text(in.CSIVolumeHandle); driver != nil && handle != nil {
		spec.WithCSI(corev1ac.CSIPersistentVolumeSource().WithDriver(*driver).WithVolumeHandle(*handle))
	}
	return corev1ac.PersistentVolume(d.Name).WithSpec(spec)
}

// given tells whether a declaration says something, be it a template.
func given(text orkv1.Template) bool { return strings.TrimSpace(string(text)) != "" }
