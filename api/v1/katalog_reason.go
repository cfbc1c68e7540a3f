package v1

// Types of the conditions of a Katalog object, besides ConditionReady.
const (
	// ConditionAccepted is False while the object is wrong, or declares what something else declares already.
	ConditionAccepted = "Accepted"
	// ConditionRunning is True while the controllers of all its CRDs run.
	ConditionRunning = "Running"
)

// Reasons of these conditions.
const (
	KatalogReasonAccepted = "Accepted"
	// KatalogReasonInvalid is an object with errors, which the message lists.
	KatalogReasonInvalid = "Invalid"
	// KatalogReasonConflict is an object that declares a CRD, or a kind, that another Katalog declares already.
	KatalogReasonConflict = "Conflict"
	KatalogReasonRunning  = "Running"
	// KatalogReasonEarlierGeneration is an object that is not accepted as it is, and runs as it was when it was accepted last.
	KatalogReasonEarlierGeneration = "EarlierGeneration"
	// KatalogReasonNotAccepted is an object of which nothing runs, for it was not accepted since the operator started.
	KatalogReasonNotAccepted = "NotAccepted"
	// KatalogReasonWaiting is an object with a CRD whose controller waits for something, which the message names.
	KatalogReasonWaiting = "Waiting"
	// KatalogReasonDegraded is an object with a CRD that is degraded.
	KatalogReasonDegraded = "Degraded"
)

// KatalogCRDDisabled is the state of a CRD that is not enabled.
const KatalogCRDDisabled = "disabled"
