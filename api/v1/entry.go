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
	Labels TemplateMap `json:"labels,omitempty"`
	// Annotations are set on the child alone.
	// +optional
	Annotations TemplateMap `json:"annotations,omitempty"`
	// EntryPolicy tells how often and how the child is written.
	EntryPolicy `json:",inline"`
}

// EntryPolicy tells how a declaration is expanded and how its children are written.
type EntryPolicy struct {
	// ID is what DependsOn of another entry of the block calls this one. A name of letters, digits and hyphens.
	// +optional
	ID string `json:"id,omitempty"`
	// DependsOn lists entries of the block by their ids, or all of a list by its key, such as statefulSets. The child is made
	// when theirs are there and ready.
	// +optional
	DependsOn []string `json:"dependsOn,omitempty"`
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
	// OnImmutable tells what is done when a field changes that the API server does not change in an object that exists: report
	// (the default), or recreate, which deletes the object with all that is in it and makes it anew.
	// +optional
	OnImmutable ImmutablePolicy `json:"onImmutable,omitempty"`
}

// ImmutablePolicy is what is done about a field that can't be changed in place.
//
// +kubebuilder:validation:Enum=report;recreate
type ImmutablePolicy string

// The policies for a field that can't be changed in place.
const (
	ImmutableReport   ImmutablePolicy = "report"
	ImmutableRecreate ImmutablePolicy = "recreate"
)

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
	// Command to run, in place of the image's own.
	// +optional
	Command Templates `json:"command,omitempty"`
	// Args of the command, in place of the image's own.
	// +optional
	Args Templates `json:"args,omitempty"`
	// ImagePullSecrets are names of Secrets.
	// +optional
	ImagePullSecrets Templates `json:"imagePullSecrets,omitempty"`
	// Port of the container. Rendered empty, the container declares none.
	// +optional
	Port Template `json:"port,omitempty"`
	// Protocol is TCP (the default), UDP or SCTP.
	// +optional
	Protocol Template `json:"protocol,omitempty"`
	// Env lists variables. A name stands once, among the variables of EnvFrom with keys as well.
	// +optional
	Env []EnvVar `json:"env,omitempty"`
	// EnvFrom makes variables of the keys of Secrets and ConfigMaps.
	// +optional
	EnvFrom *EnvFrom `json:"envFrom,omitempty"`
	// Resources that the container asks for and is limited to.
	// +optional
	Resources *Resources `json:"resources,omitempty"`
	// NodeSelector lists labels that a node must have to run the pod.
	// +optional
	NodeSelector TemplateMap `json:"nodeSelector,omitempty"`
	// ServiceAccountName is what the pod is known as to the API server. Defaults to the namespace's own.
	// +optional
	ServiceAccountName Template `json:"serviceAccountName,omitempty"`
	// WorkingDirectory of the command. Defaults to the image's own.
	// +optional
	WorkingDirectory Template `json:"workingDirectory,omitempty"`
	// Probes ask the container whether it has started, lives and is ready.
	// +optional
	Probes *Probes `json:"probes,omitempty"`
	// SecurityContext is what the container may do.
	// +optional
	SecurityContext *SecurityContext `json:"securityContext,omitempty"`
	// PodSecurity is what holds for every process of the pod, and for its volumes.
	// +optional
	PodSecurity *PodSecurity `json:"podSecurity,omitempty"`
	// Volumes that VolumeMounts can name. A name stands once.
	// +optional
	Volumes []Volume `json:"volumes,omitempty"`
	// VolumeMounts put volumes into the container. A path stands once.
	// +optional
	VolumeMounts []VolumeMount `json:"volumeMounts,omitempty"`
}

// EnvVar is one variable of a container: a value, or where to take it from.
type EnvVar struct {
	// Name of the variable.
	Name Template `json:"name"`
	// Value of the variable. It excludes ValueFrom.
	// +optional
	Value Template `json:"value,omitempty"`
	// ValueFrom is where the value is taken from. It excludes Value.
	// +optional
	ValueFrom *EnvVarSource `json:"valueFrom,omitempty"`
}

// EnvVarSource names a key of a Secret or of a ConfigMap. Exactly one may be set.
type EnvVarSource struct {
	// SecretKeyRef is a key of a Secret.
	// +optional
	SecretKeyRef *KeyRef `json:"secretKeyRef,omitempty"`
	// ConfigMapKeyRef is a key of a ConfigMap.
	// +optional
	ConfigMapKeyRef *KeyRef `json:"configMapKeyRef,omitempty"`
}

