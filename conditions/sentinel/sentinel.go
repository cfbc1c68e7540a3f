// Package sentinel computes what an update of an object changed, as facts that are true or false.
package sentinel

// Name of a sentinel.
type Name string

// The sentinels.
const (
	GenerationChanged                 Name = "generationChanged"
	LabelsChanged                     Name = "labelsChanged"
	AnnotationsChanged                Name = "annotationsChanged"
	DeletionStarted                   Name = "deletionStarted"
	FinalizersChanged                 Name = "finalizersChanged"
	NameChanged                       Name = "nameChanged"
	NamespaceChanged                  Name = "namespaceChanged"
	GenerateNameChanged               Name = "generateNameChanged"
	UIDChanged                        Name = "uidChanged"
	ResourceVersionChanged            Name = "resourceVersionChanged"
	CreationTimestampChanged          Name = "creationTimestampChanged"
	DeletionGracePeriodSecondsChanged Name = "deletionGracePeriodSecondsChanged"
	OwnerReferenceChanged             Name = "ownerReferenceChanged"
	ManagedFieldsChanged              Name = "managedFieldsChanged"
)
