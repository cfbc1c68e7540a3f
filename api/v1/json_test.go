package v1_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

func TestJSON(t *testing.T) {
	cases := map[string]struct {
		reason, text string
		want         any
		err          string
	}{
		"Integer":   {reason: "an integer stays one", text: `9007199254740993`, want: int64(9007199254740993)},
		"Float":     {reason: "a fraction is a float", text: `1.5`, want: 1.5},
		"Exponent":  {reason: "an exponent is a float", text: `1e3`, want: 1000.0},
		"Large":     {reason: "an integer that does not fit is a float", text: `18446744073709551616`, want: 18446744073709551616.0},
		"Nested":    {reason: "numbers are found at any depth", text: `{"a":[1,{"b":2.5}],"c":null,"d":true}`, want: map[string]any{"a": []any{int64(1), map[string]any{"b": 2.5}}, "c": nil, "d": true}},
		"Null":      {reason: "null is a value", text: `null`, want: nil},
		"TooLarge":  {reason: "no float is that large", text: `{"a":[1e999]}`, err: "out of range"},
		"NotJSON":   {reason: "anything else is an error", text: `{`, err: "unexpected end"},
		"TwoValues": {reason: "one value is read", text: `1 2`, err: "after top-level value"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got orkv1.JSON
			err := json.Unmarshal([]byte(tc.text), &got)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Fatalf("%s\nwant error %q, got %v", tc.reason, tc.err, err)
				}
				return
			}
			if err != nil {
				t.Fatalf("%s\n%v", tc.reason, err)
			}
			if diff := cmp.Diff(tc.want, got.Value); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(got.Value, got.DeepCopy().Value); diff != "" {
				t.Errorf("a copy differs: -want, +got:\n%s", diff)
			}
		})
	}
}

func TestJSONCopyIsDeep(t *testing.T) {
	original := orkv1.JSON{Value: map[string]any{"a": []any{"x"}}}
	original.DeepCopy().Value.(map[string]any)["a"].([]any)[0] = "y"
	if diff := cmp.Diff(map[string]any{"a": []any{"x"}}, original.Value); diff != "" {
		t.Errorf("a change of the copy changed the original: -want, +got:\n%s", diff)
	}
	if (*orkv1.JSON)(nil).DeepCopy() != nil {
		t.Error("a copy of nil is nil")
	}
}

// The fields of the object stand beside those of the declaration, also when the JSON form is read and written again.
func TestCustomRoundTrip(t *testing.T) {
	text := `{"apiVersion":"example.com/v1","data":{"k":"v"},"forEach":{"field":"spec.shards"},"kind":"Widget",` +
		`"metadata":{"name":"a"},"object":1,"reconcile":true,"spec":{"size":3},"when":[{"field":"spec.a"}]}`
	var custom orkv1.Custom
	if err := json.Unmarshal([]byte(text), &custom); err != nil {
		t.Fatal(err)
	}
	want := orkv1.Custom{
		Conditions:  orkv1.Conditions{When: []orkv1.Condition{{Field: "spec.a"}}},
		EntryPolicy: orkv1.EntryPolicy{Reconcile: true, ForEach: &orkv1.ForEach{Field: "spec.shards"}},
		APIVersion:  "example.com/v1",
		Kind:        "Widget",
		Metadata:    orkv1.CustomMetadata{Name: "a"},
		Object: map[string]orkv1.JSON{
			"data":   {Value: map[string]any{"k": "v"}},
			"object": {Value: int64(1)},
			"spec":   {Value: map[string]any{"size": int64(3)}},
		},
	}
	if diff := cmp.Diff(want, custom); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if diff := cmp.Diff(&custom, custom.DeepCopy()); diff != "" {
		t.Errorf("a copy differs: -want, +got:\n%s", diff)
	}
	got, err := json.Marshal(custom)
	if err != nil || string(got) != text {
		t.Errorf("want %s\ngot  %s, %v", text, got, err)
	}
}

func TestCustomRefusesDeclaredKeys(t *testing.T) {
	custom := orkv1.Custom{Object: map[string]orkv1.JSON{"when": {Value: "x"}}}
	if _, err := json.Marshal(custom); err == nil || !strings.Contains(err.Error(), `"when" has another meaning`) {
		t.Errorf("want an error, for the field would become a condition; got %v", err)
	}
}

func TestAddToScheme(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := orkv1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"Katalog", "KatalogList"} {
		if !scheme.Recognizes(orkv1.GroupVersion.WithKind(kind)) {
			t.Errorf("%s is not registered", kind)
		}
	}
}
