package status

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Draft is the next status of an object while it is put together. It never changes the object.
type Draft struct {
	object  *unstructured.Unstructured
	fields  map[string]any // the part of status that is set here
	set     []metav1.Condition
	removed []string
}

// NewDraft starts from the status that the object has.
func NewDraft(object *unstructured.Unstructured) *Draft {
	return &Draft{object: object, fields: map[string]any{}}
}

// SetCondition sets the condition of its type. The transition time need not be given: it is kept while the status is the same.
func (d *Draft) SetCondition(condition metav1.Condition) {
	d.drop(condition.Type)
	d.set = append(d.set, condition)
}

// RemoveCondition takes the condition of a type out.
func (d *Draft) RemoveCondition(conditionType string) {
	d.drop(conditionType)
	d.removed = append(d.removed, conditionType)
}

func (d *Draft) drop(conditionType string) {
	d.set = slices.DeleteFunc(d.set, func(c metav1.Condition) bool { return c.Type == conditionType })
	d.removed = slices.DeleteFunc(d.removed, func(t string) bool { return t == conditionType })
}

// SetField sets the value at a path below status, such as [endpoint, host], and makes the maps on the way. What stands in the way
// and is no map is replaced.
func (d *Draft) SetField(path []string, value any) {
	at := d.fields
	for _, name := range path[:len(path)-1] {
		next, ok := at[name].(map[string]any)
		if !ok {
			next = map[string]any{}
			at[name] = next
		}
		at = next
	}
	at[path[len(path)-1]] = value
}

// Conditions are those that the object will have, in the order of the object, new ones last.
func (d *Draft) Conditions(now time.Time) []metav1.Condition {
	conditions := Conditions(d.object.Object)
	conditions = slices.DeleteFunc(conditions, func(c metav1.Condition) bool { return slices.Contains(d.removed, c.Type) })
	for _, next := range d.set {
		before := Find(conditions, next.Type)
		next.LastTransitionTime = metav1.NewTime(now.UTC().Truncate(time.Second))
		if before == nil {
			conditions = append(conditions, next)
			continue
		}
		if before.Status == next.Status {
			next.LastTransitionTime = before.LastTransitionTime
		}
		*before = next
	}
	return conditions
}

// Patch is a JSON merge patch for the status subresource, or nil when the object has all of it already. Where the object has
// conditions of others the patch names the resource version, so that it fails with a conflict rather than undo their change.
func (d *Draft) Patch(now time.Time) ([]byte, error) {
	changed := difference(d.fields, d.current())

	patch := map[string]any{}
	if len(d.set)+len(d.removed) > 0 {
		before, after := Conditions(d.object.Object), d.Conditions(now)
		if !equality.Semantic.DeepEqual(before, after) {
			changed["conditions"] = after
			if d.hasForeign(before) {
				patch["metadata"] = map[string]any{"resourceVersion": d.object.GetResourceVersion()}
			}
		}
	}
	if len(changed) == 0 {
		return nil, nil
	}
	patch["status"] = changed
	encoded, err := json.Marshal(patch)
	if err != nil {
		return nil, fmt.Errorf("encode the status: %w", err)
	}
	return encoded, nil
}

// ChangesFields tells whether a field differs, conditions and observedGeneration aside: whether whoever reads the status
// would see something new.
func (d *Draft) ChangesFields() bool {
	fields := maps.Clone(d.fields)
	delete(fields, "observedGeneration")
	return len(difference(fields, d.current())) > 0
}

func (d *Draft) current() map[string]any {
	current, _ := d.object.Object["status"].(map[string]any)
	return current
}

func (d *Draft) hasForeign(conditions []metav1.Condition) bool {
	return slices.ContainsFunc(conditions, func(c metav1.Condition) bool {
		return Find(d.set, c.Type) == nil && !slices.Contains(d.removed, c.Type)
	})
}

// difference is the part of want that have lacks or has otherwise. A list is one value.
func difference(want, have map[string]any) map[string]any {
	changed := map[string]any{}
	for name, value := range want {
		existing, there := have[name]
		if members, ok := value.(map[string]any); ok {
			below, isMap := existing.(map[string]any)
			if inner := difference(members, below); len(inner) > 0 || !isMap {
				changed[name] = inner
			}
			continue
		}
		if !there || !equality.Semantic.DeepEqual(normal(value), normal(existing)) {
			changed[name] = value
		}
	}
	return changed
}

// normal makes numbers of one value equal, however they were read.
func normal(value any) any {
	switch value := value.(type) {
	case int64:
		return float64(value)
	case int:
		return float64(value)
	case []any:
		list := make([]any, len(value))
		for i := range value {
			list[i] = normal(value[i])
		}
		return list
	case map[string]any:
		members := make(map[string]any, len(value))
		for name := range value {
			members[name] = normal(value[name])
		}
		return members
	default:
		return value
	}
}
