package core

import (
	"fmt"
	"path"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
)

func volumes(d *controllers.Draft, declared []orkv1.Volume, at *field.Path) []*corev1ac.VolumeApplyConfiguration {
	built := make([]*corev1ac.VolumeApplyConfiguration, 0, len(declared))
	seen := map[string]bool{}
	for i := range declared {
		v, at := &declared[i], at.Index(i)
		name := d.Required(v.Name, "a volume needs a name", at.Child("name"))
		if name != nil {
			if msgs := validation.IsDNS1123Label(*name); len(msgs) > 0 {
				d.Report(field.Invalid(at.Child("name"), *name, "is not the name of a volume: "+strings.Join(msgs, ", ")))
			}
			if seen[*name] {
				d.Report(field.Invalid(at.Child("name"), *name, "is the name of another volume: choose another one"))
			}
			seen[*name] = true
		}
		d.ExactlyOne(at,
			controllers.Choice{Name: "configMap", Given: v.ConfigMap != nil},
			controllers.Choice{Name: "secret", Given: v.Secret != nil},
			controllers.Choice{Name: "emptyDir", Given: v.EmptyDir != nil},
			controllers.Choice{Name: "persistentVolumeClaim", Given: v.PersistentVolumeClaim != nil},
			controllers.Choice{Name: "hostPath", Given: v.HostPath != nil})
		built = append(built, &corev1ac.VolumeApplyConfiguration{Name: name, VolumeSourceApplyConfiguration: volumeSource(d, v, at)})
	}
	return built
}

func volumeSource(d *controllers.Draft, v *orkv1.Volume, at *field.Path) corev1ac.VolumeSourceApplyConfiguration {
	var source corev1ac.VolumeSourceApplyConfiguration
	if v.ConfigMap != nil {
		source.ConfigMap = corev1ac.ConfigMapVolumeSource()
		source.ConfigMap.Name = d.Required(v.ConfigMap.Name, "the name of the ConfigMap is required", at.Child("configMap", "name"))
	}
	if v.Secret != nil {
		name, at := v.Secret.Name, at.Child("secret", "name")
		if name == "" {
			name = v.Secret.SecretName
		} else if v.Secret.SecretName != "" {
			d.Report(field.Forbidden(at, "name and secretName mean the same: remove one of them"))
		}
		source.Secret = corev1ac.SecretVolumeSource()
		source.Secret.SecretName = d.Required(name, "the name of the Secret is required", at)
	}
	if v.EmptyDir != nil {
		source.EmptyDir = emptyDir(d, v.EmptyDir, at.Child("emptyDir"))
	}
	if v.PersistentVolumeClaim != nil {
		source.PersistentVolumeClaim = corev1ac.PersistentVolumeClaimVolumeSource()
		source.PersistentVolumeClaim.ClaimName = d.Required(v.PersistentVolumeClaim.ClaimName,
			"the name of the PersistentVolumeClaim is required", at.Child("persistentVolumeClaim", "claimName"))
	}
	if v.HostPath != nil {
		source.HostPath = corev1ac.HostPathVolumeSource()
		source.HostPath.Path = d.Required(v.HostPath.Path, "a path is required", at.Child("hostPath", "path"))
	}
	return source
}

func emptyDir(d *controllers.Draft, e *orkv1.EmptyDir, at *field.Path) *corev1ac.EmptyDirVolumeSourceApplyConfiguration {
	source := corev1ac.EmptyDirVolumeSource()
	if medium := d.OneOf(e.Medium, at.Child("medium"), string(corev1.StorageMediumMemory), string(corev1.StorageMediumHugePages)); medium != nil {
		source.WithMedium(corev1.StorageMedium(*medium))
	}
	source.SizeLimit = d.Quantity(e.SizeLimit, at.Child("sizeLimit"))
	return source
}

func mounts(d *controllers.Draft, w *Workload, at *field.Path) []*corev1ac.VolumeMountApplyConfiguration {
	built := make([]*corev1ac.VolumeMountApplyConfiguration, 0, len(w.VolumeMounts))
	seen := map[string]bool{}
	for i := range w.VolumeMounts {
		m, at := &w.VolumeMounts[i], at.Index(i)
		mount := corev1ac.VolumeMount()
		mount.Name = d.Required(m.Name, "the name of a volume is required", at.Child("name"))
		mount.MountPath = d.Required(m.MountPath, "a path is required", at.Child("mountPath"))
		mount.SubPath = d.Text(m.SubPath)
		if m.ReadOnly {
			mount.WithReadOnly(true)
		}
		if names := w.volumeNames(); mount.Name != nil && !hasVolume(d, names, *mount.Name) {
			d.Report(field.Invalid(at.Child("name"), *mount.Name, "is not one of the volumes: "+listed(names)))
		}
		if mount.MountPath != nil {
			if seen[*mount.MountPath] {
				d.Report(field.Invalid(at.Child("mountPath"), *mount.MountPath, "is the path of another mount: choose another one"))
			}
			seen[*mount.MountPath] = true
		}
		if mount.SubPath != nil && (path.IsAbs(*mount.SubPath) || slices.Contains(strings.Split(*mount.SubPath, "/"), "..")) {
			d.Report(field.Invalid(at.Child("subPath"), *mount.SubPath, "leaves the volume: it must be relative and without .."))
		}
		built = append(built, mount)
	}
	return built
}

// volumeNames are the names that a mount may have, as they are declared.
func (p *Workload) volumeNames() []orkv1.Template {
	names := slices.Clone(p.Claims)
	for i := range p.Volumes {
		names = append(names, p.Volumes[i].Name)
	}
	return names
}

// hasVolume gives a volume whose name is not known yet the benefit of the doubt.
func hasVolume(d *controllers.Draft, names []orkv1.Template, name string) bool {
	return slices.ContainsFunc(names, func(declared orkv1.Template) bool {
		return !d.Known(declared) || strings.TrimSpace(string(declared)) == name
	})
}

func listed(names []orkv1.Template) string {
	if len(names) == 0 {
		return "there are none"
	}
	quoted := make([]string, 0, len(names))
	for _, name := range names {
		quoted = append(quoted, fmt.Sprintf("%q", strings.TrimSpace(string(name))))
	}
	return strings.Join(quoted, ", ")
}
