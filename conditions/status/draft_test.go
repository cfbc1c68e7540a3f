package status_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	k8sjson "k8s.io/apimachinery/pkg/util/json"

	"github.com/orkestra-runtime/orkestra/conditions/status"
)

var now = time.Date(2026, 1, 2, 3, 4, 5, 999, time.UTC)

// resource has a status given as JSON, and the resource version 7.
func resource(tb testing.TB, text string) *unstructured.Unstructured {
	tb.Helper()
	object := map[string]any{"metadata": map[string]any{"name": "w", "resourceVersion": "7", "generation": int64(2)}}
	if text != "" {
		object["status"] = decoded(tb, text)
	}
	return &unstructured.Unstructured{Object: object}
}

const (
	readyTrue = `{"type":"Ready","status":"True","reason":"Done","message":"","lastTransitionTime":"2020-01-01T00:00:00Z"}`
	foreign   = `{"type":"Theirs","status":"True","reason":"X","message":"","lastTransitionTime":"2020-01-01T00:00:00Z","more":{"a":[1]}}`
)

func condition(is metav1.ConditionStatus, reason string) metav1.Condition {
	return metav1.Condition{Type: "Ready", Status: is, Reason: reason}
}

func TestNext(t *testing.T) {
	type field struct {
		path  []string
		value any
	}
	cases := map[string]struct {
		reason  string
		status  string
		set     []metav1.Condition
		removed []string
		fields  []field
		want    string
	}{
		"Nothing": {reason: "a draft without content changes nothing", status: `{"a":1}`},
		"First": {
			reason: "the transition is now, to the second",
			set:    []metav1.Condition{condition("True", "Done")},
			want:   `{"conditions":[{"type":"Ready","status":"True","reason":"Done","message":"","lastTransitionTime":"2026-01-02T03:04:05Z"}]}`,
		},
		"Same": {
			reason: "what is there already is no change", status: `{"conditions":[` + readyTrue + `],"a":{"b":1}}`,
			set: []metav1.Condition{condition("True", "Done")}, fields: []field{{[]string{"a", "b"}, int64(1)}},
		},
		"OtherReason": {
			reason: "the transition time stays while the status does", status: `{"conditions":[` + readyTrue + `]}`,
			set:  []metav1.Condition{condition("True", "Again")},
			want: `{"conditions":[{"type":"Ready","status":"True","reason":"Again","message":"","lastTransitionTime":"2020-01-01T00:00:00Z"}]}`,
		},
		"OtherStatus": {
			reason: "and moves with it", status: `{"conditions":[` + readyTrue + `]}`,
			set:  []metav1.Condition{condition("False", "Failed")},
			want: `{"conditions":[{"type":"Ready","status":"False","reason":"Failed","message":"","lastTransitionTime":"2026-01-02T03:04:05Z"}]}`,
		},
		"Foreign": {
			reason: "conditions of others stay with all they have, in their place, and nobody's change may get lost",
			status: `{"conditions":[` + foreign + `,` + readyTrue + `,{"odd":true}]}`,
			set:    []metav1.Condition{condition("True", "Again")},
			want: `{"conditions":[` + foreign +
				`,{"type":"Ready","status":"True","reason":"Again","message":"","lastTransitionTime":"2020-01-01T00:00:00Z"},{"odd":true}]}`,
		},
		"ForeignAndFields": {
			reason: "conditions that are as they should be are written as they are", status: `{"conditions":[` + foreign + `,` + readyTrue + `]}`,
			set: []metav1.Condition{condition("True", "Done")}, fields: []field{{[]string{"a"}, "b"}},
			want: `{"conditions":[` + foreign + `,` + readyTrue + `],"a":"b"}`,
		},
		"Removed": {
			reason: "one of ours goes", status: `{"conditions":[` + readyTrue + `,{"type":"Stalled","status":"True","reason":"X","message":"","lastTransitionTime":"2020-01-01T00:00:00Z"}]}`,
			removed: []string{"Stalled"}, set: []metav1.Condition{condition("True", "Done")},
			want: `{"conditions":[` + readyTrue + `]}`,
		},
		"RemovedAll": {
			reason: "an empty list, not null", status: `{"conditions":[` + readyTrue + `]}`, removed: []string{"Ready"},
			want: `{"conditions":[]}`,
		},
		"RemovedNothing": {reason: "it was not there", status: `{}`, removed: []string{"Stalled"}},
		"Nested": {
			reason: "what nobody sets stays", status: `{"a":{"b":1,"c":2},"d":1}`,
			fields: []field{{[]string{"a", "b"}, int64(1)}, {[]string{"a", "c"}, int64(3)}, {[]string{"a", "e", "f"}, true}},
			want:   `{"a":{"b":1,"c":3,"e":{"f":true}},"d":1}`,
		},
		"LaterWins": {
			reason: "the last value of a path counts", fields: []field{{[]string{"a"}, "x"}, {[]string{"a"}, "y"}},
			want: `{"a":"y"}`,
		},
		"InTheWay": {
			reason: "what is no map makes room", status: `{"a":"x"}`, fields: []field{{[]string{"a"}, "x"}, {[]string{"a", "b"}, int64(1)}},
			want: `{"a":{"b":1}}`,
		},
		"WholeMap": {
			reason: "a map is all of the value", status: `{"a":{"b":1,"old":1,"c":{"d":1,"old":1}}}`,
			fields: []field{{[]string{"a"}, map[string]any{"b": int64(1), "c": map[string]any{"d": int64(1)}}}},
			want:   `{"a":{"b":1,"c":{"d":1}}}`,
		},
		"MapAndMore": {
			reason: "a later path adds to a map", status: `{"a":{"b":1,"x":2,"old":1}}`,
			fields: []field{{[]string{"a"}, map[string]any{"b": int64(1)}}, {[]string{"a", "x"}, int64(2)}},
			want:   `{"a":{"b":1,"x":2}}`,
		},
		"Null": {
			reason: "a null is an absent field", status: `{"a":{"b":1}}`,
			fields: []field{{[]string{"a"}, map[string]any{"b": int64(1), "c": nil}}, {[]string{"n"}, nil}},
		},
		"NullOfSomething": {
			reason: "and takes one out that is there", status: `{"n":1}`, fields: []field{{[]string{"n"}, nil}},
			want: `{}`,
		},
		"EmptyMap": {
			reason: "an empty map is a value", fields: []field{{[]string{"a"}, map[string]any{}}}, want: `{"a":{}}`,
		},
		"Numbers": {
			reason: "numbers are compared by value", status: `{"a":3,"b":3.0,"c":[1,{"d":2}],"e":1.5}`,
			fields: []field{
				{[]string{"a"}, 3.0}, {[]string{"b"}, int64(3)}, {[]string{"c"}, []any{1.0, map[string]any{"d": 2}}}, {[]string{"e"}, 1.5},
			},
		},
		"LargeNumbers": {
			reason: "also those that a float cannot tell apart", status: `{"a":9007199254740992}`, fields: []field{{[]string{"a"}, int64(9007199254740993)}},
			want: `{"a":9007199254740993}`,
		},
		"List": {
			reason: "a list is one value", status: `{"a":[1,2]}`, fields: []field{{[]string{"a"}, []any{int64(2)}}},
			want: `{"a":[2]}`,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			object := resource(t, tc.status)
			before := object.DeepCopy()
			draft := status.NewDraft(object)
			for _, one := range tc.set {
				draft.SetCondition(one)
			}
			for _, one := range tc.removed {
				draft.RemoveCondition(one)
			}
			for _, one := range tc.fields {
				draft.SetField(one.path, one.value)
			}
			var want map[string]any
			if tc.want != "" {
				want = decoded(t, tc.want)
			}
			if diff := cmp.Diff(want, draft.Next(now)); diff != "" {
				t.Errorf("\n%s\nNext(...): -want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(before, object); diff != "" {
				t.Errorf("the object was changed: -before, +after:\n%s", diff)
			}
		})
	}
}

