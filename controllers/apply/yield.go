package apply

import (
	"context"
	"fmt"
	"maps"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Yielded is a field that the declaration sets in an object that is made. In one that exists it belongs to somebody else, or is
// decided anew by whoever plans the child: it is neither compared nor put back.
type Yielded struct {
	// Path of the field through maps alone.
	Path []string
	// Set is what the field is to be from now on, a JSON scalar. Nil leaves it as it is.
	Set any
}

// staleAtMost is how often a write is sent again because the object has changed since it was read.
const staleAtMost = 5

// unyielded is the object without the fields that are yielded. What is not on the way to one of them is shared.
func unyielded(object *unstructured.Unstructured, yields []Yielded) *unstructured.Unstructured {
	if len(yields) == 0 {
		return object
	}
	content := object.Object
	for _, one := range yields {
		content = without(content, one.Path)
	}
	return &unstructured.Unstructured{Object: content}
}

func without(content map[string]any, path []string) map[string]any {
	value, there := content[path[0]]
	if !there {
		return content
	}
	content = maps.Clone(content)
	below, isMap := value.(map[string]any)
	switch {
	case len(path) == 1:
		delete(content, path[0])
	case isMap:
		content[path[0]] = without(below, path[1:])
	}
	return content
}

// settled tells whether the yielded fields that are to be set are so.
func (w write) settled(observed *unstructured.Unstructured) bool {
	for _, one := range w.desired.Yields {
		if one.Set != nil && !same(one.Set, valueAt(observed, one.Path)) {
			return false
		}
	}
	return true
}

// onto is what is applied to an object that exists. A field that was ours alone goes back to its default when an apply leaves it
// out, so a yielded one is sent as it is, under the version in which it is so.
func (w write) onto(observed *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	object := w.stamped(w.desired.Object)
	if len(w.desired.Yields) == 0 {
		return object, nil
	}
	for _, one := range w.desired.Yields {
		value := one.Set
		if value == nil {
			value = valueAt(observed, one.Path)
		}
		if value == nil {
			continue
		}
		if err := unstructured.SetNestedField(object.Object, value, one.Path...); err != nil {
			return nil, fmt.Errorf("set %s of %s %s: %w", strings.Join(one.Path, "."), w.kind.GVK.Kind, w.name(), err)
		}
	}
	object.SetResourceVersion(observed.GetResourceVersion())
	return object, nil
}

// reread returns the object as it is now, unless that is another one or a field that is to be set has changed: that was decided on
// what it was.
func (a *Applier) reread(ctx context.Context, w write, observed *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	live, err := a.resource(w).Get(ctx, observed.GetName(), metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("read %s %s: %w", w.kind.GVK.Kind, w.name(), err)
	}
	return live, w.unmoved(observed, live)
}

func (w write) unmoved(observed, live *unstructured.Unstructured) error {
	if live.GetUID() != observed.GetUID() {
		return fmt.Errorf("%s %s was made anew meanwhile", w.kind.GVK.Kind, w.name())
	}
	for _, one := range w.desired.Yields {
		if one.Set != nil && !same(valueAt(observed, one.Path), valueAt(live, one.Path)) {
			return fmt.Errorf("%s of %s %s was changed meanwhile", strings.Join(one.Path, "."), w.kind.GVK.Kind, w.name())
		}
	}
	return nil
}

// isStale tells whether a write was refused because the object has changed since it was read. That another manager holds a field is
// a conflict of another sort.
func isStale(err error) bool {
	return apierrors.IsConflict(err) && !apierrors.HasStatusCause(err, metav1.CauseTypeFieldManagerConflict)
}

// valueAt is the value at a path, nil when there is none.
func valueAt(object *unstructured.Unstructured, path []string) any {
	value, _, err := unstructured.NestedFieldNoCopy(object.Object, path...)
	if err != nil {
		return nil
	}
	return value
}
