package v1

// PersistentVolume declares a v1 PersistentVolume. Its name defaults to <resource>-pv. Exactly one of HostPath and
// CSIDriver is set.
type PersistentVolume struct {
	Entry `json:",inline"`
	// Capacity is a quantity, such as 10Gi. Only a declaration in onDelete may leave it out.
	// +optional
	Capacity Template `json:"capacity,omitempty"`
	// StorageClassName that a claim must ask for. Absent, one without a class.
	// +optional
	StorageClassName Template `json:"storageClassName,omitempty"`
	// AccessModes default to ReadWriteOnce.
	// +optional
	AccessModes []Template `json:"accessModes,omitempty"`
	// ReclaimPolicy is Retain (the default), Delete or Recycle.
	// +optional
	ReclaimPolicy Template `json:"reclaimPolicy,omitempty"`
	// HostPath is a folder of the node.
	// +optional
	HostPath Template `json:"hostPath,omitempty"`
	// CSIDriver is the name of a driver. It needs CSIVolumeHandle.
	// +optional
	CSIDriver Template `json:"csiDriver,omitempty"`
	// CSIVolumeHandle is what the driver calls the volume. It needs CSIDriver.
	// +optional
	CSIVolumeHandle Template `json:"csiVolumeHandle,omitempty"`
}

// PersistentVolumeClaim declares a v1 PersistentVolumeClaim. Its name defaults to <resource>-pvc. Once the claim exists
// only its storage can grow.
type PersistentVolumeClaim struct {
	Entry `json:",inline"`
	// Storage is a quantity, such as 10Gi. Only a declaration in onDelete may leave it out.
	// +optional
	Storage Template `json:"storage,omitempty"`
	// StorageClassName defaults to the cluster's own default.
	// +optional
	StorageClassName Template `json:"storageClassName,omitempty"`
	// AccessModes default to ReadWriteOnce.
	// +optional
	AccessModes []Template `json:"accessModes,omitempty"`
	// VolumeMode is Filesystem (the default) or Block.
	// +optional
	VolumeMode Template `json:"volumeMode,omitempty"`
	// VolumeName binds the claim to one volume.
	// +optional
	VolumeName Template `json:"volumeName,omitempty"`
}
