package v1

// OperatorAutoscale changes workers, queue depth and resync with the load. Profile excludes every other field.
type OperatorAutoscale struct {
	// Profile names a preset, in any case: burst, steady, batch, latency-sensitive or cost-optimized. What it sets is relative
	// to the CRD's own values.
	// +optional
	Profile string `json:"profile,omitempty"`
	// Interval between two evaluations. Defaults to 15s.
	// +optional
	Interval *Duration `json:"interval,omitempty"`
	// Cooldown is how long the conditions must be false before everything returns to its own value. Defaults to 2m.
	// +optional
	Cooldown *Duration `json:"cooldown,omitempty"`
	// Conditions on metrics and on the time: while they are true, Do holds. Needed without a profile.
	// +optional
	Conditions *Conditions `json:"conditions,omitempty"`
	// Do is what holds while the conditions are true. Needed without a profile.
	// +optional
	Do *AutoscaleAction `json:"do,omitempty"`
}

// AutoscaleAction is what holds while the conditions of an OperatorAutoscale are true. A field that is not set keeps its
// value.
type AutoscaleAction struct {
	// Workers is how many resources are reconciled at once, 1 to 50.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=50
	Workers *int32 `json:"workers,omitempty"`
	// QueueDepth is the limit for new items of the queue; those that wait in it stay. 0 is no limit.
	// +optional
	// +kubebuilder:validation:Minimum=0
	QueueDepth *int32 `json:"queueDepth,omitempty"`
	// Resync is how often every resource is reconciled again without an event. It is longer than 0s.
	// +optional
	Resync *Duration `json:"resync,omitempty"`
}

// Emit lists Events that are sent after a cycle.
type Emit struct {
	// Events to send, each when its conditions pass.
	// +optional
	Events []EmitEvent `json:"events,omitempty"`
}

// EmitEvent is one Event about the resource. Equal reason and message are sent once.
type EmitEvent struct {
	Conditions `json:",inline"`
	// Type is Normal (the default) or Warning.
	// +optional
	Type EmitType `json:"type,omitempty"`
	// Reason of the Event in one word, such as BackupFinished.
	Reason string `json:"reason"`
	// Message of the Event, for people.
	Message Template `json:"message"`
}

// EmitType is the type of an Event.
//
// +kubebuilder:validation:Enum=Normal;Warning
type EmitType string

// Rollback tells when a resource returns to the spec that succeeded last, and to what. Only a change of its spec ends that.
type Rollback struct {
	// Trigger counts the failures that lead to a rollback.
	// +optional
	Trigger *RollbackTrigger `json:"trigger,omitempty"`
	// OnRollback is applied in place of the children that are kept as declared, and reads .previous.spec. What it does not name
	// stays as it is. Without it the children that are kept as declared are made of the spec that succeeded last.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	OnRollback *Block `json:"onRollback,omitempty"`
}

// RollbackTrigger counts the failures in a row of one generation of one resource.
type RollbackTrigger struct {
	// ConsecutiveFailures defaults to 3.
	// +optional
	// +kubebuilder:validation:Minimum=1
	ConsecutiveFailures *int32 `json:"consecutiveFailures,omitempty"`
	// WithinDuration bounds the time from the first of them to the last. Absent, it does not matter.
	// +optional
	WithinDuration *Duration `json:"withinDuration,omitempty"`
}
