package v1

// Observe lists other objects and Kubernetes Events that trigger a reconcile.
type Observe struct {
	// Watch lists the kinds whose objects are observed. The same objects stand once.
	// +optional
	Watch []Watch `json:"watch,omitempty"`
	// Events by a camelCase name, under which conditions see them: .events.<name>.
	// +optional
	Events map[string]EventWatch `json:"events,omitempty"`
}

// Watch observes the objects of one kind. An object leads to a resource by KeyFrom, else by its owner reference, else by
// its owner label; an object that leads to none triggers every resource.
type Watch struct {
	// APIVersion of the kind, such as apps/v1.
	APIVersion string `json:"apiVersion"`
	// Kind of the objects.
	Kind string `json:"kind"`
	// Namespace to watch. Defaults to all.
	// +optional
	Namespace string `json:"namespace,omitempty"`
	// Name of the one object to watch. Defaults to all.
	// +optional
	Name string `json:"name,omitempty"`
	// LabelSelector narrows the watch to objects with all of these labels.
	// +optional
	LabelSelector map[string]string `json:"labelSelector,omitempty"`
	// On lists what triggers. Defaults to create, update and delete.
	// +optional
	On []EventType `json:"on,omitempty"`
	// KeyFrom tells which resource an object belongs to.
	// +optional
	KeyFrom *KeyFrom `json:"keyFrom,omitempty"`
	// EnqueueGate decides for this watch whether an event becomes work.
	// +optional
	EnqueueGate *Gate `json:"enqueueGate,omitempty"`
	// Index lists cache indexes for Go reconcilers.
	// +optional
	Index []Index `json:"index,omitempty"`
}

// EventType is what happened to an object.
//
// +kubebuilder:validation:Enum=create;update;delete
type EventType string

// What can happen to an object.
const (
	EventCreate EventType = "create"
	EventUpdate EventType = "update"
	EventDelete EventType = "delete"
)

// KeyFrom tells which resource an observed object belongs to. Exactly one of Label, Annotation and Name is set.
type KeyFrom struct {
	// Label whose value is the resource's name, in the namespace of the observed object.
	// +optional
	Label string `json:"label,omitempty"`
	// Annotation whose value is <namespace>/<name>, or a name as for Label.
	// +optional
	Annotation string `json:"annotation,omitempty"`
	// Name of the one resource.
	// +optional
	Name Template `json:"name,omitempty"`
	// Namespace of the one resource. It needs Name.
	// +optional
	Namespace Template `json:"namespace,omitempty"`
}

// Index is a cache index of an observed kind.
type Index struct {
	// Name of the index. It is unique in its list.
	Name string `json:"name"`
	// Field is a dot path; [n] selects an element of a list.
	Field string `json:"field"`
}

// EventWatch observes Kubernetes Events. Every field that is set must match; at least one must be.
type EventWatch struct {
	// Reason of the Event.
	// +optional
	Reason string `json:"reason,omitempty"`
	// Action that the Event tells of.
	// +optional
	Action string `json:"action,omitempty"`
	// Type of the Event.
	// +optional
	Type EmitType `json:"type,omitempty"`
	// ReportingController is the name of the controller that sent the Event.
	// +optional
	ReportingController string `json:"reportingController,omitempty"`
	// ReportingInstance is the instance of that controller.
	// +optional
	ReportingInstance string `json:"reportingInstance,omitempty"`
	// Namespace of the Event.
	// +optional
	Namespace string `json:"namespace,omitempty"`
	// Name of the Event.
	// +optional
	Name string `json:"name,omitempty"`
	// Regarding is the object that the Event is about.
	// +optional
	Regarding *ObjectSelector `json:"regarding,omitempty"`
	// Related is the second object of the Event.
	// +optional
	Related *ObjectSelector `json:"related,omitempty"`
	// On lists what triggers. Defaults to create, update and delete.
	// +optional
	On []EventType `json:"on,omitempty"`
	// KeyFrom tells which resource an Event belongs to.
	// +optional
	KeyFrom *KeyFrom `json:"keyFrom,omitempty"`
	// EnqueueGate decides for this watch whether an Event becomes work.
	// +optional
	EnqueueGate *Gate `json:"enqueueGate,omitempty"`
}

// ObjectSelector matches an object reference. A part that is not set matches everything.
type ObjectSelector struct {
	// APIVersion of the object, such as apps/v1.
	// +optional
	APIVersion string `json:"apiVersion,omitempty"`
	// Kind of the object.
	// +optional
	Kind string `json:"kind,omitempty"`
	// Name of the object. A template is rendered for each resource.
	// +optional
	Name Template `json:"name,omitempty"`
	// Namespace of the object. A template is rendered for each resource.
	// +optional
	Namespace Template `json:"namespace,omitempty"`
}
