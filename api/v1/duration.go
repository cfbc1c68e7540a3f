package v1

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
)

// Duration is a length of time in a Katalog: what Go's time.ParseDuration reads, and besides it the units d (24h), w (7d),
// mo (30d) and y (365d), with fractions, such as 90d, 1.5h or 1y6mo. Only mo means months; m means minutes.
//
// +kubebuilder:validation:Type=string
type Duration struct {
	time.Duration `json:"-"`
}

// The lengths of the units that Go's own durations lack.
const (
	day   = 24 * time.Hour
	week  = 7 * day
	month = 30 * day
	year  = 365 * day
)

var errDurationRange = errors.New("out of range (about 292 years)")

// units of a duration, by their spelling.
var units = map[string]time.Duration{
	"ns": time.Nanosecond,
	"us": time.Microsecond,
	"µs": time.Microsecond, // U+00B5, micro sign
	"μs": time.Microsecond, // U+03BC, Greek letter mu
	"ms": time.Millisecond,
	"s":  time.Second,
	"m":  time.Minute,
	"h":  time.Hour,
	"d":  day,
	"w":  week,
	"mo": month,
	"y":  year,
}

// ParseDuration reads the text form of a Duration. "0" needs no unit. It fails for an empty text, a number without a
// unit, an unknown unit and a length that does not fit.
func ParseDuration(text string) (Duration, error) {
	rest, negative := text, false
	if rest != "" && (rest[0] == '-' || rest[0] == '+') {
		negative = rest[0] == '-'
		rest = rest[1:]
	}
	if rest == "0" {
		return Duration{}, nil
	}
	if rest == "" {
		return Duration{}, fmt.Errorf("invalid duration %q: want a number and a unit, such as 30s, 5m or 90d", text)
	}
	var total time.Duration
	for rest != "" {
		part, after, err := leadingPart(rest)
		if err != nil {
			return Duration{}, fmt.Errorf("invalid duration %q: %w", text, err)
		}
		if total > math.MaxInt64-part {
			return Duration{}, fmt.Errorf("invalid duration %q: %w", text, errDurationRange)
		}
		total += part
		rest = after
	}
	if negative {
		total = -total
	}
	return Duration{total}, nil
}

// leadingPart reads the first number and its unit and returns what follows them.
func leadingPart(text string) (part time.Duration, rest string, err error) {
	number := text[:len(text)-len(strings.TrimLeft(text, "0123456789."))]
	rest = text[len(number):]
	end := strings.IndexAny(rest, "0123456789.+- ")
	if end < 0 {
		end = len(rest)
	}
	name := rest[:end]
	rest = rest[end:]

	whole, fraction, _ := strings.Cut(number, ".")
	switch {
	case whole+fraction == "" || strings.Contains(fraction, "."):
		return 0, "", fmt.Errorf("want a number before %q", name)
	case name == "":
		return 0, "", fmt.Errorf("the number %s has no unit (one of ns, us, ms, s, m, h, d, w, mo, y)", number)
	}
	unit, known := units[name]
	if !known {
		return 0, "", fmt.Errorf("unknown unit %q (one of ns, us, ms, s, m, h, d, w, mo, y)", name)
	}
	part, err = times(whole, fraction, unit)
	return part, rest, err
}

// times multiplies a decimal number with a unit, exactly for its whole part and to the nanosecond below it.
func times(whole, fraction string, unit time.Duration) (time.Duration, error) {
	var count int64
	for _, digit := range whole {
		if count > (math.MaxInt64-int64(digit-'0'))/10 {
			return 0, errDurationRange
		}
		count = count*10 + int64(digit-'0')
	}
	if count > math.MaxInt64/int64(unit) {
		return 0, errDurationRange
	}
	total := time.Duration(count * int64(unit))
	scale := float64(unit)
	var below float64
	for _, digit := range fraction {
		scale /= 10
		below += float64(digit-'0') * scale
	}
	if part := time.Duration(math.Round(below)); total <= math.MaxInt64-part {
		return total + part, nil
	}
	return 0, errDurationRange
}

// String returns the shortest text that ParseDuration reads as d: whole days are written in days, such as 90d, everything
// else as Go does without trailing zero units.
func (d Duration) String() string {
	switch {
	case d.Duration == 0:
		return "0s"
	case d.Duration%day == 0:
		return fmt.Sprintf("%dd", d.Duration/day)
	}
	text := d.Duration.String()
	if short, ok := strings.CutSuffix(text, "m0s"); ok {
		text = short + "m"
	}
	if short, ok := strings.CutSuffix(text, "h0m"); ok {
		text = short + "h"
	}
	return text
}

// MarshalText implements encoding.TextMarshaler with String.
func (d Duration) MarshalText() ([]byte, error) {
	return []byte(d.String()), nil
}

// UnmarshalText implements encoding.TextUnmarshaler with ParseDuration.
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := ParseDuration(string(text))
	if err != nil {
		return err
	}
	*d = parsed
	return nil
}
