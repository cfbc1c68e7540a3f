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

// Deployments builds apps/v1 Deployments.
func Deployments() controllers.Kind {
	return controllers.Of(controllers.Spec[orkv1.Deployment]{
		Kind: controllers.Kind{
			Key: "deployments",
			GVK: appsv1.SchemeGroupVersion.WithKind("Deployment"),
		},
		List:       func(b *orkv1.Block) []orkv1.Deployment { return b.Deployments },
		Common:     func(in *orkv1.Deployment) controllers.Common { return controllers.CommonOf(&in.Entry) },
		NameSuffix: "-deployment",
		Build:      buildDeployment,
	})
}

func buildDeployment(d *controllers.Draft, in *orkv1.Deployment, at *field.Path) any {
	spec := appsv1ac.DeploymentSpec().
		WithSelector(metav1ac.LabelSelector().WithMatchLabels(d.WorkloadSelector())).
		WithTemplate(core.PodTemplate(d, &in.Workload, d.WorkloadLabels(), at)).
		WithReplicas(replicas(d, in.Replicas, at.Child("replicas")))
	spec.Strategy = rollingUpdate(d, in.RollingUpdate, at.Child("rollingUpdate"))
	return appsv1ac.Deployment(d.Name, "").WithSpec(spec)
}

func rollingUpdate(d *controllers.Draft, in *orkv1.RollingUpdate, at *field.Path) *appsv1ac.DeploymentStrategyApplyConfiguration {
	if in == nil {
		return nil
	}
	update := appsv1ac.RollingUpdateDeployment()
	update.MaxSurge = d.IntOrPercent(in.MaxSurge, at.Child("maxSurge"))
	update.MaxUnavailable = d.IntOrPercent(in.MaxUnavailable, at.Child("maxUnavailable"))
	if update.MaxSurge == nil && update.MaxUnavailable == nil {
		return nil
	}
	if percentage(update.MaxUnavailable) > 100 {
		d.Report(field.Invalid(at.Child("maxUnavailable"), update.MaxUnavailable.String(), "is more than 100%"))
	}
	if isZero(update.MaxSurge) && isZero(update.MaxUnavailable) {
		d.Report(field.Invalid(at.Child("maxUnavailable"), update.MaxUnavailable.String(),
			"stops every rollout while maxSurge is 0 as well: raise one of them"))
	}
	return appsv1ac.DeploymentStrategy().
		WithType(appsv1.RollingUpdateDeploymentStrategyType).
		WithRollingUpdate(update)
}

func isZero(n *intstr.IntOrString) bool {
	return n != nil && n.IntValue() == 0 && percentage(n) == 0
}

// percentage is 0 for a number.
func percentage(n *intstr.IntOrString) int {
	if n == nil || n.Type == intstr.Int {
		return 0
	}
	// A value of 100 makes the scaled value the percentage itself.
	value, err := intstr.GetScaledValueFromIntOrPercent(n, 100, true)
	if err != nil {
		return 0
	}
	return value
}
