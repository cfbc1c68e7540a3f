package v1

// Profiles are named presets. Each list has unique names; a preset of the same name as a built-in one hides it.
type Profiles struct {
	// +optional
	Reconciler []ReconcilerProfile `json:"reconciler,omitempty"`
	// +optional
	Resources []ResourcesProfile `json:"resources,omitempty"`
	// +optional
	Probes []ProbeProfile `json:"probes,omitempty"`
	// +optional
	ContainerSecurity []ContainerSecurityProfile `json:"containerSecurity,omitempty"`
	// +optional
	PodSecurity []PodSecurityProfile `json:"podSecurity,omitempty"`
	// +optional
	RollingUpdate []RollingUpdateProfile `json:"rollingUpdate,omitempty"`
	// +optional
	HPA []HPAProfile `json:"hpa,omitempty"`
	// +optional
	PDB []PDBProfile `json:"pdb,omitempty"`
	// +optional
	NetworkPolicies []NetworkPolicyProfile `json:"networkPolicies,omitempty"`
	// +optional
	ResourceQuotas []ResourceQuotaProfile `json:"resourceQuotas,omitempty"`
	// +optional
	LimitRanges []LimitRangeProfile `json:"limitRanges,omitempty"`
}

// ProfileName names a preset.
type ProfileName struct {
	// Name in any case.
	Name string `json:"name"`
	// +optional
	Description string `json:"description,omitempty"`
}

// ReconcilerProfile presets the tuning of a controller.
type ReconcilerProfile struct {
	ProfileName `json:",inline"`
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=50
	Workers *int32 `json:"workers,omitempty"`
	// +optional
	Resync *Duration `json:"resync,omitempty"`
	// +optional
	Queue *Queue `json:"queue,omitempty"`
}

// ResourcesProfile presets requests and limits.
type ResourcesProfile struct {
	ProfileName `json:",inline"`
	// +optional
	Requests map[string]Template `json:"requests,omitempty"`
	// +optional
	Limits map[string]Template `json:"limits,omitempty"`
}

// ProbeProfile presets the times of a probe.
type ProbeProfile struct {
	ProfileName `json:",inline"`
	// +optional
	InitialDelaySeconds *int32 `json:"initialDelaySeconds,omitempty"`
	// +optional
	PeriodSeconds *int32 `json:"periodSeconds,omitempty"`
	// +optional
	FailureThreshold *int32 `json:"failureThreshold,omitempty"`
	// +optional
	SuccessThreshold *int32 `json:"successThreshold,omitempty"`
	// +optional
	TimeoutSeconds *int32 `json:"timeoutSeconds,omitempty"`
}

// ContainerSecurityProfile presets the security context of a container.
type ContainerSecurityProfile struct {
	ProfileName `json:",inline"`
	// +optional
	AllowPrivilegeEscalation *bool `json:"allowPrivilegeEscalation,omitempty"`
	// +optional
	ReadOnlyRootFilesystem *bool `json:"readOnlyRootFilesystem,omitempty"`
	// +optional
	RunAsNonRoot *bool `json:"runAsNonRoot,omitempty"`
	// +optional
	Capabilities *Capabilities `json:"capabilities,omitempty"`
}

// PodSecurityProfile presets the security context of a pod.
type PodSecurityProfile struct {
	ProfileName `json:",inline"`
	// +optional
	RunAsNonRoot *bool `json:"runAsNonRoot,omitempty"`
	// +optional
	RunAsUser *int64 `json:"runAsUser,omitempty"`
	// +optional
	RunAsGroup *int64 `json:"runAsGroup,omitempty"`
	// +optional
	FSGroup *int64 `json:"fsGroup,omitempty"`
}

// RollingUpdateProfile presets a rollout.
type RollingUpdateProfile struct {
	ProfileName `json:",inline"`
	// +optional
	MaxSurge Template `json:"maxSurge,omitempty"`
	// +optional
	MaxUnavailable Template `json:"maxUnavailable,omitempty"`
}

// HPAProfile presets the behavior of an HPA.
type HPAProfile struct {
	ProfileName `json:",inline"`
	// +optional
	TargetCPUUtilizationPercentage Template `json:"targetCPUUtilizationPercentage,omitempty"`
	// +optional
	ScaleUp *HPAScaling `json:"scaleUp,omitempty"`
	// +optional
	ScaleDown *HPAScaling `json:"scaleDown,omitempty"`
}

// PDBProfile presets the bound of a PDB.
type PDBProfile struct {
	ProfileName `json:",inline"`
	// +optional
	MinAvailable Template `json:"minAvailable,omitempty"`
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
	// +optional
	Hard map[string]Template `json:"hard,omitempty"`
}

// LimitRangeProfile presets limits.
type LimitRangeProfile struct {
	ProfileName `json:",inline"`
	// +optional
	Limits []LimitRangeItem `json:"limits,omitempty"`
}