// KeyRef is one key of an object of the child's namespace.
type KeyRef struct {
	// Name of the object.
	Name Template `json:"name"`
	// Key in the data of the object.
	Key Template `json:"key"`
	// Optional true starts the container without the variable when the object or key is missing. Defaults to false.
	// +optional
	Optional *bool `json:"optional,omitempty"`
}

// EnvFrom takes many variables from Secrets and ConfigMaps.
type EnvFrom struct {
	// SecretRef lists Secrets whose keys become variables.
	// +optional
	SecretRef []EnvFromRef `json:"secretRef,omitempty"`
	// ConfigMapRef lists ConfigMaps whose keys become variables.
	// +optional
	ConfigMapRef []EnvFromRef `json:"configMapRef,omitempty"`
}

// EnvFromRef names the object, and what its variables are called.
type EnvFromRef struct {
	// Name of the object, in the child's namespace.
	Name Template `json:"name"`
	// Prefix is put before a key to name its variable.
	// +optional
	Prefix Template `json:"prefix,omitempty"`
	// Suffix is put after a key to name its variable. It needs Keys.
	// +optional
	Suffix Template `json:"suffix,omitempty"`
	// Optional true starts the container without the variables when the object is missing. Defaults to false.
	// +optional
	Optional *bool `json:"optional,omitempty"`
	// Keys takes these keys alone, each as one variable.
	// +optional
	Keys []string `json:"keys,omitempty"`
}

// Resources are a profile, or requests and limits.
type Resources struct {
	// Profile names a preset and excludes requests and limits.
	// +optional
	Profile Template `json:"profile,omitempty"`
	// Requests are what a node must have free, as quantities by resource, such as cpu: 100m. None is above its limit.
	// +optional
	Requests map[string]Template `json:"requests,omitempty"`
	// Limits are what the container may use at most, as quantities by resource, such as memory: 256Mi.
	// +optional
	Limits map[string]Template `json:"limits,omitempty"`
}

// Probes of a container.
type Probes struct {
	// Startup holds back the other two until it succeeds.
	// +optional
	Startup *Probe `json:"startup,omitempty"`
	// Liveness restarts the container when it fails.
	// +optional
	Liveness *Probe `json:"liveness,omitempty"`
	// Readiness keeps the pod out of Services while it fails.
	// +optional
	Readiness *Probe `json:"readiness,omitempty"`
}

// Probe asks a container how it is.
type Probe struct {
	// Type is http (the default when Path is set), tcp or exec.
	// +optional
	Type string `json:"type,omitempty"`
	// Path that an http probe gets, such as /healthz.
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
	Command Templates `json:"command,omitempty"`
	// Profile names a preset of times and thresholds, and excludes those below. With neither, it is standard.
	// +optional
	Profile Template `json:"profile,omitempty"`
	// InitialDelaySeconds is the time before the first probe, in seconds. Defaults to 0; to 15 in the profile standard.
	// +optional
	InitialDelaySeconds *int32 `json:"initialDelaySeconds,omitempty"`
	// PeriodSeconds is the time between two probes, in seconds. Defaults to 10; to 20 in the profile standard.
	// +optional
	PeriodSeconds *int32 `json:"periodSeconds,omitempty"`
	// FailureThreshold is how many times in a row a probe fails before that counts. Defaults to 3.
	// +optional
	FailureThreshold *int32 `json:"failureThreshold,omitempty"`
	// SuccessThreshold is how many times in a row a probe succeeds before that counts. Only readiness may ask for more than 1,
	// the default.
	// +optional
	SuccessThreshold *int32 `json:"successThreshold,omitempty"`
	// TimeoutSeconds is how long an answer may take, in seconds. Defaults to 1; to 10 in the profile standard.
	// +optional
	TimeoutSeconds *int32 `json:"timeoutSeconds,omitempty"`
}

