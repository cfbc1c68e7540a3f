package v1

// Reconciler tunes the controller of a CRD and chooses what reconciles.
type Reconciler struct {
	// Default true reconciles as the box declares, with Hooks if there are any. False hands everything to Constructor or
	// Remote, of which one must then be set. Defaults to true.
	// +optional
	Default *bool `json:"default,omitempty"`
	// Profile names a set of workers, resync and queue depth. Fields that are set here win over it.
	// +optional
	Profile string `json:"profile,omitempty"`
	// Workers is how many resources are reconciled at once, 1 to 50. Defaults to 3.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=50
	Workers *int32 `json:"workers,omitempty"`
	// Resync is how often every resource is reconciled again without an event. Defaults to 30s; 0s means the default.
	// +optional
	Resync *Duration `json:"resync,omitempty"`
	// Queue tunes the work queue of the CRD.
	// +optional
	Queue *Queue `json:"queue,omitempty"`
	// Requeue reconciles again some time after a success. The first element whose conditions pass decides.
	// +optional
	Requeue []Requeue `json:"requeue,omitempty"`
	// Hooks are Go functions that run beside the declared children.
	// +optional
	Hooks *Hooks `json:"hooks,omitempty"`
	// Constructor is a Go function that makes a whole reconciler.
	// +optional
	Constructor *Constructor `json:"constructor,omitempty"`
	// Remote is a reconciler behind HTTP.
	// +optional
	Remote *Remote `json:"remote,omitempty"`
}

// Queue tunes the work queue of a CRD.
type Queue struct {
	// Shared uses the queue of the process in place of the CRD's own.
	// +optional
	Shared bool `json:"shared,omitempty"`
	// Type is ratelimited (the default) or delayed.
	// +optional
	Type QueueType `json:"type,omitempty"`
	// MaxDepth is what Behaviour measures against. It drops nothing by itself. Defaults to 0, which is no limit.
	// +optional
	// +kubebuilder:validation:Minimum=0
	MaxDepth int32 `json:"maxDepth,omitempty"`
	// FailureThreshold is how many failures of one resource in a row degrade the CRD's health. Defaults to 5.
	// +optional
	// +kubebuilder:validation:Minimum=0
	FailureThreshold *int32 `json:"failureThreshold,omitempty"`
	// RetryBackoff tries a failed reconcile again before it counts as failed.
	// +optional
	RetryBackoff *RetryBackoff `json:"retryBackoff,omitempty"`
	// Behaviour tells what happens to new items when the queue fills up.
	// +optional
	Behaviour *QueueBehaviour `json:"behaviour,omitempty"`
}

// QueueType tells how a queue spaces its items.
//
// +kubebuilder:validation:Enum=ratelimited;delayed
type QueueType string

// The types of a queue.
const (
	QueueTypeRateLimited QueueType = "ratelimited"
	QueueTypeDelayed     QueueType = "delayed"
)

// RetryBackoff spaces retries: Initial, then Multiplier times as long each time, up to Max.
type RetryBackoff struct {
	// Initial is the time before the second try, longer than 0s.
	Initial Duration `json:"initial"`
	// Max defaults to 30s.
	// +optional
	Max *Duration `json:"max,omitempty"`
	// Multiplier is a decimal number of at least 1. Defaults to 2.
	// +optional
	Multiplier Template `json:"multiplier,omitempty"`
	// MaxAttempts counts the first try. Defaults to 3.
	// +optional
	// +kubebuilder:validation:Minimum=1
	MaxAttempts *int32 `json:"maxAttempts,omitempty"`
}

// QueueBehaviour tells what happens to new items when the queue fills up. Retries and deletions are never dropped.
type QueueBehaviour struct {
	// OnLimit applies when the queue holds MaxDepth items or more.
	// +optional
	OnLimit *QueueLimit `json:"onLimit,omitempty"`
	// OnThreshold applies when the queue is filled to a percentage. It always drops.
	// +optional
	OnThreshold *QueueThreshold `json:"onThreshold,omitempty"`
}

