package v1

import "iter"

// Serve exposes a CRD through the gateway's API.
type Serve struct {
	// Enabled exposes the CRD. It needs that of gateway.api. Defaults to false.
	// +optional
	Enabled bool `json:"enabled,omitempty"`
	// Modes tell which shapes of requests are taken.
	// +optional
	Modes *ServeModes `json:"modes,omitempty"`
	// Fields map a key of the intent to the spec.
	// +optional
	Fields map[string]ServeField `json:"fields,omitempty"`
	// Labels map a key of the intent to a label.
	// +optional
	Labels map[string]ServeField `json:"labels,omitempty"`
	// Annotations map a key of the intent to an annotation.
	// +optional
	Annotations map[string]ServeField `json:"annotations,omitempty"`
	// Ignore lists paths of the spec that a form hides.
	// +optional
	Ignore []string `json:"ignore,omitempty"`
	// Title defaults to the kind.
	// +optional
	Title string `json:"title,omitempty"`
	// Category groups CRDs in a catalog.
	// +optional
	Category string `json:"category,omitempty"`
	// Description defaults to the CRD's.
	// +optional
	Description string `json:"description,omitempty"`
	// Target lists surfaces by name. A file may give the name of the only one alone. Defaults to the kind in lower case.
	// +optional
	Target map[string]ServeTarget `json:"target,omitempty"`
	// Apply tells what a caller may force.
	// +optional
	Apply *ServeApply `json:"apply,omitempty"`
	// Name of the resource, in place of the caller's.
	// +optional
	Name Template `json:"name,omitempty"`
	// Namespace of the resource. A namespaced CRD needs it.
	// +optional
	Namespace Template `json:"namespace,omitempty"`
	// Config shapes the answers.
	// +optional
	Config *ServeConfig `json:"config,omitempty"`
	// Tokens lists who may ask, by the names of the gateway's tokens and intake sources. Absent, all may.
	// +optional
	Tokens map[string]ServeToken `json:"tokens,omitempty"`
	// Clusters to apply to, by the gateway's names: each a name, or a template over the intent that comes to one, to several, or to none.
	// Defaults to the gateway's own cluster.
	// +optional
	Clusters []Template `json:"clusters,omitempty"`
	// FallbackLocal applies to the gateway's own cluster where Clusters come to none, which is an error otherwise. Defaults to false.
	// +optional
	FallbackLocal bool `json:"fallbackLocal,omitempty"`
	// StrictFields makes an unknown key of an intent an error.
	// +optional
	StrictFields bool `json:"strictFields,omitempty"`
	// Compat keeps older behaviour.
	// +optional
	Compat *ServeCompat `json:"compat,omitempty"`
}

// FieldGroups goes through the maps of fields of an intent, by their keys.
func (s *Serve) FieldGroups() iter.Seq2[string, map[string]ServeField] {
	return func(yield func(string, map[string]ServeField) bool) {
		_ = yield("fields", s.Fields) && yield("labels", s.Labels) && yield("annotations", s.Annotations)
	}
}

// ServeCompat keeps older behaviour.
type ServeCompat struct {
	// SourceIsIdentity records the identity of the caller as the source too, where there is one, in place of the name of the token. Defaults to false.
	// +optional
	SourceIsIdentity bool `json:"sourceIsIdentity,omitempty"`
}

// ServeModes tell which shapes are taken. At least one must be on.
type ServeModes struct {
	// Target takes flat intents. Defaults to true.
	// +optional
	Target *bool `json:"target,omitempty"`
	// CR takes whole resources. Defaults to true.
	// +optional
	CR *bool `json:"cr,omitempty"`
}

// ServeField is one key of an intent.
type ServeField struct {
	// Conditions tell when a form shows it.
	Conditions `json:",inline"`
	// Label of the field in a form and in messages.
	// +optional
	Label string `json:"label,omitempty"`
	// Placeholder is what a form shows in the empty field.
	// +optional
	Placeholder string `json:"placeholder,omitempty"`
	// Hint is what a form says beside the field.
	// +optional
	Hint string `json:"hint,omitempty"`
	// Category is the section of the form. Defaults to Spec.
	// +optional
	Category string `json:"category,omitempty"`
	// Order in the form and of the rules. 0, the default, comes last.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Order int32 `json:"order,omitempty"`
	// Required denies resources without a value, unless the conditions hide the field. Defaults to false.
	// +optional
	Required bool `json:"required,omitempty"`
	// Disabled is the reason why nobody may set it.
	// +optional
	Disabled string `json:"disabled,omitempty"`
	// Type defaults to the CRD's for a field, to string for a label or annotation.
	// +optional
	Type ServeFieldType `json:"type,omitempty"`
	// Enum lists the allowed values.
	// +optional
	Enum []string `json:"enum,omitempty"`
	// Default of a label or annotation.
	// +optional
	Default *JSON `json:"default,omitempty"`
	// Override excludes Default.
	// +optional
	Override *JSON `json:"override,omitempty"`
	// Path below spec. Defaults to the key.
	// +optional
	Path string `json:"path,omitempty"`
	// Value is what is written; .value is what was sent.
	// +optional
	Value Template `json:"value,omitempty"`
	// Values writes several paths. It excludes Value and Path.
	// +optional
	Values map[string]Template `json:"values,omitempty"`
	// Sensitive values are never shown.
	// +optional
	Sensitive bool `json:"sensitive,omitempty"`
	// GateOnly values are for conditions and never written. It excludes Path, Value and Values.
	// +optional
	GateOnly bool `json:"gateOnly,omitempty"`
}

