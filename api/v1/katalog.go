package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Katalog declares CRDs and how the resources of each are operated.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=katalogs,scope=Namespaced,singular=katalog
// +kubebuilder:storageversion
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Accepted",type=string,JSONPath=`.status.conditions[?(@.type=="Accepted")].status`
// +kubebuilder:printcolumn:name="Running",type=string,JSONPath=`.status.conditions[?(@.type=="Running")].status`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type Katalog struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// About describes the Katalog to people. A file may write these fields under metadata.
	// +optional
	About *About `json:"about,omitempty"`
	// Lifecycle tells how mature the Katalog is and what it needs.
	// +optional
	Lifecycle *Lifecycle `json:"lifecycle,omitempty"`
	// Profiles are named presets that declarations refer to.
	// +optional
	Profiles *Profiles `json:"profiles,omitempty"`
	// Notes are template functions of this Katalog.
	// +optional
	Notes *Notes `json:"notes,omitempty"`
	// Security guards namespaces, resources and the webhooks themselves.
	// +optional
	Security *Security `json:"security,omitempty"`
	// Notification tells teams about errors.
	// +optional
	Notification *Notification `json:"notification,omitempty"`
	// Providers are external infrastructure that the Katalog depends on.
	// +optional
	Providers []ProviderClaim `json:"providers,omitempty"`
	// Gateway is the process that serves webhooks and takes intents.
	// +optional
	Gateway *Gateway `json:"gateway,omitempty"`
	// CrossAccess is the default of every CRD's crossAccess. Defaults to true.
	// +optional
	CrossAccess *bool `json:"crossAccess,omitempty"`

	// Spec holds the CRDs and what they share.
	// +optional
	Spec KatalogSpec `json:"spec,omitempty"`
	// Status is written by the operator on a Katalog object of the cluster; in a file it is ignored.
	// +optional
	Status KatalogStatus `json:"status,omitempty"`
}

