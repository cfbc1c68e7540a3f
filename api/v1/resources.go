package v1

// Deployment declares an apps/v1 Deployment. Its name defaults to <resource>-deployment.
type Deployment struct {
	Entry    `json:",inline"`
	Workload `json:",inline"`
	// Replicas defaults to 1.
	// +optional
	Replicas Template `json:"replicas,omitempty"`
	// RollingUpdate bounds a rollout. Absent, Kubernetes decides.
	// +optional
	RollingUpdate *RollingUpdate `json:"rollingUpdate,omitempty"`
	// Autoscale changes the replicas by conditions. It excludes an HPA of the same Deployment.
	// +optional
	Autoscale *WorkloadAutoscale `json:"autoscale,omitempty"`
}

// RollingUpdate is a profile, or how many pods may be missing or extra during a rollout.
type RollingUpdate struct {
	// Profile names a preset and excludes the other fields.
	// +optional
	Profile Template `json:"profile,omitempty"`
	// MaxSurge is how many pods more than wanted there may be, as a number or a percentage. Absent, Kubernetes decides.
	// +optional
	MaxSurge Template `json:"maxSurge,omitempty"`
	// MaxUnavailable is how many of the wanted pods may be missing, as a number or a percentage. Absent, Kubernetes decides.
	// +optional
	MaxUnavailable Template `json:"maxUnavailable,omitempty"`
}

// Service declares a v1 Service. Its name defaults to <resource>-svc.
type Service struct {
	Entry `json:",inline"`
	// Type is ClusterIP (the default), NodePort or LoadBalancer.
	// +optional
	Type Template `json:"type,omitempty"`
	// Headless gives the Service no cluster address.
	// +optional
	Headless bool `json:"headless,omitempty"`
	// Port of the Service.
	// +optional
	Port Template `json:"port,omitempty"`
	// TargetPort defaults to Port.
	// +optional
	TargetPort Template `json:"targetPort,omitempty"`
	// Protocol is TCP (the default), UDP or SCTP.
	// +optional
	Protocol Template `json:"protocol,omitempty"`
	// Selector defaults to the pods of the resource's workloads.
	// +optional
	Selector TemplateMap `json:"selector,omitempty"`
}

// ConfigMap declares a v1 ConfigMap. Its name defaults to <resource>-config.
type ConfigMap struct {
	Entry `json:",inline"`
	// Data holds texts by key.
	// +optional
	Data TemplateMap `json:"data,omitempty"`
	// FromConfigMap copies the data of another ConfigMap and keeps it in step.
	// +optional
	FromConfigMap Template `json:"fromConfigMap,omitempty"`
	// FromNamespace of the source. Defaults to the resource's namespace.
	// +optional
	FromNamespace Template `json:"fromNamespace,omitempty"`
	// ToNamespaces writes the ConfigMap to these namespaces as well.
	// +optional
	ToNamespaces Templates `json:"toNamespaces,omitempty"`
}

// Secret declares a v1 Secret. Its name defaults to <resource>-secret.
type Secret struct {
	Entry `json:",inline"`
	// Type defaults to Opaque.
	// +optional
	Type Template `json:"type,omitempty"`
	// Data holds plain text; it is encoded on the way to the cluster.
	// +optional
	Data TemplateMap `json:"data,omitempty"`
	// FromSecret copies the data of another Secret and keeps it in step.
	// +optional
	FromSecret Template `json:"fromSecret,omitempty"`
	// FromNamespace of the source. Defaults to the resource's namespace.
	// +optional
	FromNamespace Template `json:"fromNamespace,omitempty"`
	// ToNamespaces writes the Secret to these namespaces as well.
	// +optional
	ToNamespaces Templates `json:"toNamespaces,omitempty"`
	// Once renders and writes the Secret only when it is absent.
	// +optional
	Once bool `json:"once,omitempty"`
	// RotateAfter is the age at which a Secret with Once is written anew.
	// +optional
	RotateAfter *Duration `json:"rotateAfter,omitempty"`
	// TLS makes a certificate and its own authority, in place of Data.
	// +optional
	TLS *TLS `json:"tls,omitempty"`
}

