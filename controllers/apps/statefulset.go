package apps

import (
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	appsv1ac "k8s.io/client-go/applyconfigurations/apps/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/controllers/core"
)

// StatefulSets builds apps/v1 StatefulSets.
func StatefulSets() controllers.Kind {
	return controllers.Of(controllers.Spec[orkv1.StatefulSet]{
		Kind: controllers.Kind{
			Key: "statefulSets",
			GVK: appsv1.SchemeGroupVersion.WithKind("StatefulSet"),
		},
		List:     func(b *orkv1.Block) []orkv1.StatefulSet { return b.StatefulSets },
		Common:   func(in *orkv1.StatefulSet) controllers.Common { return controllers.CommonOf(&in.Entry) },
		SameName: true,
		// Pods carry the name, and it is part of theirs.
		CheckName: validation.IsDNS1123Label,
		Build:     buildStatefulSet,
	})
}

func buildStatefulSet(d *controllers.Draft, in *orkv1.StatefulSet, at *field.Path) any {
	service := d.Name
	if declared := d.Text(in.ServiceName); declared != nil {
		service = *declared
		if msgs := validation.IsDNS1123Label(service); len(msgs) > 0 {
			d.Report(field.Invalid(at.Child("serviceName"), service, "is not the name of a Service: "+strings.Join(msgs, ", ")))
		}
	}
	claims, pods := claimTemplates(d, in, at.Child("volumeClaimTemplates"))
	template := corev1ac.PodTemplateSpec().WithLabels(d.WorkloadLabels()).WithSpec(core.PodSpec(d, pods, at))
	spec := appsv1ac.StatefulSetSpec().
		WithReplicas(replicas(d, in.Replicas, at.Child("replicas"))).
		WithServiceName(service).
		WithSelector(metav1ac.LabelSelector().WithMatchLabels(d.WorkloadSelector())).
		WithTemplate(template).
		WithVolumeClaimTemplates(claims...)
	spec.UpdateStrategy = ordinalUpdate(d, in.RollingUpdate, at.Child("rollingUpdate"))
	return appsv1ac.StatefulSet(d.Name, "").WithSpec(spec)
}

// claimTemplates makes the claims, and the pods that mount them.
func claimTemplates(
	d *controllers.Draft, in *orkv1.StatefulSet, at *field.Path,
) ([]*corev1ac.PersistentVolumeClaimApplyConfiguration, core.Workload) {
	workload := in.Workload
	workload.Image = tagged(d, in.Image, in.Tag)
	workload.VolumeMounts = slices.Clone(workload.VolumeMounts)
	pods := core.Workload{Workload: &workload}
	claims := make([]*corev1ac.PersistentVolumeClaimApplyConfiguration, 0, len(in.VolumeClaimTemplates))
	seen := map[string]bool{}
	for i := range in.VolumeClaimTemplates {
		v, at := &in.VolumeClaimTemplates[i], at.Index(i)
		pods.Claims = append(pods.Claims, v.Name)
		if strings.TrimSpace(string(v.MountPath)) != "" {
			workload.VolumeMounts = append(workload.VolumeMounts, orkv1.VolumeMount{Name: v.Name, MountPath: v.MountPath})
		}
		name := d.Required(v.Name, "a volume needs a name", at.Child("name"))
		if name != nil {
			if msgs := validation.IsDNS1123Label(*name); len(msgs) > 0 {
				d.Report(field.Invalid(at.Child("name"), *name, "is not the name of a volume: "+strings.Join(msgs, ", ")))
			}
			if seen[*name] || slices.ContainsFunc(in.Volumes, func(v orkv1.Volume) bool { return strings.TrimSpace(string(v.Name)) == *name }) {
				d.Report(field.Invalid(at.Child("name"), *name, "is the name of another volume: choose another one"))
			}
			seen[*name] = true
		}
		claim := &corev1ac.PersistentVolumeClaimApplyConfiguration{ObjectMetaApplyConfiguration: &metav1ac.ObjectMetaApplyConfiguration{Name: name}}
		claims = append(claims, claim.WithSpec(core.ClaimSpec(d, core.Claim{
			Storage: v.StorageSize, StorageAt: at.Child("storageSize"),
			Class: v.StorageClass, Modes: v.AccessModes, ModesAt: at.Child("accessModes"), VolumeMode: corev1.PersistentVolumeFilesystem,
		})))
	}
	return claims, pods
}

// tagged puts the tag, which defaults to latest, after an image that has neither a tag nor a digest.
func tagged(d *controllers.Draft, image, tag orkv1.Template) orkv1.Template {
	name := strings.TrimSpace(string(image))
	if name == "" || !d.Known(image) || !d.Known(tag) || strings.Contains(name, "@") {
		return image
	}
	if strings.Contains(name[strings.LastIndex(name, "/")+1:], ":") { // a colon before that is a port
		return image
	}
	if text := d.Text(tag); text != nil {
		return orkv1.Template(name + ":" + *text)
	}
	return orkv1.Template(name + ":latest")
}

// ordinalUpdate is the rollout of pods that are replaced one after the other: none is made in addition.
func ordinalUpdate(d *controllers.Draft, in *orkv1.RollingUpdate, at *field.Path) *appsv1ac.StatefulSetUpdateStrategyApplyConfiguration {
	if in == nil {
		return nil
	}
	if strings.TrimSpace(string(in.MaxSurge)) != "" {
		d.Report(field.Forbidden(at.Child("maxSurge"), "a StatefulSet has none; set maxUnavailable"))
	}
	unavailable := d.IntOrPercent(in.MaxUnavailable, at.Child("maxUnavailable"))
	if unavailable == nil {
		return nil
	}
	switch {
	case isZero(unavailable):
		d.Report(field.Invalid(at.Child("maxUnavailable"), unavailable.String(), "stops every rollout: raise it"))
	case percentage(unavailable) > 100:
		d.Report(field.Invalid(at.Child("maxUnavailable"), unavailable.String(), "is more than 100%"))
	}
	return appsv1ac.StatefulSetUpdateStrategy().
		WithType(appsv1.RollingUpdateStatefulSetStrategyType).
		WithRollingUpdate(appsv1ac.RollingUpdateStatefulSetStrategy().WithMaxUnavailable(*unavailable))
}
