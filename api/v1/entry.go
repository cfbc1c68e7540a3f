package v1

// Entry is what every child declaration has.
type Entry struct {
	// Conditions is the gate of the child. While it is false, a child that is kept as declared is removed, one that is
	// created once is left as it is.
	Conditions `json:",inline"`

	// Name defaults to the resource's name and a suffix that depends on the kind.
	// +optional
	Name Template `json:"name,omitempty"`
	// Namespace defaults to the resource's own. Cluster-scoped kinds have none.
	// +optional
	Namespace Template `json:"namespace,omitempty"`
	// Labels are set on the child, and on its pods where it has any. Keys are not rendered.
	// +optional
	Labels map[string]Template `json:"labels,omitempty"`
	// Annotations are set on the child alone.
	// +optional
	Annotations map[string]Template `json:"annotations,omitempty"`
	// EntryPolicy tells how often and how the child is written.
	EntryPolicy `json:",inline"`
}

// EntryPolicy tells how a declaration is expanded and how its children are written.
type EntryPolicy struct {
	// Reconcile makes an entry of onCreate one that is kept as declared. Entries of onReconcile always are.
	// +optional
	Reconcile bool `json:"reconcile,omitempty"`
	// ForEach makes one child for each element of a list or key of a map.
	// +optional
	ForEach *ForEach `json:"forEach,omitempty"`
	// Sleep delays the write, for tests.
	// +optional
	Sleep *Duration `json:"sleep,omitempty"`
	// ForceConflict false makes a field that another manager owns an error. Defaults to the entry's CRD, which
	// defaults to true.
	// +optional
	ForceConflict *bool `json:"forceConflict,omitempty"`
}

// ForEach expands a declaration. Of a list, .item is the element; of a map, .item is the key and .value the value, in the
// order of the keys. .index counts from 0.
type ForEach struct {
	// Field is a dot path to the list or map.
	Field string `json:"field"`
	// As is a second name for .item. Defaults to item.
	// +optional
	As string `json:"as,omitempty"`
}

// Workload is what every child that runs pods has.
type Workload struct {
	// Image of the one container.
	// +optional
	Image Template `json:"image,omitempty"`
	// +optional
	Command []Template `json:"command,omitempty"`
	// +optional
	Args []Template `json:"args,omitempty"`
	// ImagePullSecrets are names of Secrets.
	// +optional
	ImagePullSecrets []Template `json:"imagePullSecrets,omitempty"`
	// Port of the container. Rendered empty, the container declares none.
	// +optional
	Port Template `json:"port,omitempty"`
	// Protocol is TCP (the default), UDP or SCTP.
	// +optional
	Protocol Template `json:"protocol,omitempty"`
	// +optional
	Env []EnvVar `json:"env,omitempty"`
	// +optional
	EnvFrom *EnvFrom `json:"envFrom,omitempty"`
	// +optional
	Resources *Resources `json:"resources,omitempty"`
	// +optional
	NodeSelector map[string]Template `json:"nodeSelector,omitempty"`
	// +optional
	ServiceAccountName Template `json:"serviceAccountName,omitempty"`
	// +optional
	WorkingDirectory Template `json:"workingDirectory,omitempty"`
	// +optional
	Probes *Probes `json:"probes,omitempty"`
	// +optional
	SecurityContext *SecurityContext `json:"securityContext,omitempty"`
	// +optional
	PodSecurity *PodSecurity `json:"podSecurity,omitempty"`
	// +optional
	Volumes []Volume `json:"volumes,omitempty"`
	// +optional
	VolumeMounts []VolumeMount `json:"volumeMounts,omitempty"`
}

// EnvVar is one variable of a container: a value, or where to take it from.
type EnvVar struct {
	Name Template `json:"name"`
	// +optional
	Value Template `json:"value,omitempty"`
	// +optional
	ValueFrom *EnvVarSource `json:"valueFrom,omitempty"`
}

// EnvVarSource names a key of a Secret or of a ConfigMap. Exactly one may be set.
type EnvVarSource struct {
	// +optional
	SecretKeyRef *KeyRef `json:"secretKeyRef,omitempty"`
	// +optional
	ConfigMapKeyRef *KeyRef `json:"configMapKeyRef,omitempty"`
}

// KeyRef is one key of an object of the child's namespace.
type KeyRef struct {
	Name Template `json:"name"`
	Key  Template `json:"key"`
	// +optional
	Optional *bool `json:"optional,omitempty"`
}

// EnvFrom takes many variables from Secrets and ConfigMaps.
type EnvFrom struct {
	// +optional
	SecretRef []EnvFromRef `json:"secretRef,omitempty"`
	// +optional
	ConfigMapRef []EnvFromRef `json:"configMapRef,omitempty"`
}