// TLS describes a certificate.
type TLS struct {
	// CommonName is the subject of the certificate.
	// +optional
	CommonName Template `json:"commonName,omitempty"`
	// DNSNames that the certificate holds for.
	// +optional
	DNSNames Templates `json:"dnsNames,omitempty"`
	// IPAddresses that the certificate holds for.
	// +optional
	IPAddresses Templates `json:"ipAddresses,omitempty"`
	// ValidFor defaults to rotateAfter, else 1y.
	// +optional
	ValidFor *Duration `json:"validFor,omitempty"`
	// Organization defaults to orkestra.
	// +optional
	Organization Template `json:"organization,omitempty"`
}

// ServiceAccount declares a v1 ServiceAccount. Its name defaults to <resource>-sa.
type ServiceAccount struct {
	Entry `json:",inline"`
	// ImagePullSecrets are names of Secrets with which its pods pull images.
	// +optional
	ImagePullSecrets Templates `json:"imagePullSecrets,omitempty"`
	// AutomountServiceAccountToken false keeps the account's token out of its pods. Absent, Kubernetes decides.
	// +optional
	AutomountServiceAccountToken *bool `json:"automountServiceAccountToken,omitempty"`
}

// Job declares a batch/v1 Job, which is created once and never changed. Its name defaults to <resource>-job.
type Job struct {
	Entry    `json:",inline"`
	Workload `json:",inline"`
	// BackoffLimit defaults to 3.
	// +optional
	BackoffLimit Template `json:"backoffLimit,omitempty"`
}

// CronJob declares a batch/v1 CronJob. Its name defaults to <resource>-cronjob.
type CronJob struct {
	Entry    `json:",inline"`
	Workload `json:",inline"`
	// Schedule is a five-field cron expression. Only a declaration in onDelete may leave it out.
	// +optional
	Schedule Template `json:"schedule,omitempty"`
	// Suspend defaults to false.
	// +optional
	Suspend Template `json:"suspend,omitempty"`
	// SuccessfulJobsHistoryLimit defaults to 3.
	// +optional
	SuccessfulJobsHistoryLimit Template `json:"successfulJobsHistoryLimit,omitempty"`
	// FailedJobsHistoryLimit defaults to 1.
	// +optional
	FailedJobsHistoryLimit Template `json:"failedJobsHistoryLimit,omitempty"`
	// ConcurrencyPolicy is Allow (the default), Forbid or Replace, in any case.
	// +optional
	ConcurrencyPolicy Template `json:"concurrencyPolicy,omitempty"`
	// StartingDeadlineSeconds is how late a Job may start, in seconds. Absent, there is no limit.
	// +optional
	StartingDeadlineSeconds Template `json:"startingDeadlineSeconds,omitempty"`
}

// Custom declares an object of any kind. Every text in it, at any depth, may be a template; numbers, booleans, lists and
// maps keep their type, and so does the result of a text that is one single expression.
type Custom struct {
	Conditions  `json:",inline"`
	EntryPolicy `json:",inline"`

	// APIVersion of the object, such as networking.k8s.io/v1. It is not rendered.
	APIVersion string `json:"apiVersion"`
	// Kind of the object. It is not rendered.
	Kind string `json:"kind"`
	// Metadata names the object. It needs a name.
	Metadata CustomMetadata `json:"metadata"`
	// HasStatus tells whether the kind has a status. Absent, discovery tells.
	// +optional
	HasStatus *bool `json:"hasStatus,omitempty"`
	// Object holds every other top-level field of the object: spec, data, rules and so on. In JSON they stand beside the
	// fields above.
	Object map[string]JSON `json:"-"`
}

// CustomMetadata is the metadata of a custom object.
type CustomMetadata struct {
	// Name of the object. It has no default.
	Name Template `json:"name"`
	// Namespace defaults to the resource's own. Cluster-scoped kinds have none.
	// +optional
	Namespace Template `json:"namespace,omitempty"`
	// Namespaced tells the scope of the kind. Absent, discovery tells.
	// +optional
	Namespaced *bool `json:"namespaced,omitempty"`
	// Labels of the object. Keys are not rendered.
	// +optional
	Labels TemplateMap `json:"labels,omitempty"`
	// Annotations of the object. Keys are not rendered.
	// +optional
	Annotations TemplateMap `json:"annotations,omitempty"`
}
