package v1

// Serve exposes a CRD through the gateway's API.
type Serve struct {
	// +optional
	Enabled bool `json:"enabled,omitempty"`
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
	// +optional
	Category string `json:"category,omitempty"`
	// Description defaults to the CRD's.
	// +optional
	Description string `json:"description,omitempty"`
	// Target lists surfaces by name. A file may give the name of the only one alone. Defaults to the kind in lower case.
	// +optional
	Target map[string]ServeTarget `json:"target,omitempty"`
	// +optional
	Apply *ServeApply `json:"apply,omitempty"`
	// Name of the resource, in place of the caller's.
	// +optional
	Name Template `json:"name,omitempty"`
	// Namespace of the resource. A namespaced CRD needs it.
	// +optional
	Namespace Template `json:"namespace,omitempty"`
	// +optional
	Config *ServeConfig `json:"config,omitempty"`
	// Tokens lists who may ask, by the names of the gateway's tokens and intake sources. Absent, all may.
	// +optional
	Tokens map[string]ServeToken `json:"tokens,omitempty"`
	// Clusters to apply to, by the gateway's names.
	// +optional
	Clusters []string `json:"clusters,omitempty"`
	// StrictFields makes an unknown key of an intent an error.
	// +optional
	StrictFields bool `json:"strictFields,omitempty"`
	// +optional
	Compat *ServeCompat `json:"compat,omitempty"`
}

// ServeCompat keeps older behaviour.
type ServeCompat struct {
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
	// +optional
	Label string `json:"label,omitempty"`
	// +optional
	Placeholder string `json:"placeholder,omitempty"`
	// +optional
	Hint string `json:"hint,omitempty"`
	// Category is the section of the form. Defaults to Spec.
	// +optional
	Category string `json:"category,omitempty"`
	// Order in the form and of the rules. 0, the default, comes last.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Order int32 `json:"order,omitempty"`
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
	// +optional
	Config *ServeConfig `json:"config,omitempty"`
	// +optional
	Modes *ServeModes `json:"modes,omitempty"`
	// +optional
	Apply *ServeApply `json:"apply,omitempty"`
	// FieldSelector routes whole resources here when all of its paths have these values.
	// +optional
	// +kubebuilder:validation:MaxProperties=3
	FieldSelector map[string]string `json:"fieldSelector,omitempty"`
	// Clusters default to the CRD's.
	// +optional
	Clusters []string `json:"clusters,omitempty"`
	// OperatorBox of this surface. A block that is absent is the CRD's.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	OperatorBox *OperatorBox `json:"operatorBox,omitempty"`
}

// ServeApply tells what a caller may force.
type ServeApply struct {
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
	// +optional
	Response *ServeResponse `json:"response,omitempty"`
}

// ServeResponse shapes answers.
type ServeResponse struct {
	// Default false answers with Payload alone. Defaults to true.
	// +optional
	Default *bool `json:"default,omitempty"`
	// +optional
	Payload map[string]Template `json:"payload,omitempty"`
	// Exclude lists paths that the answer leaves out.
	// +optional
	Exclude []Template `json:"exclude,omitempty"`
	// +optional
	Poll *ServePoll `json:"poll,omitempty"`
}

// ServePoll tells where a caller asks again.
type ServePoll struct {
	// +optional
	Field string `json:"field,omitempty"`
	// +optional
	URL Template `json:"url,omitempty"`
}

// ServeToken is what one caller may do.
type ServeToken struct {
	// Namespaces default to all.
	// +optional
	Namespaces []string `json:"namespaces,omitempty"`
	// +optional
	Permissions ServePermissions `json:"permissions,omitempty"`
}

// ServePermissions list operations. A class without a list takes Global.
type ServePermissions struct {
	// +optional
	Global []ServeOperation `json:"global,omitempty"`
	// Schema takes get and list alone.
	// +optional
	Schema []ServeOperation `json:"schema,omitempty"`
	// +optional
	Resources []ServeOperation `json:"resources,omitempty"`
}

// ServeOperation is what a caller may do. * is everything.
//
// +kubebuilder:validation:Enum=get;list;create;update;delete;*
type ServeOperation string
