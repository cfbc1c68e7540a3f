package v1

// OperatorBox tells how the resources of one CRD, or of one target of it, are operated.
type OperatorBox struct {
	// Conditions is the gate of the whole box: while it is false no resource is touched; the status still is.
	Conditions `json:",inline"`

	// Reconciler tunes the controller and chooses what reconciles. Absent: the declarative reconciler.
	// +optional
	Reconciler *Reconciler `json:"reconciler,omitempty"`
	// PreReconcile holds the gates before the queue and before the reconciler.
	// +optional
	PreReconcile *PreReconcile `json:"preReconcile,omitempty"`
	// Observe lists other objects and Kubernetes Events that trigger a reconcile.
	// +optional
	Observe *Observe `json:"observe,omitempty"`
	// Finalizers replaces spec.finalizers for this box.
	// +optional
	Finalizers []string `json:"finalizers,omitempty"`
	// Cross reads other custom resources.
	// +optional
	Cross []CrossRead `json:"cross,omitempty"`
	// OnCreate lists children that are created when absent. One with reconcile: true is also kept as declared.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	OnCreate *Block `json:"onCreate,omitempty"`
	// OnReconcile lists children that are kept as declared.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	OnReconcile *Block `json:"onReconcile,omitempty"`
	// OnDelete lists what happens before a deleted resource goes away.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	OnDelete *Block `json:"onDelete,omitempty"`
	// Status tells what the status of the resource says.
	// +optional
	Status *Status `json:"status,omitempty"`
	// Autoscale changes workers, queue depth and resync with the load.
	// +optional
	Autoscale *OperatorAutoscale `json:"autoscale,omitempty"`
	// Providers lists external infrastructure, by provider.
	// +optional
	Providers map[string]JSON `json:"providers,omitempty"`
	// Emit lists Events that a cycle sends.
	// +optional
	Emit *Emit `json:"emit,omitempty"`
	// RollBackOnError returns to the last good spec after failures.
	// +optional
	RollBackOnError bool `json:"rollBackOnError,omitempty"`
	// Rollback tells when, and to what.
	// +optional
	Rollback *Rollback `json:"rollback,omitempty"`
}

// Block is a list of children by kind with a gate of its own.
type Block struct {
	// Conditions is evaluated before anything in the block; false removes the children that the block keeps as declared.
	Conditions `json:",inline"`

	// +optional
	Deployments []Deployment `json:"deployments,omitempty"`
	// +optional
	ReplicaSets []ReplicaSet `json:"replicaSets,omitempty"`
	// +optional
	StatefulSets []StatefulSet `json:"statefulSets,omitempty"`
	// +optional
	DaemonSets []DaemonSet `json:"daemonSets,omitempty"`
	// +optional
	Pods []Pod `json:"pods,omitempty"`
	// +optional
	Jobs []Job `json:"jobs,omitempty"`
	// +optional
	CronJobs []CronJob `json:"cronJobs,omitempty"`
	// +optional
	Services []Service `json:"services,omitempty"`
	// +optional
	Ingresses []Ingress `json:"ingresses,omitempty"`
	// +optional
	Secrets []Secret `json:"secrets,omitempty"`
	// +optional
	ConfigMaps []ConfigMap `json:"configMaps,omitempty"`
	// +optional
	ServiceAccounts []ServiceAccount `json:"serviceAccounts,omitempty"`
	// +optional
	PersistentVolumes []PersistentVolume `json:"persistentVolumes,omitempty"`
	// +optional
	PersistentVolumeClaims []PersistentVolumeClaim `json:"persistentVolumeClaims,omitempty"`
	// +optional
	HPA []HPA `json:"hpa,omitempty"`
	// +optional
	PDB []PDB `json:"pdb,omitempty"`
	// +optional
	Namespaces []Namespace `json:"namespaces,omitempty"`
	// +optional
	Roles []Role `json:"roles,omitempty"`
	// +optional
	RoleBindings []RoleBinding `json:"roleBindings,omitempty"`
	// +optional
	ClusterRoles []ClusterRole `json:"clusterRoles,omitempty"`
	// +optional
	ClusterRoleBindings []ClusterRoleBinding `json:"clusterRoleBindings,omitempty"`
	// +optional
	NetworkPolicies []NetworkPolicy `json:"networkPolicies,omitempty"`
	// +optional
	ResourceQuotas []ResourceQuota `json:"resourceQuotas,omitempty"`
	// +optional
	LimitRanges []LimitRange `json:"limitRanges,omitempty"`
	// Custom lists objects of any kind.
	// +optional
	Custom []Custom `json:"custom,omitempty"`

	// External, Git and Docker run before the children.
	// +optional
	External []ExternalCall `json:"external,omitempty"`
	// +optional
	Git *Git `json:"git,omitempty"`
	// +optional
	Docker *Docker `json:"docker,omitempty"`

	// Ordered, Groups, Timeout and Name order the stages of onDelete.
	// +optional
	Ordered bool `json:"ordered,omitempty"`
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	Groups []Block `json:"groups,omitempty"`
	// +optional
	Timeout *Duration `json:"timeout,omitempty"`
	// +optional
	Name string `json:"name,omitempty"`
}

// Status tells what is written to the status subresource.
type Status struct {
	// Conditions false leaves the automatic conditions out. Defaults to true.
	// +optional
	Conditions *bool `json:"conditions,omitempty"`
	// Fields are written in order; a later entry of the same path wins.
	// +optional
	Fields []StatusField `json:"fields,omitempty"`
}

// StatusField is one value of the status. Without a gate it is written after success only, with one also after a failure.
type StatusField struct {
	Conditions `json:",inline"`

	// Path is a dot path below status.
	Path string `json:"path"`
	// Value is rendered with the children as they are after this cycle.
	// +optional
	Value Template `json:"value,omitempty"`
	// Type is string (the default), int, float, bool or auto. A value of one single expression without a type keeps the
	// expression's own.
	// +optional
	Type string `json:"type,omitempty"`
	// ClearOnFalse writes "" when the gate is false and no other entry of the path wrote a value.
	// +optional
	ClearOnFalse bool `json:"clearOnFalse,omitempty"`
}
