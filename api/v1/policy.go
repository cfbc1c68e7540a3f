package v1

// Namespace declares a v1 Namespace. Its name defaults to the resource's.
type Namespace struct {
	Entry `json:",inline"`
}

// HPA declares an autoscaling/v2 HorizontalPodAutoscaler. Its name defaults to <resource>-hpa.
type HPA struct {
	Entry `json:",inline"`
	// ScaleTargetRef names what is scaled. Only a declaration in onDelete may leave it out.
	// +optional
	ScaleTargetRef *ScaleTargetRef `json:"scaleTargetRef,omitempty"`
	// MinReplicas defaults to 1.
	// +optional
	MinReplicas Template `json:"minReplicas,omitempty"`
	// MaxReplicas must be given, but in onDelete.
	// +optional
	MaxReplicas Template `json:"maxReplicas,omitempty"`
	// TargetCPUUtilizationPercentage overrides the one of a behavior profile. Defaults to 80.
	// +optional
	TargetCPUUtilizationPercentage Template `json:"targetCPUUtilizationPercentage,omitempty"`
	// Behavior bounds how fast the HPA scales. Absent, Kubernetes decides.
	// +optional
	Behavior *HPABehavior `json:"behavior,omitempty"`
}

// ScaleTargetRef names what an HPA scales.
type ScaleTargetRef struct {
	// APIVersion defaults to apps/v1.
	// +optional
	APIVersion Template `json:"apiVersion,omitempty"`
	// Kind defaults to Deployment.
	// +optional
	Kind Template `json:"kind,omitempty"`
	// Name of the workload, in the HPA's namespace.
	Name Template `json:"name"`
}

// HPABehavior is a profile, or how fast an HPA scales in each direction.
type HPABehavior struct {
	// Profile names a preset of the CPU target and both directions, and excludes ScaleUp and ScaleDown.
	// +optional
	Profile Template `json:"profile,omitempty"`
	// ScaleUp bounds the way up.
	// +optional
	ScaleUp *HPAScaling `json:"scaleUp,omitempty"`
	// ScaleDown bounds the way down.
	// +optional
	ScaleDown *HPAScaling `json:"scaleDown,omitempty"`
}

// HPAScaling bounds one direction of an HPA.
type HPAScaling struct {
	// StabilizationWindowSeconds is how far back recommendations count, in seconds. Absent, Kubernetes decides.
	// +optional
	StabilizationWindowSeconds *int32 `json:"stabilizationWindowSeconds,omitempty"`
	// SelectPolicy is Max, Min or Disabled.
	// +optional
	SelectPolicy Template `json:"selectPolicy,omitempty"`
	// Policies are the bounds. SelectPolicy chooses among them.
	// +optional
	Policies []HPAScalingPolicy `json:"policies,omitempty"`
}

// HPAScalingPolicy is one bound: so many pods, or so many percent, in so many seconds.
type HPAScalingPolicy struct {
	// Type is Pods or Percent.
	Type Template `json:"type"`
	// Value is how many pods or percent.
	Value int32 `json:"value"`
	// PeriodSeconds is the time in which Value holds, in seconds.
	PeriodSeconds int32 `json:"periodSeconds"`
}

// PDB declares a policy/v1 PodDisruptionBudget. Its name defaults to <resource>-pdb. Exactly one of MinAvailable,
// MaxUnavailable and Behavior is set.
type PDB struct {
	Entry `json:",inline"`
	// Selector defaults to the pods of the resource's workloads.
	// +optional
	Selector TemplateMap `json:"selector,omitempty"`
	// MinAvailable is a number or a percentage.
	// +optional
	MinAvailable Template `json:"minAvailable,omitempty"`
	// MaxUnavailable is a number or a percentage.
	// +optional
	MaxUnavailable Template `json:"maxUnavailable,omitempty"`
	// Behavior is a profile or one bound.
	// +optional
	Behavior *PDBBehavior `json:"behavior,omitempty"`
}

// PDBBehavior is a profile or one bound. Exactly one field is set.
type PDBBehavior struct {
	// Profile names a preset of one bound.
	// +optional
	Profile Template `json:"profile,omitempty"`
	// MinAvailable is how many pods have to stay, as a number or a percentage.
	// +optional
	MinAvailable Template `json:"minAvailable,omitempty"`
	// MaxUnavailable is how many pods may be gone, as a number or a percentage.
	// +optional
	MaxUnavailable Template `json:"maxUnavailable,omitempty"`
}

// ResourceQuota declares a v1 ResourceQuota: a profile, Hard, or a copy of another quota. Its name defaults to
// <resource>-quota.
type ResourceQuota struct {
	Entry `json:",inline"`
	// Profile names a preset of Hard, and excludes Hard and FromResourceQuota.
	// +optional
	Profile Template `json:"profile,omitempty"`
	// Hard limits by resource name.
	// +optional
	Hard map[string]Template `json:"hard,omitempty"`
	// FromResourceQuota copies another quota and keeps it in step.
	// +optional
	FromResourceQuota Template `json:"fromResourceQuota,omitempty"`
	// FromNamespace of the source. Defaults to the resource's namespace.
	// +optional
	FromNamespace Template `json:"fromNamespace,omitempty"`
	// ToNamespaces writes the quota to these namespaces as well.
	// +optional
	ToNamespaces Templates `json:"toNamespaces,omitempty"`
}

// LimitRange declares a v1 LimitRange: a profile, Limits, or a copy of another one. Its name defaults to
// <resource>-limits.
type LimitRange struct {
	Entry `json:",inline"`
	// Profile names a preset of Limits, and excludes Limits and FromLimitRange.
	// +optional
	Profile Template `json:"profile,omitempty"`
	// Limits of each type of object.
	// +optional
	Limits []LimitRangeItem `json:"limits,omitempty"`
	// FromLimitRange copies another one and keeps it in step.
	// +optional
	FromLimitRange Template `json:"fromLimitRange,omitempty"`
	// FromNamespace of the source. Defaults to the resource's namespace.
	// +optional
	FromNamespace Template `json:"fromNamespace,omitempty"`
	// ToNamespaces writes it to these namespaces as well.
	// +optional
	ToNamespaces Templates `json:"toNamespaces,omitempty"`
}

// LimitRangeItem bounds one type of object, by resource name.
type LimitRangeItem struct {
	// Type is Container, Pod or PersistentVolumeClaim.
	Type Template `json:"type"`
	// Max is what one object may use at most.
	// +optional
	Max map[string]Template `json:"max,omitempty"`
	// Min is what one object has to ask for at least.
	// +optional
	Min map[string]Template `json:"min,omitempty"`
	// Default is the limit of a container that has none.
	// +optional
	Default map[string]Template `json:"default,omitempty"`
	// DefaultRequest is the request of a container that has none.
	// +optional
	DefaultRequest map[string]Template `json:"defaultRequest,omitempty"`
	// MaxLimitRequestRatio is how many times its request a limit may be.
	// +optional
	MaxLimitRequestRatio map[string]Template `json:"maxLimitRequestRatio,omitempty"`
}
