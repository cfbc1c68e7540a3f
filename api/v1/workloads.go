package v1

// ReplicaSet declares an apps/v1 ReplicaSet. Its name defaults to <resource>-replicaset.
type ReplicaSet struct {
	Entry    `json:",inline"`
	Workload `json:",inline"`
	// Replicas defaults to 1.
	// +optional
	Replicas Template `json:"replicas,omitempty"`
	// Autoscale changes the replicas by conditions.
	// +optional
	Autoscale *WorkloadAutoscale `json:"autoscale,omitempty"`
}

// StatefulSet declares an apps/v1 StatefulSet. Its name defaults to the resource's.
type StatefulSet struct {
	Entry    `json:",inline"`
	Workload `json:",inline"`
	// Tag is put after an image that has none. Defaults to latest.
	// +optional
	Tag Template `json:"tag,omitempty"`
	// Replicas defaults to 1.
	// +optional
	Replicas Template `json:"replicas,omitempty"`
	// ServiceName of the governing Service. Defaults to the StatefulSet's name.
	// +optional
	ServiceName Template `json:"serviceName,omitempty"`
	// VolumeClaimTemplates give each pod storage of its own. They cannot change once the StatefulSet exists.
	// +optional
	VolumeClaimTemplates []VolumeClaimTemplate `json:"volumeClaimTemplates,omitempty"`
	// RollingUpdate of a StatefulSet has no maxSurge.
	// +optional
	RollingUpdate *RollingUpdate `json:"rollingUpdate,omitempty"`
	// Autoscale changes the replicas by conditions. It excludes an HPA of the same StatefulSet.
	// +optional
	Autoscale *WorkloadAutoscale `json:"autoscale,omitempty"`
}

// VolumeClaimTemplate is one volume of each pod of a StatefulSet.
type VolumeClaimTemplate struct {
	// Name of the volume.
	Name Template `json:"name"`
	// StorageClass defaults to the cluster's own default.
	// +optional
	StorageClass Template `json:"storageClass,omitempty"`
	// StorageSize is a quantity, such as 10Gi.
	StorageSize Template `json:"storageSize"`
	// AccessModes default to ReadWriteOnce.
	// +optional
	AccessModes []Template `json:"accessModes,omitempty"`
	// MountPath in the container. Absent, a volume mount of the same name says where.
	// +optional
	MountPath Template `json:"mountPath,omitempty"`
}

// DaemonSet declares an apps/v1 DaemonSet. Its name defaults to <resource>-daemonset.
type DaemonSet struct {
	Entry    `json:",inline"`
	Workload `json:",inline"`
	// RollingUpdate bounds a rollout. Absent, Kubernetes decides.
	// +optional
	RollingUpdate *RollingUpdate `json:"rollingUpdate,omitempty"`
}

// Pod declares a bare v1 Pod. Its name defaults to <resource>-pod. A pod that is kept as declared is replaced when it
// differs, for most of a pod cannot be changed.
type Pod struct {
	Entry    `json:",inline"`
	Workload `json:",inline"`
	// RestartPolicy is Always (the default), OnFailure or Never.
	// +optional
	RestartPolicy Template `json:"restartPolicy,omitempty"`
}

// WorkloadAutoscale changes the replicas of a workload by conditions, once per reconcile. While it is declared, replicas
// is the number to start with and no longer kept as declared. When both directions pass, the workload scales up.
type WorkloadAutoscale struct {
	// Min is the least number of replicas. It is not above Max.
	Min Template `json:"min"`
	// Max is the largest number of replicas.
	Max Template `json:"max"`
	// Cooldown is the time between two steps. Defaults to 3m.
	// +optional
	Cooldown *Duration `json:"cooldown,omitempty"`
	// ScaleUp tells when the workload grows, and by how much. It or ScaleDown is set.
	// +optional
	ScaleUp *ScaleUp `json:"scaleUp,omitempty"`
	// ScaleDown tells when the workload shrinks, and by how much. It or ScaleUp is set.
	// +optional
	ScaleDown *ScaleDown `json:"scaleDown,omitempty"`
}

// ScaleUp tells when a workload grows, and by how much. Exactly one of Increment and Target is set.
type ScaleUp struct {
	// Conditions for it, at least one.
	Conditions Conditions `json:"conditions"`
	// Increment is added to the replicas.
	// +optional
	Increment Template `json:"increment,omitempty"`
	// Target is the new number of replicas.
	// +optional
	Target Template `json:"target,omitempty"`
}

// ScaleDown tells when a workload shrinks, and by how much. Exactly one of Decrement and Target is set.
type ScaleDown struct {
	// Conditions for it, at least one.
	Conditions Conditions `json:"conditions"`
	// Decrement is taken from the replicas.
	// +optional
	Decrement Template `json:"decrement,omitempty"`
	// Target is the new number of replicas.
	// +optional
	Target Template `json:"target,omitempty"`
}
