package apply

import (
	"encoding/binary"
	stdfnv "hash/fnv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// parse reads YAML with numbers as the dynamic client has them.
func parse(tb testing.TB, text string) map[string]any {
	tb.Helper()
	var value map[string]any
	if err := yaml.Unmarshal([]byte(text), &value); err != nil {
		tb.Fatalf("%v in %s", err, text)
	}
	return numbers(value).(map[string]any)
}

// numbers makes whole numbers int64, as the decoder of unstructured objects does.
func numbers(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for key := range value {
			value[key] = numbers(value[key])
		}
		if value == nil {
			return map[string]any{}
		}
		return value
	case []any:
		for i := range value {
			value[i] = numbers(value[i])
		}
		return value
	case float64:
		if value == float64(int64(value)) {
			return int64(value)
		}
		return value
	default:
		return value
	}
}

func TestHash(t *testing.T) {
	type want struct{ changed, drops bool }
	cases := map[string]struct {
		reason        string
		before, after string
		want          want
	}{
		"Same":         {reason: "nothing differs", before: `{a: 1, b: {c: [x, {d: 1}]}}`, after: `{b: {c: [x, {d: 1}]}, a: 1}`},
		"Value":        {reason: "a changed value drops nothing", before: `{a: 1}`, after: `{a: 2}`, want: want{changed: true}},
		"NewField":     {reason: "no field of the record may be missing", before: `{a: 1}`, after: `{a: 1, b: 1}`, want: want{changed: true, drops: true}},
		"LostField":    {reason: "the field is to go", before: `{a: {b: 1, c: 1}}`, after: `{a: {b: 1}}`, want: want{changed: true, drops: true}},
		"OtherField":   {reason: "the name of a field counts", before: `{a: 1}`, after: `{b: 1}`, want: want{changed: true, drops: true}},
		"Swapped":      {reason: "values belong to their fields", before: `{a: 1, b: 2}`, after: `{a: 2, b: 1}`, want: want{changed: true}},
		"Moved":        {reason: "a field belongs to its parent", before: `{a: {x: 1}, b: {}}`, after: `{a: {}, b: {x: 1}}`, want: want{changed: true, drops: true}},
		"ShorterList":  {reason: "an element is to go", before: `{a: [1, 2]}`, after: `{a: [1]}`, want: want{changed: true, drops: true}},
		"ListOrder":    {reason: "lists have an order", before: `{a: [{k: 1}, {l: 1}]}`, after: `{a: [{l: 1}, {k: 1}]}`, want: want{changed: true, drops: true}},
		"OtherElement": {reason: "an element that is known by its name is to go", before: `{env: [{name: A, value: x}]}`, after: `{env: [{name: B, value: x}]}`, want: want{changed: true, drops: true}},
		"ElementValue": {reason: "the same variable with another value", before: `{env: [{name: A, value: x}]}`, after: `{env: [{name: A, value: y}]}`, want: want{changed: true}},
		"Image":        {reason: "the most frequent change drops nothing", before: `{containers: [{name: a, image: "x:1"}]}`, after: `{containers: [{name: a, image: "x:2"}]}`, want: want{changed: true}},
		"BelowElement": {reason: "what is deep in an element is no identity", before: `{l: [{name: a, resources: {cpu: 1}}]}`, after: `{l: [{name: a, resources: {cpu: 2}}]}`, want: want{changed: true}},
		"SetOfText":    {reason: "the elements of a set are their own identity", before: `{l: [a]}`, after: `{l: [b]}`, want: want{changed: true, drops: true}},
		"TextOfNumber": {reason: "types count", before: `{a: "1"}`, after: `{a: 1}`, want: want{changed: true}},
		"NullOfEmpty":  {reason: "null is not empty", before: `{a: null}`, after: `{a: ""}`, want: want{changed: true}},
		"EmptyKinds":   {reason: "an empty list is no empty map", before: `{a: []}`, after: `{a: {}}`, want: want{changed: true, drops: true}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			before, after := hashOf(parse(t, tc.before)), hashOf(parse(t, tc.after))
			got := want{changed: before.String() != after.String(), drops: after.dropsFrom(before.String())}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestHashOfNumbers(t *testing.T) {
	if a, b := hashOf(map[string]any{"a": int64(3)}), hashOf(map[string]any{"a": 3.0}); a != b {
		t.Errorf("3 as an integer has the hash %s, as a float %s: how it was read must not matter", a, b)
	}
	if a, b := hashOf(map[string]any{"a": int64(3)}), hashOf(map[string]any{"a": 3.5}); a == b {
		t.Errorf("3 and 3.5 have the same hash %s", a)
	}
}

func TestHashRecord(t *testing.T) {
	h := hashOf(map[string]any{"a": "b"})
	for name, recorded := range map[string]string{"Absent": "", "Other": "no hash", "HalfOfIt": h.String()[:16]} {
		t.Run(name, func(t *testing.T) {
			if !h.dropsFrom(recorded) {
				t.Errorf("dropsFrom(%q) = false: a record that cannot be read may have had any field", recorded)
			}
		})
	}
	if h.dropsFrom(h.String()) {
		t.Error("dropsFrom(its own record) = true")
	}
}

// What is recorded on children must not change with the code that makes it.
func TestSumsAreThoseOfTheStandardLibrary(t *testing.T) {
	want := stdfnv.New64a()
	_, _ = want.Write([]byte(":replicas"))
	_, _ = want.Write(binary.LittleEndian.AppendUint64(nil, 1<<63|12345))
	if got := mix(':').text("replicas").word(1<<63 | 12345); uint64(got) != want.Sum64() {
		t.Errorf("got %x, want %x", got, want.Sum64())
	}
}