func decoded(tb testing.TB, text string) map[string]any {
	tb.Helper()
	var value map[string]any
	if err := k8sjson.Unmarshal([]byte(text), &value); err != nil {
		tb.Fatal(err)
	}
	return value
}

func TestSetFieldLeavesTheValueAlone(t *testing.T) {
	shared := map[string]any{"b": map[string]any{"c": "1"}}
	draft := status.NewDraft(resource(t, ""))
	draft.SetField([]string{"a"}, shared)
	draft.SetField([]string{"a", "b", "d"}, "2")
	want := map[string]any{"b": map[string]any{"c": "1"}}
	if diff := cmp.Diff(want, shared); diff != "" {
		t.Errorf("a value comes from an object in memory and is not the draft's to change: -want, +got:\n%s", diff)
	}
}

func TestChangesFields(t *testing.T) {
	cases := map[string]struct {
		reason string
		change func(*status.Draft)
		want   bool
	}{
		"Nothing":    {reason: "nothing is set", change: func(*status.Draft) {}},
		"Same":       {reason: "the value is there", change: func(d *status.Draft) { d.SetField([]string{"a"}, int64(1)) }},
		"Other":      {reason: "the value is new", change: func(d *status.Draft) { d.SetField([]string{"a"}, int64(2)) }, want: true},
		"Generation": {reason: "nobody decides by it", change: func(d *status.Draft) { d.SetField([]string{"observedGeneration"}, int64(2)) }},
		"Condition":  {reason: "conditions follow from the cycle", change: func(d *status.Draft) { d.SetCondition(condition("False", "X")) }},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			draft := status.NewDraft(resource(t, `{"a":1}`))
			tc.change(draft)
			if got := draft.ChangesFields(); got != tc.want {
				t.Errorf("\n%s\nChangesFields() = %t, want %t", tc.reason, got, tc.want)
			}
		})
	}
}