// QueueLimit drops a new item when Drop is set or its conditions, if it has any, pass.
type QueueLimit struct {
	Conditions `json:",inline"`
	// Drop true drops every new item, unless there are conditions. Defaults to false.
	// +optional
	Drop bool `json:"drop,omitempty"`
}

// QueueThreshold drops a new item when its conditions pass.
type QueueThreshold struct {
	Conditions `json:",inline"`
	// Value is a percentage of MaxDepth, 1 to 100.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	Value int32 `json:"value"`
	// Drop is always taken as true.
	// +optional
	Drop *bool `json:"drop,omitempty"`
}

// Requeue is one delay after a success.
type Requeue struct {
	Conditions `json:",inline"`
	// After renders to a duration. Empty or 0s means no requeue.
	After Template `json:"after"`
}

// GoFunction names a Go function that the binary was built with.
type GoFunction struct {
	// Location is the import path of its package.
	Location string `json:"location"`
	// Function is its name.
	Function string `json:"function"`
	// Alias of the import in generated code. Defaults to the last two parts of Location.
	// +optional
	Alias string `json:"alias,omitempty"`
	// Version of its module, for generated code.
	// +optional
	Version string `json:"version,omitempty"`
	// Fetch lets code generation get the module.
	// +optional
	Fetch bool `json:"fetch,omitempty"`
	// ManagedResources are the kinds it writes: each is watched, by owner reference, and allowed in the operator's role.
	// +optional
	ManagedResources []ManagedResource `json:"managedResources,omitempty"`
	// Args are handed to the function. Texts in them are rendered for each resource.
	// +optional
	Args map[string]JSON `json:"args,omitempty"`
}

// Hooks are Go functions that run beside the declared children.
type Hooks struct {
	GoFunction `json:",inline"`
	// RunHooksFirst runs them before the declared children. Defaults to false.
	// +optional
	RunHooksFirst bool `json:"runHooksFirst,omitempty"`
	// External calls run before the hooks.
	// +optional
	External []ExternalCall `json:"external,omitempty"`
}

// Constructor is a Go function that makes a whole reconciler.
type Constructor struct {
	GoFunction `json:",inline"`
}

// ManagedResource is a kind, or one object of it, that Go or remote code writes. Files may give the kind alone.
type ManagedResource struct {
	// APIVersion of the kind, such as apps/v1.
	// +optional
	APIVersion string `json:"apiVersion,omitempty"`
	// Kind of the objects.
	// +optional
	Kind string `json:"kind,omitempty"`
	// Group of the kind, for a remote reconciler.
	// +optional
	Group string `json:"group,omitempty"`
	// Version of the kind, for a remote reconciler.
	// +optional
	Version string `json:"version,omitempty"`
	// Plural is the lower-case name of the kind in URLs, for a remote reconciler.
	// +optional
	Plural string `json:"plural,omitempty"`
	// Name of the one object. Absent, all of the kind are meant.
	// +optional
	Name string `json:"name,omitempty"`
	// Namespace of the objects. Absent, all are meant.
	// +optional
	Namespace string `json:"namespace,omitempty"`
}

// Remote is a reconciler that is asked over HTTP.
type Remote struct {
	// Endpoint is the URL that each cycle is posted to.
	Endpoint Template `json:"endpoint"`
	// Type is http, the only one.
	// +optional
	Type RemoteType `json:"type,omitempty"`
	// Timeout defaults to 15s.
	// +optional
	Timeout *Duration `json:"timeout,omitempty"`
	// Auth is the credential of the request.
	// +optional
	Auth *CallAuth `json:"auth,omitempty"`
	// ManagedResources are the kinds that its answers may hold.
	// +optional
	ManagedResources []ManagedResource `json:"managedResources,omitempty"`
}

// RemoteType is how a remote reconciler is asked.
//
// +kubebuilder:validation:Enum=http
type RemoteType string
