package admission

import (
	"encoding/json"
	"reflect"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/google/go-cmp/cmp"
)

// TestDifference shows the operations for a change, and that they make the one object of the other.
func TestDifference(t *testing.T) {
	type object = map[string]any
	cases := map[string]struct {
		reason        string
		before, after object
		want          []string
	}{
		"Same":     {"nothing to do", object{"a": object{"b": int64(1)}}, object{"a": object{"b": int64(1)}}, nil},
		"Add":      {"a field", object{"a": object{}}, object{"a": object{"b": int64(1)}}, []string{"add /a/b"}},
		"Parents":  {"with the maps above it", object{}, object{"a": object{"b": object{"c": "d"}}}, []string{"add /a"}},
		"Replace":  {"a value", object{"a": "b", "c": true}, object{"a": "d", "c": true}, []string{"replace /a"}},
		"Remove":   {"what is gone", object{"a": "b", "c": true}, object{"c": true}, []string{"remove /a"}},
		"List":     {"a list as a whole", object{"a": []any{"b", "c"}}, object{"a": []any{"c"}}, []string{"replace /a"}},
		"Type":     {"another type", object{"a": object{"b": "c"}}, object{"a": "b"}, []string{"replace /a"}},
		"Null":     {"null is a value", object{"a": nil}, object{"a": object{"b": "c"}}, []string{"replace /a"}},
		"Escaped":  {"keys with the signs of a pointer", object{"a": object{}}, object{"a": object{"x/y~z": "d"}}, []string{"add /a/x~1y~0z"}},
		"Ordered":  {"the same each time", object{"z": "1", "b": "1"}, object{"a": "1", "b": "2", "c": "1"}, []string{"add /a", "replace /b", "add /c", "remove /z"}},
		"NoBefore": {"of nothing", nil, object{"a": "b"}, []string{"add /a"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			patch := difference(nil, "", tc.before, tc.after)
			var got []string
			for _, one := range patch {
				got = append(got, one.Operation+" "+one.Path)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
			if made := patched(t, tc.before, patch); !reflect.DeepEqual(made, patched(t, tc.after, nil)) {
				t.Errorf("%s: the patch makes %v", tc.reason, made)
			}
		})
	}
}

// patched is an object after a patch, as the API server applies it.
func patched(t *testing.T, object map[string]any, patch any) map[string]any {
	t.Helper()
	write := func(value any) []byte {
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	if object == nil {
		object = map[string]any{}
	}
	text := write(object)
	if patch != nil && !reflect.ValueOf(patch).IsNil() {
		operations, err := jsonpatch.DecodePatch(write(patch))
		if err == nil {
			text, err = operations.Apply(text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var made map[string]any
	if err := json.Unmarshal(text, &made); err != nil {
		t.Fatal(err)
	}
	return made
}
