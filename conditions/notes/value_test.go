package notes_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orkestra-runtime/orkestra/conditions/notes"
)

func TestText(t *testing.T) {
	type named string
	cases := map[string]struct {
		reason string
		value  any
		want   string
	}{
		"NegativeZero": {reason: "zero has no sign", value: math.Copysign(0, -1), want: "0"},
		"Fraction":     {reason: "a fraction keeps its digits", value: 0.1, want: "0.1"},
		"LargeFloat":   {reason: "no exponent", value: 1e15, want: "1000000000000000"},
		"Uint":         {reason: "other widths print alike", value: uint8(7), want: "7"},
		"Int32":        {reason: "other widths print alike", value: int32(-7), want: "-7"},
		"Float32":      {reason: "other widths print alike", value: float32(1.5), want: "1.5"},
		"Named":        {reason: "a named type prints as its base", value: named("a"), want: "a"},
		"NamedBool":    {reason: "a named type prints as its base", value: new(true), want: "true"},
		"Number":       {reason: "a number of the JSON decoder prints as it is spelled", value: json.Number("12"), want: "12"},
		"NilPointer":   {reason: "a nil pointer is missing", value: (*string)(nil), want: ""},
		"Map":          {reason: "a map is JSON with sorted keys and no escapes", value: map[string]any{"b": "<", "a": 1.0}, want: `{"a":1,"b":"<"}`},
		"Bytes":        {reason: "bytes are text", value: []byte("x"), want: "x"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, notes.Text(tc.value)); diff != "" {
				t.Errorf("\n%s\nText(%v): -want, +got:\n%s", tc.reason, tc.value, diff)
			}
		})
	}
}

func TestNumberCompare(t *testing.T) {
	cases := map[string]struct {
		reason string
		a, b   any
		want   int
	}{
		"Digits":   {reason: "whole numbers keep digits that a float loses", a: "9007199254740993", b: int64(9007199254740992), want: 1},
		"Mixed":    {reason: "a whole number compares with a fraction", a: int64(1), b: 1.5, want: -1},
		"Notation": {reason: "1.0 is 1", a: "1.0", b: int64(1), want: 0},
		"Missing":  {reason: "missing is 0", a: nil, b: "", want: 0},
		"Unsigned": {reason: "what does not fit into 64 bits is compared as a float", a: uint64(math.MaxUint64), b: int64(math.MaxInt64), want: 1},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			a, oka := notes.NumberOf(tc.a)
			b, okb := notes.NumberOf(tc.b)
			if !oka || !okb {
				t.Fatalf("NumberOf(%v), NumberOf(%v): not both are numbers", tc.a, tc.b)
			}
			if diff := cmp.Diff(tc.want, a.Compare(b)); diff != "" {
				t.Errorf("\n%s\nCompare(%v, %v): -want, +got:\n%s", tc.reason, tc.a, tc.b, diff)
			}
		})
	}
}
