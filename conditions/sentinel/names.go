package sentinel

import (
	"fmt"
	"strings"

	"github.com/orkestra-runtime/orkestra/api/nearest"
)

var names = [...]Name{
	GenerationChanged, LabelsChanged, AnnotationsChanged, DeletionStarted, FinalizersChanged, NameChanged, NamespaceChanged,
	GenerateNameChanged, UIDChanged, ResourceVersionChanged, CreationTimestampChanged, DeletionGracePeriodSecondsChanged,
	OwnerReferenceChanged, ManagedFieldsChanged,
}

// Names returns all sentinels.
func Names() []Name { return append([]Name(nil), names[:]...) }

// Known tells whether there is a sentinel of the name.
func Known(name string) bool {
	for _, one := range names {
		if string(one) == name {
			return true
		}
	}
	return false
}

// Parse reads the name of a sentinel. An error lists those that there are.
func Parse(text string) (Name, error) {
	if Known(text) {
		return Name(text), nil
	}
	valid := make([]string, len(names))
	for i, one := range names {
		valid[i] = string(one)
	}
	if near := nearest.Word(text, valid); near != "" {
		return "", fmt.Errorf("there is no such sentinel: did you mean %s? (valid: %s)", near, strings.Join(valid, ", "))
	}
	return "", fmt.Errorf("there is no such sentinel (valid: %s)", strings.Join(valid, ", "))
}
