package v1

// Validation lists rules that a resource must meet, at admission and in each cycle.
type Validation struct {
	// External calls run before the rules.
	// +optional
	External []ExternalCall `json:"external,omitempty"`
	// Rules are all checked and all violations reported.
	// +optional
	Rules []ValidationRule `json:"rules,omitempty"`
}

// ValidationRule is one comparison. Its conditions tell when it holds.
type ValidationRule struct {
	// Condition is the comparison. Its time, dayOfWeek, cron, notify and source have no meaning here.
	Condition  `json:",inline"`
	Conditions `json:",inline"`
	// Name of the rule, for reports.
	// +optional
	Name string `json:"name,omitempty"`
	// Message tells people what to do. Without one they are told the comparison alone.
	// +optional
	Message Template `json:"message,omitempty"`
	// Action is deny (the default) or warn.
	// +optional
	Action RuleAction `json:"action,omitempty"`
	// Link is the key of a serve field to report in place of Field.
	// +optional
	Link string `json:"link,omitempty"`
	// OnError tells what a rule that cannot be evaluated means at admission. Defaults to deny, of a rule that warns to allow.
	// +optional
	OnError RuleErrorPolicy `json:"onError,omitempty"`
	// Fires tells whether the rule is checked in each cycle besides admission.
	// +optional
	Fires *Fires `json:"fires,omitempty"`
}

// RuleAction is what a violation means.
//
// +kubebuilder:validation:Enum=deny;warn
type RuleAction string

// The actions of a validation rule.
const (
	RuleDeny RuleAction = "deny"
	RuleWarn RuleAction = "warn"
)

// RuleErrorPolicy is what a rule that cannot be evaluated means.
//
// +kubebuilder:validation:Enum=allow;deny
type RuleErrorPolicy string

// The error policies of a validation rule.
const (
	RuleErrorAllow RuleErrorPolicy = "allow"
	RuleErrorDeny  RuleErrorPolicy = "deny"
)

// Mutation lists rules that change a resource, at admission and, in memory, in each cycle.
type Mutation struct {
	// MutateFirst false validates first in a cycle. Defaults to true. At admission mutation always comes first.
	// +optional
	MutateFirst *bool `json:"mutateFirst,omitempty"`
	// External calls run before the rules.
	// +optional
	External []ExternalCall `json:"external,omitempty"`
	// Rules are applied in order; each sees what the ones before it did.
	// +optional
	Rules []MutationRule `json:"rules,omitempty"`
}

// MutationRule sets one field. Exactly one of Default and Override is set.
type MutationRule struct {
	Conditions `json:",inline"`
	// Name of the rule, for logs.
	// +optional
	Name string `json:"name,omitempty"`
	// Field is a dot path below spec, or of a label or annotation, or a template that renders one. A key that holds dots stands
	// in brackets and quotes: metadata.labels["example.com/tier"].
	Field Template `json:"field"`
	// Default is set when the field is absent, null or the empty text.
	// +optional
	Default *JSON `json:"default,omitempty"`
	// Override is always set.
	// +optional
	Override *JSON `json:"override,omitempty"`
	// ValueType tells how to write the value: string, int, float or bool. Without it the value has the type of the field in the
	// schema of the CRD or, where that is not known, its own.
	// +optional
	ValueType string `json:"valueType,omitempty"`
	// Fires tells whether the rule is applied in each cycle besides admission.
	// +optional
	Fires *Fires `json:"fires,omitempty"`
}

// ResourceWebhooks tell which admission webhooks a CRD has.
type ResourceWebhooks struct {
	// Validation defaults to true.
	// +optional
	Validation *bool `json:"validation,omitempty"`
	// Mutation defaults to true.
	// +optional
	Mutation *bool `json:"mutation,omitempty"`
	// Operations default to CREATE and UPDATE.
	// +optional
	Operations []WebhookOperation `json:"operations,omitempty"`
}

// WebhookOperation is what a webhook is asked about.
//
// +kubebuilder:validation:Enum=CREATE;UPDATE;DELETE
type WebhookOperation string

// Conversion turns resources of one version into another.
type Conversion struct {
	// StorageVersion is the version that is kept. Needed, but for a participant.
	// +optional
	StorageVersion string `json:"storageVersion,omitempty"`
	// UpdateCRD keeps the CRD's conversion webhook pointing here.
	// +optional
	UpdateCRD bool `json:"updateCRD,omitempty"`
	// Participant tells that another CRD of the Katalog declares the paths.
	// +optional
	Participant bool `json:"participant,omitempty"`
	// Preserve keeps what a conversion loses in an annotation.
	// +optional
	Preserve bool `json:"preserve,omitempty"`
	// Paths turn one version into another. Each pair of versions stands once.
	// +optional
	Paths []ConversionPath `json:"paths,omitempty"`
}

// ConversionPath turns one version into another.
type ConversionPath struct {
	// From is the version to convert, such as v1.
	From string `json:"from"`
	// To is the version to make of it. It differs from From.
	To string `json:"to"`
	// Passthrough keeps the fields of spec that Spec does not list. Defaults to false.
	// +optional
	Passthrough bool `json:"passthrough,omitempty"`
	// Spec of the new version. Texts in it are templates.
	// +optional
	Spec map[string]JSON `json:"spec,omitempty"`
	// Status of the new version. Absent, the status is kept.
	// +optional
	Status map[string]JSON `json:"status,omitempty"`
}
