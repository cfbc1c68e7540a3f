package status_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/orkestra-runtime/orkestra/conditions/status"
)

// 54. A condition's transition time moves with its status alone, and the conditions of others stay.
func TestDefect54TransitionTimeAndForeignConditions(t *testing.T) {
	draft := status.NewDraft(resource(t, `{"conditions":[`+foreign+`,`+readyTrue+`]}`))
	draft.SetCondition(condition(metav1.ConditionTrue, "DoneAgain"))
	next := draft.Next(now)
	conditions, _ := next["conditions"].([]any)
	if len(conditions) != 2 {
		t.Fatalf("conditions %v, want the foreign one and ours", conditions)
	}
	for _, one := range conditions {
		if got := one.(map[string]any)["lastTransitionTime"]; got != "2020-01-01T00:00:00Z" {
			t.Errorf("%v: the transition time moved to %v", one, got)
		}
	}
	draft.SetCondition(condition(metav1.ConditionFalse, "Broken"))
	for _, one := range draft.Conditions(now) {
		if one.Type == "Ready" && !one.LastTransitionTime.Time.Equal(now.Truncate(time.Second)) {
			t.Errorf("Ready is another, but its transition time is %s", one.LastTransitionTime)
		}
	}
}

// 55. Nested values are compared by what they hold: the same is no change, and a map or a list does not panic.
func TestDefect55NestedValuesAreCompared(t *testing.T) {
	const text = `{"deep":{"map":{"a":[1,{"b":"c"}]}}}`
	draft := status.NewDraft(resource(t, text))
	draft.SetField([]string{"deep", "map"}, decoded(t, `{"a":[1,{"b":"c"}]}`))
	if next := draft.Next(now); next != nil {
		t.Errorf("Next() = %v, want nothing to write", next)
	}
	draft.SetField([]string{"deep", "map"}, decoded(t, `{"a":[1,{"b":"d"}]}`))
	if draft.Next(now) == nil {
		t.Error("a change deep down is not written")
	}
}
