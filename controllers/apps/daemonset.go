package apps

import (
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation/field"
	appsv1ac "k8s.io/client-go/applyconfigurations/apps/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
	"github.com/orkestra-runtime/orkestra/controllers/core"
)

// DaemonSets builds apps/v1 DaemonSets.
func DaemonSets() controllers.Kind {
	return controllers.Of(controllers.Spec[orkv1.DaemonSet]{
		Kind: controllers.Kind{
			Key: "daemonSets",
			GVK: appsv1.SchemeGroupVersion.WithKind("DaemonSet"),
		},
		List:       func(b *orkv1.Block) []orkv1.DaemonSet { return b.DaemonSets },
		Common:     func(in *orkv1.DaemonSet) controllers.Common { return controllers.CommonOf(&in.Entry) },
		NameSuffix: "-daemonset",
		Build:      buildDaemonSet,
	})
}

func buildDaemonSet(d *controllers.Draft, in *orkv1.DaemonSet, at *field.Path) any {
	spec := appsv1ac.DaemonSetSpec().
		WithSelector(metav1ac.LabelSelector().WithMatchLabels(d.WorkloadSelector())).
		WithTemplate(core.PodTemplate(d, &in.Workload, d.WorkloadLabels(), at))
	spec.UpdateStrategy = nodeUpdate(d, in.RollingUpdate, at.Child("rollingUpdate"))
	return appsv1ac.DaemonSet(d.Name, "").WithSpec(spec)
}

// nodeUpdate is the rollout of pods of which each node has one: on a node the new pod comes either before the old one goes or after
// it, so that one of the two bounds is 0.
func nodeUpdate(d *controllers.Draft, in *orkv1.RollingUpdate, at *field.Path) *appsv1ac.DaemonSetUpdateStrategyApplyConfiguration {
	if in == nil {
		return nil
	}
	update := appsv1ac.RollingUpdateDaemonSet()
	update.MaxSurge = d.IntOrPercent(in.MaxSurge, at.Child("maxSurge"))
	update.MaxUnavailable = d.IntOrPercent(in.MaxUnavailable, at.Child("maxUnavailable"))
	surge, unavailable := update.MaxSurge, update.MaxUnavailable
	if surge == nil && unavailable == nil {
		return nil
	}
	for _, one := range []struct {
		name  string
		bound *intstr.IntOrString
	}{{"maxSurge", surge}, {"maxUnavailable", unavailable}} {
		if percentage(one.bound) > 100 {
			d.Report(field.Invalid(at.Child(one.name), one.bound.String(), "is more than 100%"))
		}
	}
	switch surges := surge != nil && !isZero(surge); {
	case surges && unavailable == nil:
		// The API server's default is 1, which it then refuses.
		update.WithMaxUnavailable(intstr.FromInt32(0))
	case surges && !isZero(unavailable):
		d.Report(field.Forbidden(at.Child("maxUnavailable"), "must be 0 with a maxSurge: a pod comes either before the old one goes or after it"))
	case !surges && isZero(unavailable):
		d.Report(field.Invalid(at.Child("maxUnavailable"), unavailable.String(), "stops every rollout without a maxSurge: raise one of them"))
	}
	return appsv1ac.DaemonSetUpdateStrategy().
		WithType(appsv1.RollingUpdateDaemonSetStrategyType).
		WithRollingUpdate(update)
}
