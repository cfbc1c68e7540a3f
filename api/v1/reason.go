package v1

// Types of the conditions that the runtime sets on resources.
const (
	// ConditionReady sums up: True when the last cycle did all it had to.
	ConditionReady = "Ready"
	// ConditionReconciling is there, and True, only while a cycle that failed is tried again. Part of the kstatus contract.
	ConditionReconciling = "Reconciling"
	// ConditionStalled is there, and True, only when a person has to change something. Part of the kstatus contract.
	ConditionStalled = "Stalled"
	// ConditionValidationFailed is there when the Katalog has validation rules, and True while one denies the resource: then its
	// children stay as they are.
	ConditionValidationFailed = "ValidationFailed"
	// ConditionValidationWarning is there when the Katalog has validation rules, and True while one warns of the resource or can't be
	// evaluated.
	ConditionValidationWarning = "ValidationWarning"
	// ConditionRolledBack is True while the children are those of the spec that succeeded last, because the present one fails. It is
	// False where there is no such spec, and not there at all otherwise.
	ConditionRolledBack = "RolledBack"
)

// Reasons of conditions. An Event that tells of Ready=False has the same reason.
const (
	ReasonReconcileSucceeded = "ReconcileSucceeded"
	// ReasonReconcileError is a failure that is tried again.
	ReasonReconcileError = "ReconcileError"
	// ReasonBuilding is a resource whose image is being built, or waits for its turn.
	ReasonBuilding = "Building"
	// ReasonBuildFailed is a resource whose image could not be built, which is tried again.
	ReasonBuildFailed = "BuildFailed"
	// ReasonDeleteError is a failure of the cleanup of a deleted resource, which is tried again.
	ReasonDeleteError = "DeleteError"
	// ReasonDeleting is a deleted resource that waits for what has to be done or gone before it.
	ReasonDeleting = "Deleting"
	// ReasonInvalid is a declaration that renders to something that no object can have.
	ReasonInvalid = "InvalidDeclaration"
	// ReasonChildConflict is a child that another owner holds.
	ReasonChildConflict = "ChildConflict"
	// ReasonChildImmutable is a child with a field that cannot be changed in place.
	ReasonChildImmutable = "ChildImmutable"
	// ReasonChildProtected is a child that is to be deleted and that a label protects.
	ReasonChildProtected = "ChildProtected"
	// ReasonChildContested is a child that somebody else changes back each time it is written, which is now written ever more rarely.
	ReasonChildContested = "ChildContested"
	// ReasonStatusRestless is a status that changes with each cycle and leads to the next one, which is now written ever more rarely.
	ReasonStatusRestless = "StatusRestless"
	// ReasonChildTerminating is a child that is made anew when an object of its name, which is on its way out, is gone.
	ReasonChildTerminating = "ChildTerminating"
	// ReasonChildNotReady is a child that is made when another one, on which it depends, is there and ready.
	ReasonChildNotReady = "ChildNotReady"
	// ReasonSurfaceNotReady is a resource that came to another target, and keeps the children of the one before until the new ones are
	// ready.
	ReasonSurfaceNotReady = "SurfaceNotReady"
	// ReasonKindNotInstalled is a child of a kind whose definition is not there.
	ReasonKindNotInstalled = "KindNotInstalled"
	// ReasonKindNotReadable is a child of a kind that the operator may not list.
	ReasonKindNotReadable = "KindNotReadable"
	// ReasonSourceMissing is a child that is a copy of an object that is not there.
	ReasonSourceMissing = "SourceMissing"
	// ReasonSourceNotReadable is a child that is a copy of an object that the operator may not read.
	ReasonSourceNotReadable = "SourceNotReadable"
	// ReasonProviderError is a provider that fails, which is tried again, or that cannot do what is declared.
	ReasonProviderError = "ProviderError"
	// ReasonProviderMissing is a resource that needs a provider which the program does not have and the Katalog does not require.
	ReasonProviderMissing = "ProviderMissing"
	// ReasonNamespaceRestricted is a resource, or a child, in a namespace that the Katalog leaves alone.
	ReasonNamespaceRestricted = "NamespaceRestricted"
	// ReasonValidationFailed is the reason of Ready=False for a resource that a rule denies.
	ReasonValidationFailed = "ValidationFailed"
	// ReasonDenyRuleViolation and ReasonValidationPassed are those of ValidationFailed.
	ReasonDenyRuleViolation = "DenyRuleViolation"
	ReasonValidationPassed  = "ValidationPassed"
	// ReasonWarnRuleViolation, ReasonRuleNotEvaluated and ReasonNoWarnings are those of ValidationWarning: a rule warns, or none does
	// and one could not be evaluated.
	ReasonWarnRuleViolation = "WarnRuleViolation"
	ReasonRuleNotEvaluated  = "RuleNotEvaluated"
	ReasonNoWarnings        = "NoWarnings"
	// ReasonPreviousSpecApplied and ReasonRollbackFailed are those of RolledBack=True: the children are back, or not yet.
	ReasonPreviousSpecApplied = "PreviousSpecApplied"
	ReasonRollbackFailed      = "RollbackFailed"
	// ReasonNoPreviousSpec and ReasonSpecNotRecorded are those of RolledBack=False: no spec has succeeded yet, or the one that did
	// could not be kept.
	ReasonNoPreviousSpec  = "NoPreviousSpec"
	ReasonSpecNotRecorded = "SpecNotRecorded"
)
