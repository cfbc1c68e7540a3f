package v1

// Enum is a text of which only some values are valid.
//
// +kubebuilder:object:generate=false
type Enum interface {
	// Values returns the valid ones in the order of their documentation.
	Values() []string
}

// Values implements Enum.
func (RuleAction) Values() []string {
	return []string{"deny", "warn"}
}

// Values implements Enum.
func (ImmutablePolicy) Values() []string {
	return []string{"report", "recreate"}
}

// Values implements Enum.
func (RuleErrorPolicy) Values() []string {
	return []string{"allow", "deny"}
}

// Values implements Enum.
func (WebhookOperation) Values() []string {
	return []string{"CREATE", "UPDATE", "DELETE"}
}

// Values implements Enum.
func (EmitType) Values() []string {
	return []string{"Normal", "Warning"}
}

// Values implements Enum.
func (Mode) Values() []string {
	return []string{"typed", "dynamic"}
}

// Values implements Enum.
func (RemovalPolicy) Values() []string {
	return []string{"keep", "orphan", "delete"}
}

// Values implements Enum.
func (DependencyCondition) Values() []string {
	return []string{"started", "healthy"}
}

// Values implements Enum.
func (EnrichmentName) Values() []string {
	return []string{"pods", "events", "endpoints", "service", "replicasets", "pvcs", "pvc", "storageclass", "hpa", "ingress", "cronjob", "node", "owner"}
}

// Values implements Enum.
func (Protocol) Values() []string {
	return []string{"http", "prometheus", "redis", "postgres", "mongo", "kafka"}
}

// Values implements Enum.
func (CrossStrategy) Values() []string {
	return []string{"first", "all"}
}

// Values implements Enum.
func (CrossProtocol) Values() []string {
	return []string{"cr", "health", "metrics", "info", "events"}
}

// Values implements Enum.
func (DockerBuilder) Values() []string {
	return []string{"buildkit", "docker", "podman", "kaniko", "buildah"}
}

// Values implements Enum.
func (FailPolicy) Values() []string {
	return []string{"open", "closed"}
}

// Values implements Enum.
func (Maturity) Values() []string {
	return []string{"alpha", "beta", "stable", "deprecated"}
}

// Values implements Enum.
func (PolicyType) Values() []string {
	return []string{"Ingress", "Egress"}
}

// Values implements Enum.
func (EventType) Values() []string {
	return []string{"create", "update", "delete"}
}

// Values implements Enum.
func (QueueType) Values() []string {
	return []string{"ratelimited", "delayed"}
}

// Values implements Enum.
func (RemoteType) Values() []string {
	return []string{"http"}
}

// Values implements Enum.
func (FailurePolicy) Values() []string {
	return []string{"Fail", "Ignore"}
}

// Values implements Enum.
func (MutationErrorPolicy) Values() []string {
	return []string{"Allow", "Deny"}
}

// Values implements Enum.
func (ServeFieldType) Values() []string {
	return []string{"string", "integer", "number", "boolean", "enum"}
}

// Values implements Enum.
func (ServeOperation) Values() []string {
	return []string{"get", "list", "create", "update", "delete", "*"}
}

// Values implements Enum.
func (MotifInputType) Values() []string {
	return []string{"string", "int", "bool"}
}
