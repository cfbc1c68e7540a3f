package v1

// PreReconcile holds the gates between an event and its reconcile.
type PreReconcile struct {
	// Sentinels that the gates, and the conditions of queue.behaviour, may ask for. They are computed for every change of a resource.
	// +optional
	Sentinels []string `json:"sentinels,omitempty"`
	// External calls run before either gate.
	// +optional
	External []ExternalCall `json:"external,omitempty"`
	// EnqueueGate decides whether an event becomes work.
	// +optional
	EnqueueGate *Gate `json:"enqueueGate,omitempty"`
	// ReconcileGate decides whether queued work is done now.
	// +optional
	ReconcileGate *ReconcileGate `json:"reconcileGate,omitempty"`
}

// Gate passes when it has no sentinels or any of them is true, and its conditions pass. Sentinels that were not computed, as those of a
// new resource or of a change of something else, hold nothing back.
type Gate struct {
	Conditions `json:",inline"`
	// External calls run before the conditions.
	// +optional
	External []ExternalCall `json:"external,omitempty"`
	// Sentinels are facts about the change, such as generationChanged. Those of preReconcile must name them as well.
	// +optional
	Sentinels []string `json:"sentinels,omitempty"`
	// FailPolicy tells what a failed external call means: open (the default) passes, closed does not.
	// +optional
	FailPolicy FailPolicy `json:"failPolicy,omitempty"`
}

// FailPolicy tells what a gate does when it cannot be evaluated.
//
// +kubebuilder:validation:Enum=open;closed
type FailPolicy string

// The policies of a gate.
const (
	FailPolicyOpen   FailPolicy = "open"
	FailPolicyClosed FailPolicy = "closed"
)

// ReconcileGate is a Gate after the queue.
type ReconcileGate struct {
	Gate `json:",inline"`
	// EventAware keeps the events of one resource apart instead of merging them. Defaults to false.
	// +optional
	EventAware bool `json:"eventAware,omitempty"`
}
