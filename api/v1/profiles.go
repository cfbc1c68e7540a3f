package v1

// Profiles are named presets. Each list has unique names; a preset of the same name as a built-in one hides it.
type Profiles struct {
	// Reconciler presets workers, resync and queue of a controller.
	// +optional
	Reconciler []ReconcilerProfile `json:"reconciler,omitempty"`
	// Resources presets requests and limits.
	// +optional
	Resources []ResourcesProfile `json:"resources,omitempty"`
	// Probes presets the times and thresholds of a probe.
	// +optional
	Probes []ProbeProfile `json:"probes,omitempty"`
	// ContainerSecurity presets the security context of a container.
	// +optional
	ContainerSecurity []ContainerSecurityProfile `json:"containerSecurity,omitempty"`
	// PodSecurity presets the security context of a pod.
	// +optional
	PodSecurity []PodSecurityProfile `json:"podSecurity,omitempty"`
	// RollingUpdate presets the bounds of a rollout.
	// +optional
	RollingUpdate []RollingUpdateProfile `json:"rollingUpdate,omitempty"`
	// HPA presets the CPU target and the behavior of an HPA.
	// +optional
	HPA []HPAProfile `json:"hpa,omitempty"`
	// PDB presets the bound of a PDB.
	// +optional
	PDB []PDBProfile `json:"pdb,omitempty"`
	// NetworkPolicies presets the rules of a NetworkPolicy.
	// +optional
	NetworkPolicies []NetworkPolicyProfile `json:"networkPolicies,omitempty"`
	// ResourceQuotas presets the hard limits of a ResourceQuota.
	// +optional
	ResourceQuotas []ResourceQuotaProfile `json:"resourceQuotas,omitempty"`
	// LimitRanges presets the limits of a LimitRange.
	// +optional
	LimitRanges []LimitRangeProfile `json:"limitRanges,omitempty"`
}

// ProfileName names a preset.
type ProfileName struct {
	// Name in any case.
	Name string `json:"name"`
	// Description of the preset, for people.
	// +optional
	Description string `json:"description,omitempty"`
}

// ReconcilerProfile presets the tuning of a controller.
type ReconcilerProfile struct {
	ProfileName `json:",inline"`
	// Workers is how many resources are reconciled at once, 1 to 50.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=50
	Workers *int32 `json:"workers,omitempty"`
	// Resync is how often every resource is reconciled again without an event.
	// +optional
	Resync *Duration `json:"resync,omitempty"`
	// Queue tunes the work queue.
	// +optional
	Queue *Queue `json:"queue,omitempty"`
}

// ResourcesProfile presets requests and limits.
type ResourcesProfile struct {
	ProfileName `json:",inline"`
	// Requests are what a node must have free, as quantities by resource.
	// +optional
	Requests map[string]Template `json:"requests,omitempty"`
	// Limits are what a container may use at most, as quantities by resource.
	// +optional
	Limits map[string]Template `json:"limits,omitempty"`
}

// ProbeProfile presets the times of a probe.
type ProbeProfile struct {
	ProfileName `json:",inline"`
	// InitialDelaySeconds is the time before the first probe, in seconds.
	// +optional
	InitialDelaySeconds *int32 `json:"initialDelaySeconds,omitempty"`
	// PeriodSeconds is the time between two probes, in seconds.
	// +optional
	PeriodSeconds *int32 `json:"periodSeconds,omitempty"`
	// FailureThreshold is how many times in a row a probe fails before that counts.
	// +optional
	FailureThreshold *int32 `json:"failureThreshold,omitempty"`
	// SuccessThreshold is how many times in a row a probe succeeds before that counts.
	// +optional
	SuccessThreshold *int32 `json:"successThreshold,omitempty"`
	// TimeoutSeconds is how long an answer may take, in seconds.
	// +optional
	TimeoutSeconds *int32 `json:"timeoutSeconds,omitempty"`
}

