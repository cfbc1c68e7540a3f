package conditions

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// period is a set of times that is known in advance.
type period interface {
	// at tells whether a time, which is in UTC and has no reading of the monotonic clock, is in the period, and until when that
	// stays so: the time is not included, and zero when there is none.
	at(now time.Time) (within bool, until time.Time)
	// String goes on from: it is ...
	String() string
}

// timed tells whether it is time.
type timed struct{ period period }

func (t *timed) evaluate(f template.Facts) outcome {
	within, until := t.period.at(f.Now().UTC().Round(0))
	if !until.IsZero() {
		f.ChangesAt(until)
	}
	return outcome{holds: within}
}

func (t *timed) want(template.Facts) string { return t.period.String() }

func (t *timed) explain(_ outcome, negated bool, _ template.Facts) string {
	if negated {
		return "it is " + t.period.String()
	}
	return "it is not " + t.period.String()
}

// timeKeys are the keys of a condition that each are a statement about the time.
func timeKeys(c *orkv1.Condition) []string {
	var keys []string
	if c.Time != nil {
		keys = append(keys, "time")
	}
	if c.DayOfWeek != nil {
		keys = append(keys, "dayOfWeek")
	}
	if c.Cron != "" {
		keys = append(keys, "cron")
	}
	return keys
}

// both is the time that is in all of several periods: on weekdays from nine to five.
type both []period

func (b both) at(now time.Time) (within bool, until time.Time) {
	within = true
	var first, last time.Time // the next change of those it is in, and the last one of those it is not in
	forever := false
	for _, one := range b {
		in, change := one.at(now)
		switch {
		case !in:
			within = false
			forever = forever || change.IsZero()
			if change.After(last) {
				last = change
			}
		case !change.IsZero() && (first.IsZero() || change.Before(first)):
			first = change
		}
	}
	switch {
	case within:
		return true, first
	case forever:
		return false, time.Time{}
	default:
		return false, last
	}
}

func (b both) String() string {
	texts := make([]string, 0, len(b))
	for _, one := range b {
		texts = append(texts, one.String())
	}
	return strings.Join(texts, " and ")
}

// timed compiles what a condition says about the time, which is all of what it says, and reports everything else that stands beside it.
func (b *builder) timed(c *orkv1.Condition, keys []string, at *field.Path) statement {
	if c.Field != "" {
		b.beside(at.Child("field"), keys[0], "field")
	}
	for _, key := range comparisonKeys(c) {
		b.errors = append(b.errors, field.Forbidden(at.Child(key), fmt.Sprintf(
			"%s compares a field, and %s has none: write a condition for each", key, keys[0])))
	}
	if c.ValueType != "" {
		b.errors = append(b.errors, field.Forbidden(at.Child("valueType"), keys[0]+" compares no values"))
	}
	all := make(both, 0, len(keys))
	for _, key := range keys {
		var compiled period
		switch key {
		case "time":
			compiled = b.timeWindow(c.Time, at.Child("time"))
		case "dayOfWeek":
			compiled = b.dayOfWeek(c.DayOfWeek, at.Child("dayOfWeek"))
		default:
			compiled = b.cron(c, at)
		}
		if compiled != nil { // what is wrong is reported
			all = append(all, compiled)
		}
	}
	if len(all) == 1 {
		return &timed{period: all[0]}
	}
	return &timed{period: all}
}

// comparisonKeys are the keys of all comparisons, also of those that say nothing.
func comparisonKeys(c *orkv1.Condition) []string {
	var keys []string
	for _, written := range comparisons(c) {
		keys = append(keys, written.key)
	}
	if c.Exists != nil && !*c.Exists {
		keys = append(keys, "exists")
	}
	if c.NotExists != nil && !*c.NotExists {
		keys = append(keys, "notExists")
	}
	return keys
}

func (b *builder) beside(at *field.Path, first, second string) {
	b.errors = append(b.errors, field.Forbidden(at, fmt.Sprintf(
		"%s and %s are two statements on one condition: write a condition for each", first, second)))
}
