package v1

// Security guards namespaces, resources and the webhooks themselves.
type Security struct {
	// NamespaceProtection keeps resources out of namespaces.
	// +optional
	NamespaceProtection *NamespaceProtection `json:"namespaceProtection,omitempty"`
	// DeletionProtection denies the deletion of CRDs and resources.
	// +optional
	DeletionProtection *DeletionProtection `json:"deletionProtection,omitempty"`
	// Webhooks tell how the admission webhooks are registered.
	// +optional
	Webhooks *WebhookSecurity `json:"webhooks,omitempty"`
	// Conversion switches the conversion between versions.
	// +optional
	Conversion *ConversionSecurity `json:"conversion,omitempty"`
	// CertManager tells how the serving certificate is renewed.
	// +optional
	CertManager *CertManager `json:"certManager,omitempty"`
	// ServiceName are the Services of the two processes.
	// +optional
	ServiceName *ServiceNames `json:"serviceName,omitempty"`
	// Provenance guards the annotations that tell who asked for a resource.
	// +optional
	Provenance *Provenance `json:"provenance,omitempty"`
	// BreakGlass names who may pass the webhooks in an emergency.
	// +optional
	BreakGlass *BreakGlass `json:"breakGlass,omitempty"`
}

// FailurePolicy tells the API server what to do when a webhook does not answer.
//
// +kubebuilder:validation:Enum=Fail;Ignore
type FailurePolicy string

// The failure policies of a webhook.
const (
	FailurePolicyFail   FailurePolicy = "Fail"
	FailurePolicyIgnore FailurePolicy = "Ignore"
)

// NamespaceProtection keeps resources out of namespaces, for CRDs without lists of their own. Only one list may be set.
type NamespaceProtection struct {
	// Enabled defaults to true.
	// +optional
	Enabled *bool `json:"enabled,omitempty"`
	// RestrictedNamespaces are left alone, by names or globs. It excludes AllowedNamespaces.
	// +optional
	RestrictedNamespaces []string `json:"restrictedNamespaces,omitempty"`
	// AllowedNamespaces are the only ones operated, by names or globs. It excludes RestrictedNamespaces.
	// +optional
	AllowedNamespaces []string `json:"allowedNamespaces,omitempty"`
	// FailurePolicy defaults to Fail.
	// +optional
	FailurePolicy FailurePolicy `json:"failurePolicy,omitempty"`
	// CleanupOnShutdown removes the webhook when the gateway stops.
	// +optional
	CleanupOnShutdown bool `json:"cleanupOnShutdown,omitempty"`
}

// DeletionProtection denies the deletion of CRDs and resources.
type DeletionProtection struct {
	// Enabled defaults to true.
	// +optional
	Enabled *bool `json:"enabled,omitempty"`
	// StrictMode also denies taking the protection label away.
	// +optional
	StrictMode bool `json:"strictMode,omitempty"`
	// AllowGarbageCollection lets what goes with its owner or its namespace go. Defaults to true: without it, a namespace with something protected never goes.
	// +optional
	AllowGarbageCollection *bool `json:"allowGarbageCollection,omitempty"`
	// FailurePolicy defaults to Fail.
	// +optional
	FailurePolicy FailurePolicy `json:"failurePolicy,omitempty"`
	// CleanupOnShutdown removes the webhook when the gateway stops.
	// +optional
	CleanupOnShutdown bool `json:"cleanupOnShutdown,omitempty"`
	// ServiceName of the webhook. Defaults to the gateway's.
	// +optional
	ServiceName string `json:"serviceName,omitempty"`
}

// On tells whether it is in effect. A nil DeletionProtection is not.
func (d *DeletionProtection) On() bool { return d != nil && (d.Enabled == nil || *d.Enabled) }

// ResourceProtection overrides DeletionProtection for one CRD.
type ResourceProtection struct {
	// ProtectCRD defaults to true.
	// +optional
	ProtectCRD *bool `json:"protectCRD,omitempty"`
	// ProtectCRs defaults to true.
	// +optional
	ProtectCRs *bool `json:"protectCRs,omitempty"`
	// StrictMode false exempts the resources. Defaults to the Katalog's; true has no effect without it.
	// +optional
	StrictMode *bool `json:"strictMode,omitempty"`
}

// WebhookSecurity registers the admission webhooks.
type WebhookSecurity struct {
	// Admission switches validation and mutation at admission.
	// +optional
	Admission *AdmissionSecurity `json:"admission,omitempty"`
	// FailurePolicy defaults to Fail.
	// +optional
	FailurePolicy FailurePolicy `json:"failurePolicy,omitempty"`
	// MutationErrorPolicy tells what a mutation that cannot be evaluated means. Defaults to Allow.
	// +optional
	MutationErrorPolicy MutationErrorPolicy `json:"mutationErrorPolicy,omitempty"`
	// MatchConditions has the API server tell by itself, where it can, that the rules have nothing to say of an object, and not ask. Defaults to true.
	// +optional
	MatchConditions *bool `json:"matchConditions,omitempty"`
	// ServiceName of the webhooks. Defaults to the gateway's.
	// +optional
	ServiceName string `json:"serviceName,omitempty"`
	// CleanupOnShutdown removes the webhooks when the gateway stops.
	// +optional
	CleanupOnShutdown bool `json:"cleanupOnShutdown,omitempty"`
}

// MutationErrorPolicy is what a mutation that cannot be evaluated means.
//
// +kubebuilder:validation:Enum=Allow;Deny
type MutationErrorPolicy string

// AdmissionSecurity switches admission.
type AdmissionSecurity struct {
	// Enabled defaults to true.
	// +optional
	Enabled *bool `json:"enabled,omitempty"`
}

// MaxConversionWindow bounds ConversionWindow.
const MaxConversionWindow = 10000

// ConversionSecurity switches conversion.
type ConversionSecurity struct {
	// Enabled defaults to true.
	// +optional
	Enabled *bool `json:"enabled,omitempty"`
	// ConversionWindow is how many requests the statistics of each webhook look back on, those of admission as well. Defaults to 100.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10000
	ConversionWindow *int32 `json:"conversionWindow,omitempty"`
}

// CertManager tells how the serving certificate is renewed.
type CertManager struct {
	// AutoRotate defaults to true.
	// +optional
	AutoRotate *bool `json:"autoRotate,omitempty"`
	// RotationThreshold is the rest of its life at which a certificate is renewed. Defaults to 30d.
	// +optional
	RotationThreshold *Duration `json:"rotationThreshold,omitempty"`
	// ValidFor defaults to 1y.
	// +optional
	ValidFor *Duration `json:"validFor,omitempty"`
}

// ServiceNames are the Services of the two processes.
type ServiceNames struct {
	// Runtime defaults to orkestra-runtime.
	// +optional
	Runtime string `json:"runtime,omitempty"`
	// Gateway defaults to orkestra-gateway.
	// +optional
	Gateway string `json:"gateway,omitempty"`
}

// Provenance guards the annotations that tell who asked for a resource.
type Provenance struct {
	// Enforce denies changes of them by anyone but the gateway. Defaults to whether the gateway takes intents.
	// +optional
	Enforce *bool `json:"enforce,omitempty"`
}

// BreakGlass names who may pass the webhooks in an emergency.
type BreakGlass struct {
	// Groups of the user.
	// +optional
	Groups []string `json:"groups,omitempty"`
}
