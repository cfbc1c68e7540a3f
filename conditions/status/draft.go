package status

import (
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

// Sets tells whether something is set at or below a field of the status.
func (d *Draft) Sets(name string) bool {
	_, is := d.fields[name]
	return is
}

// LeaveField leaves a field of the status, with all below it, as the object has it.
func (d *Draft) LeaveField(name string) { delete(d.fields, name) }

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

// Next is the whole status that the object is to have, or nil when it has all of it already. What nobody sets here is taken from the
// object, so it must be written under the object's resource version: a conflict tells that others have written since.
func (d *Draft) Next(now time.Time) map[string]any {
	changed := difference(d.fields, d.current(), false)
	if len(d.set)+len(d.removed) > 0 {
		before, after := Conditions(d.object.Object), d.Conditions(now)
		if !equality.Semantic.DeepEqual(before, after) {
			changed["conditions"] = d.elements(after)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	return merge(d.current(), changed)
}

// ChangesFields tells whether a field differs, conditions and observedGeneration aside: whether whoever reads the status
// would see something new.
func (d *Draft) ChangesFields() bool { return len(d.ChangedFields()) > 0 }

// ChangedFields are the names of the fields that differ, sorted, conditions and observedGeneration aside.
func (d *Draft) ChangedFields() []string {
	fields := maps.Clone(d.fields)
	delete(fields, "observedGeneration")
	return slices.Sorted(maps.Keys(difference(fields, d.current(), false)))
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
			elements = append(elements, elementOf(Find(after, condition.Type)))
		default:
			elements = append(elements, element)
		}
	}
	before := Conditions(d.object.Object)
	for i := range after {
		if Find(before, after[i].Type) == nil {
			elements = append(elements, elementOf(&after[i]))
		}
	}
	return elements
}

// difference is what has to be merged into have to make it as want says: a nil takes a member out, and a list is one value. Whole
// tells that what want does not have is to go.
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

// merge returns a copy of have with a difference put in.
func merge(have, changed map[string]any) map[string]any {
	merged := make(map[string]any, len(have)+len(changed))
	maps.Copy(merged, have)
	for name, value := range changed {
		members, isMap := value.(map[string]any)
		switch {
		case value == nil:
			delete(merged, name)
		case isMap:
			below, _ := have[name].(map[string]any)
			merged[name] = merge(below, members)
		default:
			merged[name] = value
		}
	}
	return merged
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
