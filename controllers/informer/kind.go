package informer

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// MissingKindError says that a kind is not installed. It is worth a new try when its CRD appears.
type MissingKindError struct{ GVK schema.GroupVersionKind }

func (e *MissingKindError) Error() string {
	return fmt.Sprintf("kind %s of %s is not installed", e.GVK.Kind, e.GVK.GroupVersion())
}

// Lookup tells how the objects of a kind are reached. A kind that is not installed is a *MissingKindError.
func Lookup(mapper meta.RESTMapper, gvk schema.GroupVersionKind) (*meta.RESTMapping, error) {
	mapping, err := mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	if meta.IsNoMatchError(err) {
		return nil, &MissingKindError{GVK: gvk}
	}
	if err != nil {
		return nil, fmt.Errorf("look up kind %s: %w", gvk.Kind, err)
	}
	return mapping, nil
}