// EnvFromRef names the object, and what its variables are called.
type EnvFromRef struct {
	Name Template `json:"name"`
	// +optional
	Prefix Template `json:"prefix,omitempty"`
	// Suffix needs Keys.
	// +optional
	Suffix Template `json:"suffix,omitempty"`
	// +optional
	Optional *bool `json:"optional,omitempty"`
	// Keys takes these keys alone, each as one variable.
	// +optional
	Keys []string `json:"keys,omitempty"`
}

// Resources are a profile, or requests and limits.
type Resources struct {
	// +optional
	Profile Template `json:"profile,omitempty"`
	// +optional
	Requests map[string]Template `json:"requests,omitempty"`
	// +optional
	Limits map[string]Template `json:"limits,omitempty"`
}

// Probes of a container.
type Probes struct {
	// +optional
	Startup *Probe `json:"startup,omitempty"`
	// +optional
	Liveness *Probe `json:"liveness,omitempty"`
	// +optional
	Readiness *Probe `json:"readiness,omitempty"`
}

// Probe asks a container how it is.
type Probe struct {
	// Type is http (the default when Path is set), tcp or exec.
	// +optional
	Type string `json:"type,omitempty"`
	// +optional
	Path Template `json:"path,omitempty"`
	// Port defaults to the container's.
	// +optional
	Port Template `json:"port,omitempty"`
	// Scheme is HTTP (the default) or HTTPS.
	// +optional
	Scheme Template `json:"scheme,omitempty"`
	// Command of an exec probe.
	// +optional
	Command []Template `json:"command,omitempty"`
	// Profile names a set of times, and excludes the five below. With neither, it is standard.
	// +optional
	Profile Template `json:"profile,omitempty"`
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

// SecurityContext of a container: a profile or fields.
type SecurityContext struct {
	// +optional
	Profile Template `json:"profile,omitempty"`
	// +optional
	AllowPrivilegeEscalation *bool `json:"allowPrivilegeEscalation,omitempty"`
	// +optional
	ReadOnlyRootFilesystem *bool `json:"readOnlyRootFilesystem,omitempty"`
	// +optional
	RunAsNonRoot *bool `json:"runAsNonRoot,omitempty"`
	// +optional
	Capabilities *Capabilities `json:"capabilities,omitempty"`
}

// Capabilities of a container, by their Linux names without CAP_.
type Capabilities struct {
	// +optional
	Add []Template `json:"add,omitempty"`
	// +optional
	Drop []Template `json:"drop,omitempty"`
}

// PodSecurity is the security context of a pod: a profile or fields.
type PodSecurity struct {
	// +optional
	Profile Template `json:"profile,omitempty"`
	// +optional
	RunAsNonRoot *bool `json:"runAsNonRoot,omitempty"`
	// +optional
	RunAsUser *int64 `json:"runAsUser,omitempty"`
	// +optional
	RunAsGroup *int64 `json:"runAsGroup,omitempty"`
	// +optional
	FSGroup *int64 `json:"fsGroup,omitempty"`
}

// Volume of a pod. Exactly one source may be set.
type Volume struct {
	Name Template `json:"name"`
	// +optional
	ConfigMap *NamedSource `json:"configMap,omitempty"`
	// +optional
	Secret *SecretSource `json:"secret,omitempty"`
	// +optional
	EmptyDir *EmptyDir `json:"emptyDir,omitempty"`
	// +optional
	PersistentVolumeClaim *ClaimSource `json:"persistentVolumeClaim,omitempty"`
	// +optional
	HostPath *HostPath `json:"hostPath,omitempty"`
}

// NamedSource is a volume source that only needs a name.
type NamedSource struct {
	Name Template `json:"name"`
}

// SecretSource names a Secret by either key.
type SecretSource struct {
	// +optional
	Name Template `json:"name,omitempty"`
	// +optional
	SecretName Template `json:"secretName,omitempty"`
}

// EmptyDir is scratch space.
type EmptyDir struct {
	// +optional
	Medium Template `json:"medium,omitempty"`
	// +optional
	SizeLimit Template `json:"sizeLimit,omitempty"`
}

// ClaimSource names a PersistentVolumeClaim.
type ClaimSource struct {
	ClaimName Template `json:"claimName"`
}

// HostPath is a folder of the node.
type HostPath struct {
	Path Template `json:"path"`
}

// VolumeMount puts a volume into the container.
type VolumeMount struct {
	Name      Template `json:"name"`
	MountPath Template `json:"mountPath"`
	// +optional
	ReadOnly bool `json:"readOnly,omitempty"`
	// +optional
	SubPath Template `json:"subPath,omitempty"`
}
