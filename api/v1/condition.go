package v1

// Conditions is a gate: it passes when every element of When passes and, if Or has elements, at least one of them does.
// Without any element it passes.
type Conditions struct {
	// When lists conditions that must all be true.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	When []Condition `json:"when,omitempty"`
	// Or lists conditions of which at least one must be true. Files may spell it anyOf.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	Or []Condition `json:"or,omitempty"`
}

// Condition is one comparison of a field, or one statement about the time. Exactly one comparison may be given; none at
// all asks whether the field exists.
type Condition struct {
	// Field is what to compare: a dot path such as spec.replicas, or a template whose text is compared.
	// +optional
	Field Template `json:"field,omitempty"`
	// Operator names the comparison with Value, for those who prefer it to the short forms.
	// +optional
	Operator string `json:"operator,omitempty"`
	// Value is what Operator compares with. Without an operator it means equals.
	// +optional
	Value *Template `json:"value,omitempty"`
	// ValueType tells how to read both sides: string (the default), int, float or bool.
	// +optional
	ValueType string `json:"valueType,omitempty"`

	// Equals and the short forms below are each an operator with its value.
	// +optional
	Equals *Template `json:"equals,omitempty"`
	// +optional
	NotEquals *Template `json:"notEquals,omitempty"`
	// +optional
	Contains *Template `json:"contains,omitempty"`
	// +optional
	NotContains *Template `json:"notContains,omitempty"`
	// +optional
	Prefix *Template `json:"prefix,omitempty"`
	// +optional
	NotPrefix *Template `json:"notPrefix,omitempty"`
	// +optional
	Suffix *Template `json:"suffix,omitempty"`
	// +optional
	NotSuffix *Template `json:"notSuffix,omitempty"`
	// Regex is an unanchored RE2 expression.
	// +optional
	Regex *Template `json:"regex,omitempty"`
	// +optional
	Exists *bool `json:"exists,omitempty"`
	// +optional
	NotExists *bool `json:"notExists,omitempty"`
	// +optional
	GreaterThan *Template `json:"greaterThan,omitempty"`
	// +optional
	LessThan *Template `json:"lessThan,omitempty"`
	// +optional
	GreaterThanOrEqual *Template `json:"greaterThanOrEqual,omitempty"`
	// +optional
	LessThanOrEqual *Template `json:"lessThanOrEqual,omitempty"`
	// Min and Max are inclusive bounds.
	// +optional
	Min *Template `json:"min,omitempty"`
	// +optional
	Max *Template `json:"max,omitempty"`
	// Between is "lo,hi", both inclusive.
	// +optional
	Between *Template `json:"between,omitempty"`
	// +optional
	NotBetween *Template `json:"notBetween,omitempty"`
	// In is a comma separated list; an empty element matches an absent field.
	// +optional
	In *Template `json:"in,omitempty"`
	// +optional
	NotIn *Template `json:"notIn,omitempty"`

	// Time is a window of the day, in UTC.
	// +optional
	Time *TimeWindow `json:"time,omitempty"`
	// DayOfWeek is a set of days, in UTC.
	// +optional
	DayOfWeek *DayOfWeek `json:"dayOfWeek,omitempty"`
	// Cron opens a window at each fire of a five-field expression, in UTC.
	// +optional
	Cron string `json:"cron,omitempty"`
	// Duration is how long a window that Cron opened stays open; without it, until the next fire, which is always.
	// +optional
	Duration *Duration `json:"duration,omitempty"`
	// CEL is a boolean expression, in place of all of the above.
	// +optional
	CEL string `json:"cel,omitempty"`

	// Negate inverts the result of this one condition.
	// +optional
	Negate bool `json:"negate,omitempty"`
	// Notify sends a notification when the condition is true.
	// +optional
	Notify *Notify `json:"notify,omitempty"`
	// Source reads cross.<crd>.metrics.* from another runtime.
	// +optional
	Source *CrossSource `json:"source,omitempty"`
}

// TimeWindow is a part of the day. Both ends are inclusive, to the end of their minutes; an absent end is open. When After is
// later than Before the window runs over midnight.
type TimeWindow struct {
	// After is HH:MM in 24 hours.
	// +optional
	After string `json:"after,omitempty"`
	// Before is HH:MM in 24 hours.
	// +optional
	Before string `json:"before,omitempty"`
}

// DayOfWeek is a set of days. Exactly one field may be set.
type DayOfWeek struct {
	// Weekday true is Monday to Friday, false Saturday and Sunday.
	// +optional
	Weekday *bool `json:"weekday,omitempty"`
	// Weekend is the reverse of Weekday.
	// +optional
	Weekend *bool `json:"weekend,omitempty"`
	// In lists English names of days, in any case.
	// +optional
	In []string `json:"in,omitempty"`
	// +optional
	NotIn []string `json:"notIn,omitempty"`
}

// Notify names who hears of a condition that became true.
type Notify struct {
	Teams []string `json:"teams"`
	// +optional
	Message Template `json:"message,omitempty"`
}
