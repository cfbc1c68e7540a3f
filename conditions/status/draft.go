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
	fields  branch // the part of status that is set here
	set     []metav1.Condition
	removed []string
}

// branch is a map on the way to a value. Unlike a map that is a value, it says nothing about members that it does not have.
type branch map[string]any

// NewDraft starts from the status that the object has.
func NewDraft(object *unstructured.Unstructured) *Draft {
	return &Draft{object: object, fields: branch{}}
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
// and is no map is replaced. A value that is a map or list is the whole of it; it is not changed. Nil takes the field out.
func (d *Draft) SetField(path []string, value any) { set(d.fields, path, value) }

func set(at map[string]any, path []string, value any) {
	name := path[0]
	if len(path) == 1 {
		at[name] = value
		return
	}
	switch next := at[name].(type) {
	case branch:
		set(next, path[1:], value)
	case map[string]any: // it belongs to whoever set it
		next = maps.Clone(next)
		at[name] = next
		set(next, path[1:], value)
	default:
		made := branch{}
		at[name] = made
		set(made, path[1:], value)
	}
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

// Patch is a JSON merge patch for the status subresource, or nil when the object has all of it already. With conditions, which are
// replaced as a list, it names the resource version, so that it fails with a conflict rather than undo what others wrote.
func (d *Draft) Patch(now time.Time) ([]byte, error) {
	changed := difference(d.fields, d.current(), false)

	patch := map[string]any{}
	if len(d.set)+len(d.removed) > 0 {
		before, after := Conditions(d.object.Object), d.Conditions(now)
		if !equality.Semantic.DeepEqual(before, after) {
			changed["conditions"] = d.elements(after)
			patch["metadata"] = map[string]any{"resourceVersion": d.object.GetResourceVersion()}
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
	return len(difference(fields, d.current(), false)) > 0
}

func (d *Draft) current() map[string]any {
	current, _ := d.object.Object["status"].(map[string]any)
	return current
}

// elements is the list of conditions as it is written: after, but those of others with all they have.
func (d *Draft) elements(after []metav1.Condition) []any {
	elements := []any{}
	list, _ := d.current()["conditions"].([]any)
	for _, element := range list {
		condition, ok := conditionOf(element)
		switch {
		case ok && slices.Contains(d.removed, condition.Type):
		case ok && Find(d.set, condition.Type) != nil:
			elements = append(elements, Find(after, condition.Type))
		default:
			elements = append(elements, element)
		}
	}
	before := Conditions(d.object.Object)
	for i := range after {
		if Find(before, after[i].Type) == nil {
			elements = append(elements, after[i])
		}
	}
	return elements
}

// difference is what a merge patch has to say to make have of want. A list is one value. Whole tells that what want does not
// have is to go.
func difference(want, have map[string]any, whole bool) map[string]any {
	changed := map[string]any{}
	for name, value := range want {
		existing := have[name]
		if members, isMap, whole := mapOf(value); isMap {
			below, ok := existing.(map[string]any)
			if inner := difference(members, below, whole); len(inner) > 0 || !ok {
				changed[name] = inner
			}
			continue
		}
		if !equality.Semantic.DeepEqual(normal(value), normal(existing)) {
			changed[name] = value
		}
	}
	for name := range have {
		if _, wanted := want[name]; whole && !wanted {
			changed[name] = nil
		}
	}
	return changed
}

func mapOf(value any) (members map[string]any, isMap, whole bool) {
	switch value := value.(type) {
	case branch:
		return value, true, false
	case map[string]any:
		return value, true, true
	default:
		return nil, false, false
	}
}

// normal makes numbers of one value equal, however they were read.
func normal(value any) any {
	switch value := value.(type) {
	case int:
		return int64(value)
	case float64:
		if whole := int64(value); float64(whole) == value {
			return whole
		}
		return value
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
