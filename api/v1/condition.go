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

	// Equals passes when the field is this text; with ValueType, this number or boolean. A missing field is the empty text, 0
	// or false.
	// +optional
	Equals *Template `json:"equals,omitempty"`
	// NotEquals is the reverse of Equals.
	// +optional
	NotEquals *Template `json:"notEquals,omitempty"`
	// Contains passes when the text of the field has this one in it.
	// +optional
	Contains *Template `json:"contains,omitempty"`
	// NotContains is the reverse of Contains.
	// +optional
	NotContains *Template `json:"notContains,omitempty"`
	// Prefix passes when the text of the field begins with this one.
	// +optional
	Prefix *Template `json:"prefix,omitempty"`
	// NotPrefix is the reverse of Prefix.
	// +optional
	NotPrefix *Template `json:"notPrefix,omitempty"`
	// Suffix passes when the text of the field ends with this one.
	// +optional
	Suffix *Template `json:"suffix,omitempty"`
	// NotSuffix is the reverse of Suffix.
	// +optional
	NotSuffix *Template `json:"notSuffix,omitempty"`
	// Regex is an unanchored RE2 expression.
	// +optional
	Regex *Template `json:"regex,omitempty"`
	// Exists true passes when the field is there and not the empty text: 0, false and an empty list exist. Only true has a
	// meaning.
	// +optional
	Exists *bool `json:"exists,omitempty"`
	// NotExists true is the reverse of Exists. Only true has a meaning.
	// +optional
	NotExists *bool `json:"notExists,omitempty"`
	// GreaterThan passes when the field is a number above this one. A missing field is 0.
	// +optional
	GreaterThan *Template `json:"greaterThan,omitempty"`
	// LessThan passes when the field is a number below this one. A missing field is 0.
	// +optional
	LessThan *Template `json:"lessThan,omitempty"`
	// GreaterThanOrEqual passes when the field is this number or above it. A missing field is 0.
	// +optional
	GreaterThanOrEqual *Template `json:"greaterThanOrEqual,omitempty"`
	// LessThanOrEqual passes when the field is this number or below it. A missing field is 0.
	// +optional
	LessThanOrEqual *Template `json:"lessThanOrEqual,omitempty"`
	// Min is a short name of GreaterThanOrEqual.
	// +optional
	Min *Template `json:"min,omitempty"`
	// Max is a short name of LessThanOrEqual.
	// +optional
	Max *Template `json:"max,omitempty"`
	// Between is "lo,hi", both inclusive.
	// +optional
	Between *Template `json:"between,omitempty"`
	// NotBetween passes when the field is a number outside of "lo,hi".
	// +optional
	NotBetween *Template `json:"notBetween,omitempty"`
	// In is a comma separated list; an empty element matches an absent field.
	// +optional
	In *Template `json:"in,omitempty"`
	// NotIn is the reverse of In.
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
	// NotIn lists the days that are left out, written as for In.
	// +optional
	NotIn []string `json:"notIn,omitempty"`
}

// Notify names who hears of a condition that became true.
type Notify struct {
	// Teams are names of teams of the Katalog's notification.
	Teams []string `json:"teams"`
	// Message to send.
	// +optional
	Message Template `json:"message,omitempty"`
}
