package conditions

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/orkestra-runtime/orkestra/api/nearest"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

const day = 24 * time.Hour

// week are the days as people count them.
var week = [...]time.Weekday{time.Monday, time.Tuesday, time.Wednesday, time.Thursday, time.Friday, time.Saturday, time.Sunday}

// daysOfWeek is a set of days in UTC, with the time.Weekday as index.
type daysOfWeek [len(week)]bool

func (d *daysOfWeek) at(now time.Time) (within bool, until time.Time) {
	within = d[now.Weekday()]
	midnight := now.Truncate(day)
	for range len(week) - 1 {
		midnight = midnight.Add(day)
		if d[midnight.Weekday()] != within {
			return within, midnight
		}
	}
	return within, time.Time{}
}

func (d *daysOfWeek) String() string {
	if *d == weekdays() {
		return "Monday to Friday in UTC"
	}
	var names []string
	for _, one := range week {
		if d[one] {
			names = append(names, one.String())
		}
	}
	if len(names) == 0 {
		return "any day"
	}
	return strings.Join(names, " or ") + " in UTC"
}

func (d *daysOfWeek) turn() {
	for i := range d {
		d[i] = !d[i]
	}
}

// dayOfWeek compiles the one set of days that there may be.
func (b *builder) dayOfWeek(c *orkv1.DayOfWeek, at *field.Path) period {
	days := &daysOfWeek{}
	first := ""
	for _, set := range []struct {
		key     string
		given   bool
		days    func() daysOfWeek
		negated bool
	}{
		{"weekday", c.Weekday != nil, weekdays, c.Weekday != nil && !*c.Weekday},
		{"weekend", c.Weekend != nil, weekdays, c.Weekend != nil && *c.Weekend},
		{"in", c.In != nil, func() daysOfWeek { return b.days(c.In, at.Child("in")) }, false},
		{"notIn", c.NotIn != nil, func() daysOfWeek { return b.days(c.NotIn, at.Child("notIn")) }, true},
	} {
		switch {
		case !set.given:
			continue
		case first != "":
			b.errors = append(b.errors, field.Forbidden(at.Child(set.key), fmt.Sprintf(
				"%s and %s are two sets of days: keep one, or write a condition for each", first, set.key)))
		}
		first = set.key
		if *days = set.days(); set.negated {
			days.turn()
		}
	}
	if first == "" {
		b.errors = append(b.errors, field.Required(at, "one of weekday, weekend, in and notIn, such as {weekday: true} or {in: [Monday]}"))
	}
	return days
}

func weekdays() daysOfWeek {
	days := daysOfWeek{}
	for _, one := range week[:5] {
		days[one] = true
	}
	return days
}

// days reads full English names of days, in any case.
func (b *builder) days(names []string, at *field.Path) daysOfWeek {
	days := daysOfWeek{}
	if len(names) == 0 {
		b.errors = append(b.errors, field.Required(at, "at least one day, such as Monday"))
	}
	for i, name := range names {
		found := false
		for _, one := range week {
			if strings.EqualFold(strings.TrimSpace(name), one.String()) {
				days[one], found = true, true
			}
		}
		if !found {
			b.errors = append(b.errors, field.Invalid(at.Index(i), name, unknownDay(name)))
		}
	}
	return days
}

func unknownDay(name string) string {
	valid := make([]string, len(week))
	near := ""
	for i, one := range week {
		valid[i] = one.String()
		if short := strings.ToLower(strings.TrimSpace(name)); len(short) >= 2 && strings.HasPrefix(strings.ToLower(one.String()), short) {
			near = one.String()
		}
	}
	if near == "" {
		near = nearest.Word(name, valid)
	}
	if near != "" {
		near = fmt.Sprintf(": did you mean %s?", near)
	}
	return fmt.Sprintf("unknown day%s (valid: %s)", near, strings.Join(valid, ", "))
}
