package v1_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

const day = 24 * time.Hour

func TestParseDuration(t *testing.T) {
	cases := map[string]struct {
		reason, text string
		want         time.Duration
		err          string
	}{
		"Zero":         {reason: "0 needs no unit", text: "0"},
		"Go":           {reason: "what Go reads is read alike", text: "1h30m5.5s", want: time.Hour + 30*time.Minute + 5500*time.Millisecond},
		"Nanoseconds":  {reason: "the smallest unit", text: "3ns", want: 3},
		"Micro":        {reason: "both spellings of micro", text: "1µs1μs1us", want: 3 * time.Microsecond},
		"Days":         {reason: "a day has 24 hours", text: "90d", want: 90 * day},
		"Weeks":        {reason: "a week has 7 days", text: "2w", want: 14 * day},
		"Months":       {reason: "mo is 30 days", text: "1mo", want: 30 * day},
		"Minutes":      {reason: "m is minutes, never months", text: "1m", want: time.Minute},
		"Years":        {reason: "a year has 365 days", text: "1y", want: 365 * day},
		"Fraction":     {reason: "every unit takes fractions", text: "1.5d.5h", want: 36*time.Hour + 30*time.Minute},
		"Negative":     {reason: "a sign holds for the whole", text: "-1d1h", want: -25 * time.Hour},
		"Plus":         {reason: "a plus is allowed", text: "+5s", want: 5 * time.Second},
		"Most":         {reason: "the longest length fits", text: "9223372036854775807ns", want: math.MaxInt64},
		"Exact":        {reason: "whole numbers are exact", text: "9007199254740993ns", want: 9007199254740993},
		"Empty":        {reason: "nothing is no length", text: "", err: `invalid duration ""`},
		"SignAlone":    {reason: "a sign is no number", text: "-", err: "want a number and a unit"},
		"NoUnit":       {reason: "a number has a unit", text: "30", err: "the number 30 has no unit"},
		"NoUnitLater":  {reason: "every number has a unit", text: "1h30", err: "the number 30 has no unit"},
		"NoNumber":     {reason: "a unit has a number", text: "h", err: `want a number before "h"`},
		"PointAlone":   {reason: "a point is no number", text: ".s", err: `want a number before "s"`},
		"TwoPoints":    {reason: "a number has one point", text: "1.2.3s", err: `want a number before "s"`},
		"Unknown":      {reason: "units are known", text: "1month", err: `unknown unit "month"`},
		"Upper":        {reason: "units are in lower case", text: "1D", err: `unknown unit "D"`},
		"Space":        {reason: "there are no spaces", text: "5 minutes", err: "the number 5 has no unit"},
		"SignInside":   {reason: "a sign stands in front", text: "1h-5m", err: "want a number before"},
		"Overflow":     {reason: "too long is an error", text: "293y", err: "out of range"},
		"OverflowSum":  {reason: "a sum that is too long as well", text: "292y292y", err: "out of range"},
		"OverflowHuge": {reason: "a number of any length", text: strings.Repeat("9", 1000) + "ns", err: "out of range"},
		"Template":     {reason: "a template is no length", text: "{{ .spec.x }}", err: "invalid duration"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := orkv1.ParseDuration(tc.text)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Fatalf("%s\nParseDuration(%q): want error %q, got %s, %v", tc.reason, tc.text, tc.err, got, err)
				}
				return
			}
			if err != nil || got.Duration != tc.want {
				t.Errorf("%s\nParseDuration(%q): want %s, got %s, %v", tc.reason, tc.text, tc.want, got.Duration, err)
			}
		})
	}
}

func TestDurationString(t *testing.T) {
	cases := map[string]struct {
		d    time.Duration
		want string
	}{
		"Zero":    {0, "0s"},
		"Days":    {90 * day, "90d"},
		"Hours":   {25 * time.Hour, "25h"},
		"Minutes": {10 * time.Minute, "10m"},
		"Mixed":   {time.Hour + time.Second, "1h0m1s"},
		"Below":   {1500 * time.Microsecond, "1.5ms"},
		"Minus":   {-48 * time.Hour, "-2d"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := (orkv1.Duration{Duration: tc.d}).String(); got != tc.want {
				t.Errorf("want %s, got %s", tc.want, got)
			}
		})
	}
}

func TestDurationJSON(t *testing.T) {
	var got orkv1.EntryPolicy
	if err := json.Unmarshal([]byte(`{"sleep":"1.5h"}`), &got); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(got)
	if err != nil || string(data) != `{"sleep":"1h30m"}` {
		t.Errorf("want the text form, got %s, %v", data, err)
	}
	if err := json.Unmarshal([]byte(`{"sleep":"soon"}`), &got); err == nil {
		t.Error("want an error for a text that is no duration")
	}
}

// FuzzDuration reads what it writes.
func FuzzDuration(f *testing.F) {
	for _, text := range []string{"0", "1h30m", "90d", "-1.5mo", "1y6mo", ".5s", "x", "9223372036854775807ns"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		first, err := orkv1.ParseDuration(text)
		if err != nil {
			return
		}
		second, err := orkv1.ParseDuration(first.String())
		if err != nil || first != second {
			t.Errorf("%q is %s, which reads as %s, %v", text, first, second, err)
		}
		if standard, err := time.ParseDuration(text); err == nil && !strings.Contains(text, ".") && standard != first.Duration {
			t.Errorf("%q: Go reads %s, got %s", text, standard, first.Duration)
		}
	})
}
