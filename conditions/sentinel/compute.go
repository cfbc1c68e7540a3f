package sentinel

import (
	"maps"
	"reflect"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Compute computes the declared sentinels of an update. Without a state before it is that of an object that came: it has no transition,
// and what every object has counts as changed. It is nil when nothing is declared.
func Compute(declared []Name, before, after metav1.Object) map[string]bool {
	if len(declared) == 0 {
		return nil
	}
	computed := make(map[string]bool, len(declared))
	for _, name := range declared {
		if before == nil {
			computed[string(name)] = ofNew(name)
		} else {
			computed[string(name)] = changed(name, before, after)
		}
	}
	return computed
}

// ofNew tells what a sentinel is for an object that came.
func ofNew(name Name) bool {
	switch name {
	case GenerationChanged, LabelsChanged, AnnotationsChanged, ResourceVersionChanged, UIDChanged:
		return true
	default:
		return false
	}
}

func changed(name Name, before, after metav1.Object) bool {
	switch name {
	case GenerationChanged:
		return before.GetGeneration() != after.GetGeneration()
	case LabelsChanged:
		return !maps.Equal(before.GetLabels(), after.GetLabels())
	case AnnotationsChanged:
		return !maps.Equal(before.GetAnnotations(), after.GetAnnotations())
	case DeletionStarted:
		return before.GetDeletionTimestamp() == nil && after.GetDeletionTimestamp() != nil
	case FinalizersChanged:
		return !slices.Equal(before.GetFinalizers(), after.GetFinalizers())
	case NameChanged:
		return before.GetName() != after.GetName()
	case NamespaceChanged:
		return before.GetNamespace() != after.GetNamespace()
	case GenerateNameChanged:
		return before.GetGenerateName() != after.GetGenerateName()
	case UIDChanged:
		return before.GetUID() != after.GetUID()
	case ResourceVersionChanged:
		return before.GetResourceVersion() != after.GetResourceVersion()
	case CreationTimestampChanged:
		was, is := before.GetCreationTimestamp(), after.GetCreationTimestamp()
		return !was.Equal(&is)
	case DeletionGracePeriodSecondsChanged:
		return !equal(before.GetDeletionGracePeriodSeconds(), after.GetDeletionGracePeriodSeconds())
	case OwnerReferenceChanged:
		return !reflect.DeepEqual(before.GetOwnerReferences(), after.GetOwnerReferences())
	case ManagedFieldsChanged:
		return !reflect.DeepEqual(before.GetManagedFields(), after.GetManagedFields())
	default:
		return false
	}
}

func equal(a, b *int64) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