func TestIsTrue(t *testing.T) {
	observed := func(generation string) string {
		return `{"conditions":[{"type":"Ready","status":"True","reason":"X","message":"","lastTransitionTime":null,"observedGeneration":` + generation + `}]}`
	}
	cases := map[string]struct {
		reason string
		status string
		want   bool
	}{
		"NoStatus":      {reason: "nothing is said"},
		"True":          {reason: "without a generation it holds for any", status: `{"conditions":[` + readyTrue + `]}`, want: true},
		"False":         {reason: "another status", status: `{"conditions":[{"type":"Ready","status":"False"}]}`},
		"OldGeneration": {reason: "the object has generation 2", status: observed("1")},
		"Generation":    {reason: "it is the current one", status: observed("2"), want: true},
		"NoConditions":  {reason: "a list of something else", status: `{"conditions":["Ready",{"status":"True"}]}`},
		"NoList":        {reason: "no list at all", status: `{"conditions":"Ready"}`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := status.IsTrue(resource(t, tc.status), "Ready"); got != tc.want {
				t.Errorf("\n%s\nIsTrue(...) = %t, want %t", tc.reason, got, tc.want)
			}
		})
	}
}

func FuzzDraft(f *testing.F) {
	f.Add(`{"a":1,"conditions":[`+foreign+`]}`, `{"a":{"b":[1,null]},"c":null,"d":{}}`, true)
	f.Add(`{"conditions":[1,{"type":"Ready"}]}`, `{"conditionsOf":1.5}`, false)
	f.Fuzz(func(t *testing.T, before, fields string, ready bool) {
		is := metav1.ConditionFalse
		if ready {
			is = metav1.ConditionTrue
		}
		var have, want map[string]any
		if k8sjson.Unmarshal([]byte(before), &have) != nil || k8sjson.Unmarshal([]byte(fields), &want) != nil || have == nil {
			return
		}
		object := resource(t, before)
		next := func(object *unstructured.Unstructured) map[string]any {
			d := status.NewDraft(object)
			d.SetCondition(condition(is, "X"))
			for name, value := range want {
				if name != "conditions" {
					d.SetField([]string{name}, value)
				}
			}
			return d.Next(now)
		}
		first := next(object)
		if first == nil {
			return
		}
		written := object.DeepCopy()
		written.Object["status"] = runtime.DeepCopyJSON(first)
		if again := next(written); again != nil {
			t.Errorf("after %v there is more to write: %v", first, again)
		}
	})
}

func BenchmarkNextWithoutDifference(b *testing.B) {
	object := resource(b, `{"conditions":[`+readyTrue+`],"phase":"Running","endpoint":{"host":"a","port":80},"observedGeneration":2}`)
	b.ReportAllocs()
	for b.Loop() {
		draft := status.NewDraft(object)
		draft.SetCondition(condition("True", "Done"))
		draft.SetField([]string{"observedGeneration"}, int64(2))
		draft.SetField([]string{"phase"}, "Running")
		draft.SetField([]string{"endpoint", "host"}, "a")
		draft.SetField([]string{"endpoint", "port"}, int64(80))
		if next := draft.Next(now); next != nil {
			b.Fatal(next)
		}
	}
}
