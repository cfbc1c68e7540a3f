package v1

// Role declares an rbac.authorization.k8s.io/v1 Role. Its name defaults to <resource>-role.
type Role struct {
	Entry `json:",inline"`
	// Rules are at least one, but in onDelete.
	// +optional
	Rules []PolicyRule `json:"rules,omitempty"`
}

// ClusterRole declares an rbac.authorization.k8s.io/v1 ClusterRole. Its name defaults to <resource>-cluster-role.
type ClusterRole struct {
	Entry `json:",inline"`
	// Rules are at least one, but in onDelete.
	// +optional
	Rules []PolicyRule `json:"rules,omitempty"`
}

// PolicyRule allows verbs on resources.
type PolicyRule struct {
	// APIGroups default to the core group.
	// +optional
	APIGroups []Template `json:"apiGroups,omitempty"`
	// Resources by their plural names. Without any, NonResourceURLs must be set.
	// +optional
	Resources []Template `json:"resources,omitempty"`
	// Verbs that are allowed, such as get, or * for all. At least one.
	// +kubebuilder:validation:MinItems=1
	Verbs []Template `json:"verbs"`
	// ResourceNames narrows the rule to these objects.
	// +optional
	ResourceNames []Template `json:"resourceNames,omitempty"`
	// NonResourceURLs are paths such as /metrics, in a ClusterRole alone.
	// +optional
	NonResourceURLs []Template `json:"nonResourceURLs,omitempty"`
}

// RoleBinding declares an rbac.authorization.k8s.io/v1 RoleBinding. Its name defaults to <resource>-rolebinding.
type RoleBinding struct {
	Entry `json:",inline"`
	// RoleRef cannot change once the binding exists; a binding that is kept as declared is then replaced. Its kind
	// defaults to Role.
	// Only a declaration in onDelete may leave it out.
	// +optional
	RoleRef *RoleRef `json:"roleRef,omitempty"`
	// Subjects are at least one, but in onDelete.
	// +optional
	Subjects []Subject `json:"subjects,omitempty"`
}

// ClusterRoleBinding declares an rbac.authorization.k8s.io/v1 ClusterRoleBinding. Its name defaults to <resource>-crb.
type ClusterRoleBinding struct {
	Entry `json:",inline"`
	// RoleRef cannot change once the binding exists; a binding that is kept as declared is then replaced. Its kind is
	// ClusterRole.
	// Only a declaration in onDelete may leave it out.
	// +optional
	RoleRef *RoleRef `json:"roleRef,omitempty"`
	// Subjects are at least one, but in onDelete.
	// +optional
	Subjects []Subject `json:"subjects,omitempty"`
}

// RoleRef names a Role or a ClusterRole.
type RoleRef struct {
	// Name of the role.
	Name Template `json:"name"`
	// Kind is Role or ClusterRole. Defaults to Role in a RoleBinding, to ClusterRole in a ClusterRoleBinding.
	// +optional
	Kind Template `json:"kind,omitempty"`
	// APIGroup defaults to rbac.authorization.k8s.io, which is the only one.
	// +optional
	APIGroup Template `json:"apiGroup,omitempty"`
}

// Subject is who gets the role.
type Subject struct {
	// Kind is ServiceAccount (the default), User or Group.
	// +optional
	Kind Template `json:"kind,omitempty"`
	// Name of the ServiceAccount, user or group.
	Name Template `json:"name"`
	// Namespace of a ServiceAccount. Defaults to the binding's, for a ClusterRoleBinding to the resource's.
	// +optional
	Namespace Template `json:"namespace,omitempty"`
	// APIGroup defaults to the one of Kind: none for a ServiceAccount, else rbac.authorization.k8s.io.
	// +optional
	APIGroup Template `json:"apiGroup,omitempty"`
}