// KatalogList is a list of Katalogs.
//
// +kubebuilder:object:root=true
type KatalogList struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`
	// Items are the Katalogs.
	Items []Katalog `json:"items"`
}

// KatalogSpec holds the CRDs and what they share.
type KatalogSpec struct {
	// Finalizers are put on every resource besides Orkestra's own, unless the box of its CRD has a list.
	// +optional
	Finalizers []string `json:"finalizers,omitempty"`
	// Imports are Motifs of which the profiles and notes are taken.
	// +optional
	Imports []Import `json:"imports,omitempty"`
	// CRDs by name, which is how dependsOn, cross reads, metrics and the live API call them. At least one is needed,
	// but for a gateway that stands alone.
	// +optional
	CRDs map[string]CRD `json:"crds,omitempty"`
}

// KatalogStatus tells whether the operator runs the Katalog.
type KatalogStatus struct {
	// ObservedGeneration is the generation that Conditions speak of.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Conditions hold Accepted: false with the errors of the Katalog when it cannot be run as it is, Running: whether the
	// controllers of all CRDs run, and Ready, which sums up.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// CRDs tell of each CRD what its controller does.
	// +optional
	// +listType=map
	// +listMapKey=name
	CRDs []KatalogCRDStatus `json:"crds,omitempty"`
}

// KatalogCRDStatus is what the controller of one CRD does.
type KatalogCRDStatus struct {
	// Name of the CRD in the Katalog.
	Name string `json:"name"`
	// State is not started, pending, healthy, degraded or disabled.
	State string `json:"state"`
	// Reason tells what is waited for, or what is wrong.
	// +optional
	Reason string `json:"reason,omitempty"`
	// Resources is how many resources there are.
	// +optional
	Resources int64 `json:"resources,omitempty"`
	// Failing is how many of them failed in their last cycle.
	// +optional
	Failing int64 `json:"failing,omitempty"`
}

// About describes a Katalog to people.
type About struct {
	// Version is a semantic version.
	// +optional
	Version string `json:"version,omitempty"`
	// Description in a sentence or two.
	// +optional
	Description string `json:"description,omitempty"`
	// Author is the person or organization that keeps it.
	// +optional
	Author string `json:"author,omitempty"`
	// License is an SPDX identifier.
	// +optional
	License string `json:"license,omitempty"`
	// Tags are words to find it by.
	// +optional
	Tags []string `json:"tags,omitempty"`
}

// Lifecycle tells how mature a Katalog is and what it needs.
type Lifecycle struct {
	// Maturity defaults to stable.
	// +optional
	Maturity Maturity `json:"maturity,omitempty"`
	// Deprecation tells that the Katalog is going away.
	// +optional
	Deprecation *Deprecation `json:"deprecation,omitempty"`
	// Compatibility holds the versions that the Katalog needs. With others it does not run.
	// +optional
	Compatibility *Compatibility `json:"compatibility,omitempty"`
	// Accept lets deprecated Katalogs run.
	// +optional
	Accept *LifecycleAccept `json:"accept,omitempty"`
}

// Maturity of a Katalog.
//
// +kubebuilder:validation:Enum=alpha;beta;stable;deprecated
type Maturity string

// The maturities of a Katalog.
const (
	MaturityAlpha      Maturity = "alpha"
	MaturityBeta       Maturity = "beta"
	MaturityStable     Maturity = "stable"
	MaturityDeprecated Maturity = "deprecated"
)

// Deprecation tells that, since when and until when a Katalog is going away.
type Deprecation struct {
	// Message tells users what to do.
	Message string `json:"message"`
	// MigratedTo names what replaces it.
	// +optional
	MigratedTo string `json:"migratedTo,omitempty"`
	// Timeline holds the dates.
	// +optional
	Timeline *DeprecationTimeline `json:"timeline,omitempty"`
	// Accept lets the Katalog run nevertheless.
	// +optional
	Accept *DeprecationAccept `json:"accept,omitempty"`
}

// DeprecationTimeline holds two dates, YYYY-MM-DD. From is before To.
type DeprecationTimeline struct {
	// From is the day from which the Katalog is deprecated.
	// +optional
	From string `json:"from,omitempty"`
	// To is the day from which the Katalog no longer runs.
	// +optional
	To string `json:"to,omitempty"`
}

// DeprecationAccept lets a deprecated Katalog run.
type DeprecationAccept struct {
	// BeforeEOL lets it run until the end of the timeline. Defaults to false.
	// +optional
	BeforeEOL bool `json:"beforeEol,omitempty"`
	// EOL lets it run after the end of the timeline as well. Defaults to false.
	// +optional
	EOL bool `json:"eol,omitempty"`
}

// Compatibility holds version constraints, such as ">= 1.30".
type Compatibility struct {
	// Orkestra is the constraint on the version of Orkestra.
	// +optional
	Orkestra string `json:"orkestra,omitempty"`
	// Kubernetes is the constraint on the version of the cluster.
	// +optional
	Kubernetes string `json:"kubernetes,omitempty"`
}

// LifecycleAccept lists which deprecated Katalogs may run.
type LifecycleAccept struct {
	// Patterns of Katalogs that may run. One that matches is enough.
	// +optional
	Patterns []LifecyclePattern `json:"patterns,omitempty"`
}

// LifecyclePattern matches a Katalog. A part that is not set matches everything.
type LifecyclePattern struct {
	// Name of the Katalog.
	// +optional
	Name string `json:"name,omitempty"`
	// Author of the Katalog.
	// +optional
	Author string `json:"author,omitempty"`
	// Version of the Katalog.
	// +optional
	Version string `json:"version,omitempty"`
}

// Notes are template functions of a Katalog.
type Notes struct {
	// Functions are the notes. A name stands once; that of a built-in function takes its place.
	// +optional
	Functions []Note `json:"functions,omitempty"`
}

// Note is a template function without arguments. A result of true or false is a boolean.
type Note struct {
	// Name is an identifier.
	Name string `json:"name"`
	// Expression is the template that the function renders. It reads the roots of the place that calls it.
	Expression Template `json:"expression"`
	// Description of the function, for people.
	// +optional
	Description string `json:"description,omitempty"`
}

// Import takes over a Motif.
type Import struct {
	// Motif is the path of its file.
	// +optional
	Motif string `json:"motif,omitempty"`
	// OCI is a reference to it in a registry.
	// +optional
	OCI string `json:"oci,omitempty"`
	// With gives its inputs.
	// +optional
	With map[string]JSON `json:"with,omitempty"`
}

// ProviderClaim names a provider that the Katalog depends on.
type ProviderClaim struct {
	// Name of the provider. It is unique.
	Name string `json:"name"`
	// Required true refuses to start without it. Defaults to false, which warns.
	// +optional
	Required bool `json:"required,omitempty"`
	// Version of its library.
	// +optional
	Version string `json:"version,omitempty"`
	// Library is its Go import path.
	// +optional
	Library string `json:"library,omitempty"`
	// Auth values may name environment variables as $NAME.
	// +optional
	Auth map[string]string `json:"auth,omitempty"`
}

// Notification tells teams about errors and about conditions with notify.
type Notification struct {
	// Enabled defaults to true.
	// +optional
	Enabled *bool `json:"enabled,omitempty"`
	// Standalone sends without the gateway. Defaults to true outside a cluster.
	// +optional
	Standalone *bool `json:"standalone,omitempty"`
	// Defaults hold for every team.
	// +optional
	Defaults *NotificationDefaults `json:"defaults,omitempty"`
	// Teams by the names that notify has.
	// +optional
	Teams map[string]Team `json:"teams,omitempty"`
}

// NotificationDefaults hold for every team.
type NotificationDefaults struct {
	// Interval between two messages of one kind. Defaults to 15m.
	// +optional
	Interval *Duration `json:"interval,omitempty"`
	// SlackWebhookURL may name an environment variable as $NAME.
	// +optional
	SlackWebhookURL string `json:"slackWebhookUrl,omitempty"` //nolint:tagliatelle // the spelling of existing files
}

// Team is who can be told. At least one of Slack and Email is set.
type Team struct {
	// Slack is a channel to post to.
	// +optional
	Slack *Slack `json:"slack,omitempty"`
	// Email lists addresses to write to.
	// +optional
	Email []string `json:"email,omitempty"`
	// Interval between two messages of one kind. Absent, that of Defaults holds.
	// +optional
	Interval *Duration `json:"interval,omitempty"`
	// Message to send. It reads .KatalogName, .CRDName, .Error, .Namespace and .Name.
	// +optional
	Message Template `json:"message,omitempty"`
}

// Slack is where a team is told.
type Slack struct {
	// Webhook may name an environment variable as $NAME.
	Webhook string `json:"webhook"`
}
