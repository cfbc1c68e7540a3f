package core

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
)

// Claims builds v1 PersistentVolumeClaims. Of one that is bound the storage alone can change, and only grow.
func Claims() controllers.Kind {
	return controllers.Of(controllers.Spec[orkv1.PersistentVolumeClaim]{
		Kind: controllers.Kind{
			Key: "persistentVolumeClaims",
			GVK: corev1.SchemeGroupVersion.WithKind("PersistentVolumeClaim"),
		},
		List:       func(b *orkv1.Block) []orkv1.PersistentVolumeClaim { return b.PersistentVolumeClaims },
		Common:     func(in *orkv1.PersistentVolumeClaim) controllers.Common { return controllers.CommonOf(&in.Entry) },
		NameSuffix: "-pvc",
		Build:      buildClaim,
	})
}

func buildClaim(d *controllers.Draft, in *orkv1.PersistentVolumeClaim, at *field.Path) any {
	mode := corev1.PersistentVolumeFilesystem
	if text := d.OneOf(in.VolumeMode, at.Child("volumeMode"), string(corev1.PersistentVolumeFilesystem),
		string(corev1.PersistentVolumeBlock)); text != nil {
		mode = corev1.PersistentVolumeMode(*text)
	}
	spec := ClaimSpec(d, Claim{
		Storage: in.Storage, StorageAt: at.Child("storage"),
		Class: in.StorageClassName, Modes: in.AccessModes, ModesAt: at.Child("accessModes"), VolumeMode: mode,
	})
	spec.VolumeName = d.Text(in.VolumeName)
	return corev1ac.PersistentVolumeClaim(d.Name, "").WithSpec(spec)
}

// Claim tells what storage is asked for.
type Claim struct {
	// Storage is a quantity, StorageAt where it is declared.
	Storage   orkv1.Template
	StorageAt *field.Path
	// Class of the storage. Empty, the cluster's default.
	Class orkv1.Template
	// Modes of access default to ReadWriteOnce. ModesAt is where they are declared.
	Modes      []orkv1.Template
	ModesAt    *field.Path
	VolumeMode corev1.PersistentVolumeMode
}

// ClaimSpec makes the claim. Nothing of it may be left to the API server's defaults: most of it can't change later.
func ClaimSpec(d *controllers.Draft, c Claim) *corev1ac.PersistentVolumeClaimSpecApplyConfiguration {
	spec := corev1ac.PersistentVolumeClaimSpec().
		WithAccessModes(accessModes(d, c.Modes, c.ModesAt)...).
		WithVolumeMode(c.VolumeMode)
	spec.StorageClassName = d.Text(c.Class)
	d.Required(c.Storage, "the size of the storage is required", c.StorageAt)
	if storage := d.Quantity(c.Storage, c.StorageAt); storage != nil {
		if storage.Sign() == 0 {
			d.Report(field.Invalid(c.StorageAt, storage.String(), "is no storage: it must be above 0"))
		}
		spec.WithResources(corev1ac.VolumeResourceRequirements().WithRequests(corev1.ResourceList{corev1.ResourceStorage: *storage}))
	}
	return spec
}

func accessModes(d *controllers.Draft, texts []orkv1.Template, at *field.Path) []corev1.PersistentVolumeAccessMode {
	var modes []corev1.PersistentVolumeAccessMode
	for i, text := range texts {
		if mode := d.OneOf(text, at.Index(i), string(corev1.ReadWriteOnce), string(corev1.ReadOnlyMany),
			string(corev1.ReadWriteMany), string(corev1.ReadWriteOncePod)); mode != nil {
			modes = append(modes, corev1.PersistentVolumeAccessMode(*mode))
		}
	}
	if len(modes) == 0 {
		return []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
	}
	return modes
}