// ServeFieldType is the type of a key of an intent.
//
// +kubebuilder:validation:Enum=string;integer;number;boolean;enum
type ServeFieldType string

// ServeTarget is one surface of a CRD.
type ServeTarget struct {
	// Primary is set on exactly one surface.
	// +optional
	Primary bool `json:"primary,omitempty"`
	// Enabled defaults to true.
	// +optional
	Enabled *bool `json:"enabled,omitempty"`
	// Tokens default to the CRD's.
	// +optional
	Tokens map[string]ServeToken `json:"tokens,omitempty"`
	// Config shapes the answers. Absent, it is the CRD's.
	// +optional
	Config *ServeConfig `json:"config,omitempty"`
	// Modes tell which shapes of requests are taken. What is absent is the CRD's.
	// +optional
	Modes *ServeModes `json:"modes,omitempty"`
	// Apply tells what a caller may force. What is absent is the CRD's.
	// +optional
	Apply *ServeApply `json:"apply,omitempty"`
	// FieldSelector routes whole resources here when all of its paths have these values.
	// +optional
	// +kubebuilder:validation:MaxProperties=3
	FieldSelector map[string]string `json:"fieldSelector,omitempty"`
	// Clusters default to the CRD's, and are some of those.
	// +optional
	Clusters []Template `json:"clusters,omitempty"`
	// OperatorBox of this surface. A block that is absent is the CRD's.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	OperatorBox *OperatorBox `json:"operatorBox,omitempty"`
}

// ServeApply tells what a caller may force.
type ServeApply struct {
	// Overrides are what a caller may force.
	// +optional
	Overrides *ServeOverrides `json:"overrides,omitempty"`
}

// ServeOverrides tell what a caller may force.
type ServeOverrides struct {
	// ResourceConflict allows taking fields over from another manager. Defaults to true.
	// +optional
	ResourceConflict *bool `json:"resourceConflict,omitempty"`
	// TargetConflict allows moving a resource to another surface. Defaults to true.
	// +optional
	TargetConflict *bool `json:"targetConflict,omitempty"`
	// KeepPreviousSurface keeps the children of the surface that a resource left. Defaults to false.
	// +optional
	KeepPreviousSurface *bool `json:"keepPreviousSurface,omitempty"`
}

// ServeConfig shapes answers.
type ServeConfig struct {
	// Response shapes the answers.
	// +optional
	Response *ServeResponse `json:"response,omitempty"`
}

// ServeResponse shapes answers.
type ServeResponse struct {
	// Default false answers with Payload alone. Defaults to true.
	// +optional
	Default *bool `json:"default,omitempty"`
	// Payload holds texts by name, which are rendered with the resource and added to the answer.
	// +optional
	Payload map[string]Template `json:"payload,omitempty"`
	// Exclude lists paths that the answer leaves out.
	// +optional
	Exclude []Template `json:"exclude,omitempty"`
	// Poll tells where a caller asks again.
	// +optional
	Poll *ServePoll `json:"poll,omitempty"`
}

// ServePoll tells where a caller asks again.
type ServePoll struct {
	// Field is put into the URL as its parameter of that name.
	// +optional
	Field string `json:"field,omitempty"`
	// URL in place of the usual one.
	// +optional
	URL Template `json:"url,omitempty"`
}

// ServeToken is what one caller may do.
type ServeToken struct {
	// Namespaces default to all.
	// +optional
	Namespaces []string `json:"namespaces,omitempty"`
	// Permissions are the operations that are allowed. Absent, none is.
	// +optional
	Permissions ServePermissions `json:"permissions,omitempty"`
}

// ServePermissions list operations. A class without a list takes Global.
type ServePermissions struct {
	// Global are the operations of a class without a list. Where it is set, lists are parts of it.
	// +optional
	Global []ServeOperation `json:"global,omitempty"`
	// Schema takes get and list alone.
	// +optional
	Schema []ServeOperation `json:"schema,omitempty"`
	// Resources are the operations on resources.
	// +optional
	Resources []ServeOperation `json:"resources,omitempty"`
}

// ServeOperation is what a caller may do. * is everything.
//
// +kubebuilder:validation:Enum=get;list;create;update;delete;*
type ServeOperation string
