package conditions_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/robfig/cron/v3"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions"
	"github.com/orkestra-runtime/orkestra/conditions/conditionstest"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

func window(after, before string) orkv1.Condition {
	return orkv1.Condition{Time: &orkv1.TimeWindow{After: after, Before: before}}
}

func open(expression string, length time.Duration) orkv1.Condition {
	return orkv1.Condition{Cron: expression, Duration: &orkv1.Duration{Duration: length}}
}

// evaluate is the verdict at a time, and when it may change; the zero time when nothing says so.
func evaluate(p *conditions.Program, now time.Time) (pass bool, edge time.Time) {
	var edges template.Edges
	facts := template.NewFacts(conditionstest.Roots(), func() time.Time { return now }).Watch(&edges)
	pass = p.Evaluate(facts).Pass
	edge, _ = edges.Next()
	return pass, edge
}

// TestEdges looks at Wednesday, the 4th of March 2026, 10:30:15 UTC.
func TestEdges(t *testing.T) {
	yes, no := orkv1.Condition{Field: "metadata.name"}, orkv1.Condition{Field: "spec.absent"}
	day := func(names ...string) orkv1.Condition { return orkv1.Condition{DayOfWeek: &orkv1.DayOfWeek{In: names}} }
	both := func(one, other orkv1.Condition) orkv1.Condition {
		one.DayOfWeek = other.DayOfWeek
		return one
	}
	all := day("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
	cases := map[string]struct {
		reason string
		gate   orkv1.Conditions
		want   string
	}{
		"Within":        {"the last minute is over at its end", when(window("08:00", "18:00")), "2026-03-04 18:01:00"},
		"Before":        {"it begins later today", when(window("11:00", "18:00")), "2026-03-04 11:00:00"},
		"After":         {"it begins tomorrow", when(window("08:00", "10:00")), "2026-03-05 08:00:00"},
		"LastMinute":    {"the minute has 45 seconds left", when(window("08:00", "10:30")), "2026-03-04 10:31:00"},
		"OverMidnight":  {"the night begins", when(window("22:00", "06:00")), "2026-03-04 22:00:00"},
		"InTheNight":    {"the night ends tomorrow", when(window("10:00", "06:00")), "2026-03-05 06:01:00"},
		"FromThenOn":    {"an open end is midnight", when(window("08:00", "")), "2026-03-05 00:00:00"},
		"UntilThen":     {"an open beginning is midnight", when(window("", "08:00")), "2026-03-05 00:00:00"},
		"AllDay":        {"a whole day has no edge", when(window("08:00", "07:59")), ""},
		"Negated":       {"the opposite changes at the same time", when(negated(window("08:00", "18:00"))), "2026-03-04 18:01:00"},
		"Weekday":       {"until the weekend", when(orkv1.Condition{DayOfWeek: &orkv1.DayOfWeek{Weekday: new(true)}}), "2026-03-07 00:00:00"},
		"Day":           {"the next one", when(day("Tuesday")), "2026-03-10 00:00:00"},
		"Both":          {"it is in both until the first ends", when(both(window("08:00", "18:00"), day("Wednesday"))), "2026-03-04 18:01:00"},
		"BothDay":       {"the day ends before the time does", when(both(window("08:00", "07:59"), day("Wednesday"))), "2026-03-05 00:00:00"},
		"BothLater":     {"nothing changes before the last has begun", when(both(window("11:00", "18:00"), day("Friday"))), "2026-03-06 00:00:00"},
		"BothOther":     {"the day is right", when(both(window("11:00", "18:00"), day("Wednesday"))), "2026-03-04 11:00:00"},
		"EveryDay":      {"every day has no edge", when(all), ""},
		"CronOpen":      {"an hour after the fire", when(open("0 10 * * *", time.Hour)), "2026-03-04 11:00:00"},
		"CronClosed":    {"the next fire", when(open("0 9 * * 1", time.Hour)), "2026-03-09 09:00:00"},
		"CronTouching":  {"one window begins where the other ends", when(open("0 9,10,11,12 * * *", time.Hour)), "2026-03-04 13:00:00"},
		"CronOverlap":   {"the next fire comes before the end", when(open("0 10,11 * * *", 90*time.Minute)), "2026-03-04 12:30:00"},
		"CronWeekdays":  {"windows of whole days", when(open("0 0 * * 1-5", 24*time.Hour)), "2026-03-07 00:00:00"},
		"CronHours":     {"120 windows in a row", when(open("0 * * * 1-5", time.Hour)), "2026-03-07 00:00:00"},
		"CronAlways":    {"the walk is bounded", when(open("* * * * *", time.Hour)), "2026-03-04 14:47:00"},
		"CronSeldom":    {"a leap day", when(open("0 0 29 2 *", time.Hour)), "2028-02-29 00:00:00"},
		"CronNoLength":  {"it is always open", when(orkv1.Condition{Cron: "@daily"}), ""},
		"Fields":        {"a field does not change by itself", when(yes, no), ""},
		"Earliest":      {"all of when must hold", when(window("", "18:00"), window("", "12:00")), "2026-03-04 12:01:00"},
		"NotReached":    {"the first that fails decides, whatever follows", when(no, window("", "12:00")), ""},
		"Decided":       {"the gate is open until the window ends", orkv1.Conditions{Or: []orkv1.Condition{window("", "12:00"), yes}}, "2026-03-04 12:01:00"},
		"AnyOfOr":       {"the first of or that begins opens the gate", orkv1.Conditions{Or: []orkv1.Condition{window("12:00", ""), window("11:00", "")}}, "2026-03-04 11:00:00"},
		"NoteOfTheTime": {"a condition of a field may be there as well", orkv1.Conditions{When: []orkv1.Condition{yes}, Or: []orkv1.Condition{no, window("11:00", "")}}, "2026-03-04 11:00:00"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, edge := evaluate(compile(t, tc.gate), conditionstest.Now())
			got := ""
			if !edge.IsZero() {
				got = edge.Format(time.DateTime)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nNext(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func when(all ...orkv1.Condition) orkv1.Conditions { return orkv1.Conditions{When: all} }

func negated(c orkv1.Condition) orkv1.Condition {
	c.Negate = true
	return c
}

// TestPeriods evaluates random statements at random times and compares with what is known in another way. From a time to its edge
// nothing changes; at the edge it does.
func TestPeriods(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		c, want := anyPeriod(random)
		c.Negate = random.IntN(2) == 0
		program := compile(t, when(c))
		for range 20 {
			now := time.Unix(1_700_000_000+random.Int64N(400*24*60*60), random.Int64N(1e9)).UTC()
			pass, edge := evaluate(program, now)
			if pass != (want(now) != c.Negate) {
				t.Fatalf("%s at %v: got %t", describe(c), now, pass)
			}
			if edge.IsZero() {
				edge = now.AddDate(0, 0, 8)
			} else if at, _ := evaluate(program, edge); at == pass {
				t.Errorf("%s at %v: nothing changes at the edge %v", describe(c), now, edge)
			}
			if !edge.After(now) {
				t.Fatalf("%s at %v: the edge %v is over", describe(c), now, edge)
			}
			for range 5 {
				between := now.Add(time.Duration(random.Int64N(int64(edge.Sub(now)))))
				for _, moment := range []time.Time{between, edge.Add(-1)} {
					if at, _ := evaluate(program, moment); at != pass {
						t.Fatalf("%s: %t at %v, %t at %v, before the edge %v", describe(c), pass, now, at, moment, edge)
					}
				}
			}
		}
	}
}

func describe(c orkv1.Condition) string {
	switch {
	case c.Time != nil:
		return fmt.Sprintf("%+v", *c.Time)
	case c.DayOfWeek != nil:
		return fmt.Sprintf("%+v", *c.DayOfWeek)
	}
	return fmt.Sprintf("%s for %s", c.Cron, c.Duration)
}

// anyPeriod is a statement about the time, and another way to tell whether it holds.
func anyPeriod(random *rand.Rand) (orkv1.Condition, func(time.Time) bool) {
	switch random.IntN(3) {
	case 0:
		return anyWindow(random)
	case 1:
		return anyDays(random)
	default:
		return anyCron(random)
	}
}

func anyWindow(random *rand.Rand) (orkv1.Condition, func(time.Time) bool) {
	clock := func() string { return fmt.Sprintf("%02d:%02d", random.IntN(24), random.IntN(60)) }
	after, before := clock(), clock()
	switch random.IntN(4) {
	case 0:
		after = ""
	case 1:
		before = ""
	}
	return window(after, before), func(now time.Time) bool {
		minute := now.Format("15:04")
		switch begun, over := minute >= after, before != "" && minute > before; {
		case before != "" && after > before:
			return begun || !over
		default:
			return begun && !over
		}
	}
}

func anyDays(random *rand.Rand) (orkv1.Condition, func(time.Time) bool) {
	chosen := map[string]bool{}
	var names []string
	for range 1 + random.IntN(6) {
		name := time.Weekday(random.IntN(7)).String()
		chosen[name] = true
		names = append(names, name)
	}
	if random.IntN(2) == 0 {
		c := orkv1.Condition{DayOfWeek: &orkv1.DayOfWeek{NotIn: names}}
		return c, func(now time.Time) bool { return !chosen[now.Weekday().String()] }
	}
	c := orkv1.Condition{DayOfWeek: &orkv1.DayOfWeek{In: names}}
	return c, func(now time.Time) bool { return chosen[now.Weekday().String()] }
}

func anyCron(random *rand.Rand) (orkv1.Condition, func(time.Time) bool) {
	expressions := []string{"0 8 * * *", "30 7,19 * * 1-5", "*/15 9-17 * * *", "5 * * * MON", "@daily", "@weekly", "0 0 1 * *", "0 12 1 1 *", "17 3 31 * *"}
	expression := expressions[random.IntN(len(expressions))]
	length := time.Duration(1 + random.Int64N(int64(14*time.Hour)))
	schedule, err := cron.ParseStandard(expression)
	if err != nil {
		panic(err)
	}
	return open(expression, length), func(now time.Time) bool {
		for minute := now.Truncate(time.Minute); now.Sub(minute) < length; minute = minute.Add(-time.Minute) {
			if schedule.Next(minute.Add(-time.Second)).Equal(minute) {
				return true
			}
		}
		return false
	}
}

// A local clock, and one with a reading of the monotonic clock, are read in UTC.
func TestClockOfAnotherZone(t *testing.T) {
	now := conditionstest.Now().In(time.FixedZone("east", 12*60*60))
	for _, c := range conditionstest.Cases() {
		facts := template.NewFacts(conditionstest.Roots(), func() time.Time { return now }).WithUnique(conditionstest.IsUnique)
		if got := compile(t, when(c.Condition)).Evaluate(facts).Pass; got != c.Holds {
			t.Errorf("%s: %s: %+v: got %t", c.Name, c.Reason, c.Condition, got)
		}
	}
	pass, edge := evaluate(compile(t, when(open("* * * * *", time.Minute))), time.Now())
	if !pass || edge.Location() != time.UTC {
		t.Errorf("a window of each minute is open: %t, until %v", pass, edge)
	}
}