// ContainerSecurityProfile presets the security context of a container.
type ContainerSecurityProfile struct {
	ProfileName `json:",inline"`
	// AllowPrivilegeEscalation false keeps a process from gaining more rights than its parent.
	// +optional
	AllowPrivilegeEscalation *bool `json:"allowPrivilegeEscalation,omitempty"`
	// ReadOnlyRootFilesystem true lets the container write to volumes alone.
	// +optional
	ReadOnlyRootFilesystem *bool `json:"readOnlyRootFilesystem,omitempty"`
	// RunAsNonRoot true refuses to start the container as root.
	// +optional
	RunAsNonRoot *bool `json:"runAsNonRoot,omitempty"`
	// Capabilities that the container has besides those of the container runtime, or lacks.
	// +optional
	Capabilities *Capabilities `json:"capabilities,omitempty"`
}

// PodSecurityProfile presets the security context of a pod.
type PodSecurityProfile struct {
	ProfileName `json:",inline"`
	// RunAsNonRoot true refuses to start a container as root.
	// +optional
	RunAsNonRoot *bool `json:"runAsNonRoot,omitempty"`
	// RunAsUser is the id of the user that processes run as.
	// +optional
	RunAsUser *int64 `json:"runAsUser,omitempty"`
	// RunAsGroup is the id of the group that processes run as.
	// +optional
	RunAsGroup *int64 `json:"runAsGroup,omitempty"`
	// FSGroup is the id of the group that owns the pod's volumes.
	// +optional
	FSGroup *int64 `json:"fsGroup,omitempty"`
}

// RollingUpdateProfile presets a rollout.
type RollingUpdateProfile struct {
	ProfileName `json:",inline"`
	// MaxSurge is how many pods more than wanted there may be, as a number or a percentage.
	// +optional
	MaxSurge Template `json:"maxSurge,omitempty"`
	// MaxUnavailable is how many of the wanted pods may be missing, as a number or a percentage.
	// +optional
	MaxUnavailable Template `json:"maxUnavailable,omitempty"`
}

// HPAProfile presets the behavior of an HPA.
type HPAProfile struct {
	ProfileName `json:",inline"`
	// TargetCPUUtilizationPercentage is the CPU load to keep, in percent of the requests.
	// +optional
	TargetCPUUtilizationPercentage Template `json:"targetCPUUtilizationPercentage,omitempty"`
	// ScaleUp bounds the way up.
	// +optional
	ScaleUp *HPAScaling `json:"scaleUp,omitempty"`
	// ScaleDown bounds the way down.
	// +optional
	ScaleDown *HPAScaling `json:"scaleDown,omitempty"`
}

// PDBProfile presets the bound of a PDB.
type PDBProfile struct {
	ProfileName `json:",inline"`
	// MinAvailable is how many pods have to stay, as a number or a percentage. It excludes MaxUnavailable.
	// +optional
	MinAvailable Template `json:"minAvailable,omitempty"`
	// MaxUnavailable is how many pods may be gone, as a number or a percentage. It excludes MinAvailable.
	// +optional
	MaxUnavailable Template `json:"maxUnavailable,omitempty"`
}

// NetworkPolicyProfile presets rules.
type NetworkPolicyProfile struct {
	ProfileName `json:",inline"`
	// Ingress rules. A list without elements denies all; an absent one says nothing.
	// +optional
	Ingress *[]IngressRule `json:"ingress,omitempty"`
	// Egress rules. A list without elements denies all; an absent one says nothing.
	// +optional
	Egress *[]EgressRule `json:"egress,omitempty"`
	// PolicyTypes default to the directions that have a list.
	// +optional
	PolicyTypes []PolicyType `json:"policyTypes,omitempty"`
}

// ResourceQuotaProfile presets hard limits.
type ResourceQuotaProfile struct {
	ProfileName `json:",inline"`
	// Hard limits by resource name.
	// +optional
	Hard map[string]Template `json:"hard,omitempty"`
}

// LimitRangeProfile presets limits.
type LimitRangeProfile struct {
	ProfileName `json:",inline"`
	// Limits of each type of object.
	// +optional
	Limits []LimitRangeItem `json:"limits,omitempty"`
}
