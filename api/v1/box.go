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
	// Providers lists infrastructure outside of the cluster, by provider.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	Providers map[string][]ProviderEntry `json:"providers,omitempty"`
	// Emit lists Events that a cycle sends.
	// +optional
	Emit *Emit `json:"emit,omitempty"`
	// RollBackOnError returns to the spec that succeeded last after three failures in a row: short for an empty rollback.
	// +optional
	RollBackOnError bool `json:"rollBackOnError,omitempty"`
	// Rollback tells when that happens, and what is applied then.
	// +optional
	Rollback *Rollback `json:"rollback,omitempty"`
}

// Block is a list of children by kind with a gate of its own.
type Block struct {
	// Conditions is evaluated before anything in the block; false removes the children that the block keeps as declared.
	Conditions `json:",inline"`

	// Deployments (apps/v1) run a number of equal pods and roll out changes to them.
	// +optional
	Deployments []Deployment `json:"deployments,omitempty"`
	// ReplicaSets (apps/v1) run a number of equal pods, without rollouts.
	// +optional
	ReplicaSets []ReplicaSet `json:"replicaSets,omitempty"`
	// StatefulSets (apps/v1) run pods with lasting names and storage of their own.
	// +optional
	StatefulSets []StatefulSet `json:"statefulSets,omitempty"`
	// DaemonSets (apps/v1) run one pod on each node.
	// +optional
	DaemonSets []DaemonSet `json:"daemonSets,omitempty"`
	// Pods (v1) run by themselves: none takes their place when their node goes.
	// +optional
	Pods []Pod `json:"pods,omitempty"`
	// Jobs (batch/v1) run once to their end. In every block they are created once and never changed.
	// +optional
	Jobs []Job `json:"jobs,omitempty"`
	// CronJobs (batch/v1) make Jobs by a schedule.
	// +optional
	CronJobs []CronJob `json:"cronJobs,omitempty"`
	// Services (v1) give pods one name and address.
	// +optional
	Services []Service `json:"services,omitempty"`
	// Ingresses (networking.k8s.io/v1) lead HTTP traffic from outside to a Service.
	// +optional
	Ingresses []Ingress `json:"ingresses,omitempty"`
	// Secrets (v1) hold what few may read. Their data is declared, copied from another Secret, or a certificate.
	// +optional
	Secrets []Secret `json:"secrets,omitempty"`
	// ConfigMaps (v1) hold settings. Their data is declared, or copied from another ConfigMap.
	// +optional
	ConfigMaps []ConfigMap `json:"configMaps,omitempty"`
	// ServiceAccounts (v1) are what pods are known as to the API server.
	// +optional
	ServiceAccounts []ServiceAccount `json:"serviceAccounts,omitempty"`
	// PersistentVolumes (v1) offer storage. They are cluster-scoped.
	// +optional
	PersistentVolumes []PersistentVolume `json:"persistentVolumes,omitempty"`
	// PersistentVolumeClaims (v1) ask for storage.
	// +optional
	PersistentVolumeClaims []PersistentVolumeClaim `json:"persistentVolumeClaims,omitempty"`
	// HPA lists HorizontalPodAutoscalers (autoscaling/v2), which change replicas with the CPU load.
	// +optional
	HPA []HPA `json:"hpa,omitempty"`
	// PDB lists PodDisruptionBudgets (policy/v1), which bound how many pods may be evicted at once.
	// +optional
	PDB []PDB `json:"pdb,omitempty"`
	// Namespaces (v1). They are cluster-scoped, so the finalizer deletes them.
	// +optional
	Namespaces []Namespace `json:"namespaces,omitempty"`
	// Roles (rbac.authorization.k8s.io/v1) hold rights in one namespace.
	// +optional
	Roles []Role `json:"roles,omitempty"`
	// RoleBindings (rbac.authorization.k8s.io/v1) grant a role in one namespace.
	// +optional
	RoleBindings []RoleBinding `json:"roleBindings,omitempty"`
	// ClusterRoles (rbac.authorization.k8s.io/v1) hold rights in every namespace and on cluster-scoped objects.
	// +optional
	ClusterRoles []ClusterRole `json:"clusterRoles,omitempty"`
	// ClusterRoleBindings (rbac.authorization.k8s.io/v1) grant a ClusterRole everywhere.
	// +optional
	ClusterRoleBindings []ClusterRoleBinding `json:"clusterRoleBindings,omitempty"`
	// NetworkPolicies (networking.k8s.io/v1) tell which traffic reaches and leaves pods.
	// +optional
	NetworkPolicies []NetworkPolicy `json:"networkPolicies,omitempty"`
	// ResourceQuotas (v1) bound what all objects of a namespace use together.
	// +optional
	ResourceQuotas []ResourceQuota `json:"resourceQuotas,omitempty"`
	// LimitRanges (v1) bound what each object of a namespace uses.
	// +optional
	LimitRanges []LimitRange `json:"limitRanges,omitempty"`
	// Custom lists objects of any kind.
	// +optional
	Custom []Custom `json:"custom,omitempty"`

	// External calls run before the children, one after the other. Their results are .external.<name>.
	// +optional
	External []ExternalCall `json:"external,omitempty"`
	// Git fetches a repository before the external calls. Its result is .git.
	// +optional
	Git *Git `json:"git,omitempty"`
	// Docker builds an image after the external calls and before the children. Its result is .docker.
	// +optional
	Docker *Docker `json:"docker,omitempty"`

	// Ordered true deletes in stages, which are Groups. In onDelete alone. Defaults to false.
	// +optional
	Ordered bool `json:"ordered,omitempty"`
	// Groups are the stages of an ordered onDelete: each begins when the objects of the one before it are gone.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	Groups []Block `json:"groups,omitempty"`
	// Timeout bounds the wait for each group of an ordered onDelete, and for the jobs of one that is not. A group may have its own.
	// Defaults to 5m.
	// +optional
	Timeout *Duration `json:"timeout,omitempty"`
	// Name of a group of onDelete, for messages. It is unique in its list.
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
