package status

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Conditions reads status.conditions of an object. An element that is no condition is left out.
func Conditions(object map[string]any) []metav1.Condition {
	list, _, _ := unstructured.NestedFieldNoCopy(object, "status", "conditions")
	elements, _ := list.([]any)
	conditions := make([]metav1.Condition, 0, len(elements))
	for _, element := range elements {
		if condition, ok := conditionOf(element); ok {
			conditions = append(conditions, condition)
		}
	}
	return conditions
}

// Find returns the condition of a type, nil when there is none.
func Find(conditions []metav1.Condition, conditionType string) *metav1.Condition {
	at := slices.IndexFunc(conditions, func(c metav1.Condition) bool { return c.Type == conditionType })
	if at < 0 {
		return nil
	}
	return &conditions[at]
}

// IsTrue tells whether an object has the condition with status True, for its current generation where it says which.
func IsTrue(object *unstructured.Unstructured, conditionType string) bool {
	condition := Find(Conditions(object.Object), conditionType)
	return condition != nil && condition.Status == metav1.ConditionTrue &&
		(condition.ObservedGeneration == 0 || condition.ObservedGeneration >= object.GetGeneration())
}

// conditionOf reads a condition, if the element is one. Reflection would make ten times as many allocations, and every cycle reads some.
func conditionOf(element any) (metav1.Condition, bool) {
	fields, ok := element.(map[string]any)
	if !ok {
		return metav1.Condition{}, false
	}
	var condition metav1.Condition
	var isStatus, since string
	for _, one := range [...]struct {
		name string
		into *string
	}{
		{"type", &condition.Type}, {"status", &isStatus}, {"reason", &condition.Reason}, {"message", &condition.Message}, {"lastTransitionTime", &since},
	} {
		if value := fields[one.name]; value != nil {
			if *one.into, ok = value.(string); !ok {
				return metav1.Condition{}, false
			}
		}
	}
	condition.Status = metav1.ConditionStatus(isStatus)
	if since != "" {
		parsed, err := time.Parse(time.RFC3339, since)
		if err != nil {
			return metav1.Condition{}, false
		}
		condition.LastTransitionTime = metav1.NewTime(parsed.Local())
	}
	condition.ObservedGeneration, _ = fields["observedGeneration"].(int64)
	return condition, condition.Type != ""
}

// elementOf is a condition as an unstructured object holds it.
func elementOf(condition *metav1.Condition) map[string]any {
	element := map[string]any{
		"type": condition.Type, "status": string(condition.Status), "reason": condition.Reason, "message": condition.Message,
		"lastTransitionTime": condition.LastTransitionTime.UTC().Format(time.RFC3339),
	}
	if condition.ObservedGeneration != 0 {
		element["observedGeneration"] = condition.ObservedGeneration
	}
	return element
}
