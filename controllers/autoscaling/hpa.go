package autoscaling

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	autoscalingv2ac "k8s.io/client-go/applyconfigurations/autoscaling/v2"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/controllers"
)

// defaultCPU is the load that is kept if a declaration does not say, in percent of what the pods ask for.
const defaultCPU = 80

// HPAs builds autoscaling/v2 HorizontalPodAutoscalers of the CPU load.
func HPAs() controllers.Kind {
	return controllers.Of(controllers.Spec[orkv1.HPA]{
		Kind:       controllers.Kind{Key: "hpa", GVK: autoscalingv2.SchemeGroupVersion.WithKind("HorizontalPodAutoscaler")},
		List:       func(b *orkv1.Block) []orkv1.HPA { return b.HPA },
		Common:     func(in *orkv1.HPA) controllers.Common { return controllers.CommonOf(&in.Entry) },
		NameSuffix: "-hpa",
		Build:      buildHPA,
	})
}

func buildHPA(d *controllers.Draft, in *orkv1.HPA, at *field.Path) any {
	spec := autoscalingv2ac.HorizontalPodAutoscalerSpec().
		WithScaleTargetRef(target(d, in.ScaleTargetRef, at.Child("scaleTargetRef"))).
		WithMinReplicas(1)
	if least := d.Int32(in.MinReplicas, 1, at.Child("minReplicas")); least != nil {
		spec.WithMinReplicas(*least)
	}
	d.Required(in.MaxReplicas, "the largest number of replicas is required", at.Child("maxReplicas"))
	if most := d.Int32(in.MaxReplicas, 1, at.Child("maxReplicas")); most != nil {
		spec.WithMaxReplicas(*most)
		if d.Known(in.MinReplicas) && *most < *spec.MinReplicas {
			d.Report(field.Invalid(at.Child("maxReplicas"), *most, "is below minReplicas: raise it, or lower minReplicas"))
		}
	}
	load := int32(defaultCPU)
	if percent := d.Int32(in.TargetCPUUtilizationPercentage, 1, at.Child("targetCPUUtilizationPercentage")); percent != nil {
		load = *percent
	}
	spec.WithMetrics(autoscalingv2ac.MetricSpec().
		WithType(autoscalingv2.ResourceMetricSourceType).
		WithResource(autoscalingv2ac.ResourceMetricSource().
			WithName(corev1.ResourceCPU).
			WithTarget(autoscalingv2ac.MetricTarget().
				WithType(autoscalingv2.UtilizationMetricType).
				WithAverageUtilization(load))))
	if b := in.Behavior; b != nil && (b.ScaleUp != nil || b.ScaleDown != nil) {
		at := at.Child("behavior")
		spec.WithBehavior(&autoscalingv2ac.HorizontalPodAutoscalerBehaviorApplyConfiguration{
			ScaleUp:   scaling(d, b.ScaleUp, at.Child("scaleUp")),
			ScaleDown: scaling(d, b.ScaleDown, at.Child("scaleDown")),
		})
	}
	return autoscalingv2ac.HorizontalPodAutoscaler(d.Name, "").WithSpec(spec)
}

func target(d *controllers.Draft, in *orkv1.ScaleTargetRef, at *field.Path) *autoscalingv2ac.CrossVersionObjectReferenceApplyConfiguration {
	reference := autoscalingv2ac.CrossVersionObjectReference().WithAPIVersion("apps/v1").WithKind("Deployment")
	if in == nil {
		d.Report(field.Required(at, "what is scaled is required"))
		return reference
	}
	reference.Name = d.Required(in.Name, "the name of what is scaled is required", at.Child("name"))
	if version := d.Text(in.APIVersion); version != nil {
		reference.WithAPIVersion(*version)
	}
	if kind := d.Text(in.Kind); kind != nil {
		reference.WithKind(*kind)
	}
	return reference
}

func scaling(d *controllers.Draft, in *orkv1.HPAScaling, at *field.Path) *autoscalingv2ac.HPAScalingRulesApplyConfiguration {
	if in == nil {
		return nil
	}
	rules := autoscalingv2ac.HPAScalingRules()
	if window := in.StabilizationWindowSeconds; window != nil {
		if *window < 0 || *window > 3600 {
			d.Report(field.Invalid(at.Child("stabilizationWindowSeconds"), *window, "is out of range: want 0 to 3600"))
		}
		rules.WithStabilizationWindowSeconds(*window)
	}
	if policy := d.OneOf(in.SelectPolicy, at.Child("selectPolicy"), string(autoscalingv2.MaxChangePolicySelect),
		string(autoscalingv2.MinChangePolicySelect), string(autoscalingv2.DisabledPolicySelect)); policy != nil {
		rules.WithSelectPolicy(autoscalingv2.ScalingPolicySelect(*policy))
	}
	for i := range in.Policies {
		rules.WithPolicies(scalingPolicy(d, &in.Policies[i], at.Child("policies").Index(i)))
	}
	return rules
}

func scalingPolicy(d *controllers.Draft, in *orkv1.HPAScalingPolicy, at *field.Path) *autoscalingv2ac.HPAScalingPolicyApplyConfiguration {
	policy := autoscalingv2ac.HPAScalingPolicy().WithValue(in.Value).WithPeriodSeconds(in.PeriodSeconds)
	d.Required(in.Type, "a type is required: Pods or Percent", at.Child("type"))
	if kind := d.OneOf(in.Type, at.Child("type"), string(autoscalingv2.PodsScalingPolicy), string(autoscalingv2.PercentScalingPolicy)); kind != nil {
		policy.WithType(autoscalingv2.HPAScalingPolicyType(*kind))
	}
	if in.Value < 1 {
		d.Report(field.Invalid(at.Child("value"), in.Value, "is below 1"))
	}
	if in.PeriodSeconds < 1 || in.PeriodSeconds > 1800 {
		d.Report(field.Invalid(at.Child("periodSeconds"), in.PeriodSeconds, "is out of range: want 1 to 1800"))
	}
	return policy
}