// SecurityContext of a container: a profile or fields.
type SecurityContext struct {
	// Profile names a preset and excludes the other fields.
	// +optional
	Profile Template `json:"profile,omitempty"`
	// AllowPrivilegeEscalation false keeps a process from gaining more rights than its parent. Absent, Kubernetes decides.
	// +optional
	AllowPrivilegeEscalation *bool `json:"allowPrivilegeEscalation,omitempty"`
	// ReadOnlyRootFilesystem true lets the container write to volumes alone. Absent, Kubernetes decides.
	// +optional
	ReadOnlyRootFilesystem *bool `json:"readOnlyRootFilesystem,omitempty"`
	// RunAsNonRoot true refuses to start the container as root. Absent, that of the pod holds.
	// +optional
	RunAsNonRoot *bool `json:"runAsNonRoot,omitempty"`
	// Capabilities that the container has besides those of the container runtime, or lacks.
	// +optional
	Capabilities *Capabilities `json:"capabilities,omitempty"`
}

// Capabilities of a container, by their Linux names without CAP_.
type Capabilities struct {
	// Add lists capabilities that the container gets, such as NET_ADMIN, or ALL.
	// +optional
	Add []Template `json:"add,omitempty"`
	// Drop lists capabilities that are taken away, such as NET_RAW, or ALL.
	// +optional
	Drop []Template `json:"drop,omitempty"`
}

// PodSecurity is the security context of a pod: a profile or fields.
type PodSecurity struct {
	// Profile names a preset and excludes the other fields.
	// +optional
	Profile Template `json:"profile,omitempty"`
	// RunAsNonRoot true refuses to start a container as root. Absent, Kubernetes decides.
	// +optional
	RunAsNonRoot *bool `json:"runAsNonRoot,omitempty"`
	// RunAsUser is the id of the user that processes run as, 0 to 2147483647. Absent, the image decides.
	// +optional
	RunAsUser *int64 `json:"runAsUser,omitempty"`
	// RunAsGroup is the id of the group that processes run as, 0 to 2147483647. Absent, Kubernetes decides.
	// +optional
	RunAsGroup *int64 `json:"runAsGroup,omitempty"`
	// FSGroup is the id of the group that owns the pod's volumes, 0 to 2147483647. Absent, Kubernetes decides.
	// +optional
	FSGroup *int64 `json:"fsGroup,omitempty"`
}

// Volume of a pod. Exactly one source may be set.
type Volume struct {
	// Name of the volume, a DNS label.
	Name Template `json:"name"`
	// ConfigMap has a file for each key of a ConfigMap.
	// +optional
	ConfigMap *NamedSource `json:"configMap,omitempty"`
	// Secret has a file for each key of a Secret.
	// +optional
	Secret *SecretSource `json:"secret,omitempty"`
	// EmptyDir is empty at first and goes with the pod. {} is enough.
	// +optional
	EmptyDir *EmptyDir `json:"emptyDir,omitempty"`
	// PersistentVolumeClaim is the storage that a claim has got.
	// +optional
	PersistentVolumeClaim *ClaimSource `json:"persistentVolumeClaim,omitempty"`
	// HostPath is a folder of the node.
	// +optional
	HostPath *HostPath `json:"hostPath,omitempty"`
}

// NamedSource is a volume source that only needs a name.
type NamedSource struct {
	// Name of the object, in the child's namespace.
	Name Template `json:"name"`
}

// SecretSource names a Secret by either key.
type SecretSource struct {
	// Name of the Secret, in the child's namespace.
	// +optional
	Name Template `json:"name,omitempty"`
	// SecretName is another spelling of Name. One of the two is set.
	// +optional
	SecretName Template `json:"secretName,omitempty"`
}

// EmptyDir is scratch space.
type EmptyDir struct {
	// Medium is Memory or HugePages. Absent, it is the disk of the node.
	// +optional
	Medium Template `json:"medium,omitempty"`
	// SizeLimit is a quantity, such as 1Gi. Absent, there is none.
	// +optional
	SizeLimit Template `json:"sizeLimit,omitempty"`
}

// ClaimSource names a PersistentVolumeClaim.
type ClaimSource struct {
	// ClaimName is the name of the claim, in the child's namespace.
	ClaimName Template `json:"claimName"`
}

// HostPath is a folder of the node.
type HostPath struct {
	// Path on the node.
	Path Template `json:"path"`
}

// VolumeMount puts a volume into the container.
type VolumeMount struct {
	// Name of the volume.
	Name Template `json:"name"`
	// MountPath is the path in the container.
	MountPath Template `json:"mountPath"`
	// ReadOnly true keeps the container from writing to it. Defaults to false.
	// +optional
	ReadOnly bool `json:"readOnly,omitempty"`
	// SubPath is the part of the volume to mount: relative, without any "..". Defaults to the whole volume.
	// +optional
	SubPath Template `json:"subPath,omitempty"`
}
