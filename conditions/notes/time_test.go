package notes_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func timeCalls() []call {
	return []call{
		{"missing", "timeAgo", list(nil), "", ""},
		{"seconds", "timeAgo", list("2026-03-04T10:29:30Z"), "30s ago", ""},
		{"another zone", "timeAgo", list("2026-03-04T11:25:00+01:00"), "5m ago", ""},
		{"to come", "timeAgo", list("2026-03-04T12:30:00Z"), "in 2h", ""},
		{"months", "timeAgo", list("2026-01-01"), "2mo ago", ""},
		{"years", "timeAgo", list("2020-01-01"), "6y ago", ""},
		{"no time", "timeAgo", list("today"), nil, `timeAgo: "today" is not a time: use RFC 3339`},
		{"missing", "timeSince", list(nil), int64(0), ""},
		{"to come", "timeSince", list("2026-03-04T10:31:00Z"), int64(-60), ""},
		{"no time", "timeSince", list(int64(3)), nil, `timeSince: "3" is not a time`},
		{"missing", "timeUntil", list(nil), "0s", ""},
		{"gone by", "timeUntil", list("2026-03-04T10:00:00Z"), "0s", ""},
		{"no time", "timeUntil", list("soon"), "0s", ""},
		{"missing", "timeFormat", list(nil, "2006"), "", ""},
		{"in UTC", "timeFormat", list("2026-03-04T11:25:00+01:00", "15:04 MST"), "10:25 UTC", ""},
		{"no time", "timeFormat", list("x", "2006"), nil, `timeFormat: "x" is not a time`},
		{"missing", "isExpired", list(nil, "1h"), false, ""},
		{"without a duration", "isExpired", list("2026-03-04T10:30:00Z", nil), true, ""},
		{"not yet", "isExpired", list("2026-03-04T10:00:00Z", "31m"), false, ""},
		{"at the very time", "isExpired", list("2026-03-04T10:00:00Z", "30m"), true, ""},
		{"no time", "isExpired", list("x", "1h"), nil, `isExpired: "x" is not a time`},
		{"no duration", "isExpired", list("2026-03-04", "long"), nil, `isExpired: invalid duration "long"`},
		{"missing", "durationSeconds", list(nil), int64(0), ""},
		{"days", "durationSeconds", list("1d"), int64(86400), ""},
		{"a fraction", "durationSeconds", list("1500ms"), 1.5, ""},
		{"no unit", "durationSeconds", list("90"), nil, "durationSeconds: invalid duration"},
		{"missing", "durationAdd", list(nil, "1h"), "1h", ""},
		{"long units", "durationAdd", list("1y", "1mo"), "395d", ""},
		{"no duration", "durationAdd", list("1h", "x"), nil, "durationAdd: invalid duration"},
		{"out of range", "durationAdd", list("200y", "200y"), nil, "durationAdd: the sum of"},
		{"missing", "durationValid", list(nil), false, ""},
		{"no unit", "durationValid", list("90"), false, ""},
		{"missing", "nextCron", list(nil), "", ""},
		{"a macro", "nextCron", list("@hourly"), "2026-03-04T11:00:00Z", ""},
		{"never", "nextCron", list("0 0 30 2 *"), "", ""},
		{"a map", "nextCron", list(object("minute", int64(45))), "2026-03-04T10:45:00Z", ""},
		{"no schedule", "nextCron", list("soon"), nil, `nextCron: "soon" is not a schedule: use five fields`},
		{"another zone", "nextCron", list("CRON_TZ=Europe/Berlin 0 9 * * *"), nil, "has a time zone: times are UTC"},
		{"a missing bound is that of the day", "timeInWindow", list(nil, "18:00"), true, ""},
		{"the end is not inside", "timeInWindow", list("09:00", "10:30"), false, ""},
		{"the begin is inside", "timeInWindow", list("10:30", "11:00"), true, ""},
		{"over midnight", "timeInWindow", list("10:00", "06:00"), true, ""},
		{"over midnight, not", "timeInWindow", list("22:00", "06:00"), false, ""},
		{"nothing lies between equal bounds", "timeInWindow", list("10:30", "10:30"), false, ""},
		{"to the end of the day", "timeInWindow", list("10:00:30", "24:00"), true, ""},
		{"no time of day", "timeInWindow", list("9am", "18:00"), nil, `timeInWindow: "9am" is not a time of day: use 00:00 to 24:00`},
		{"missing", "timeNotInWindow", list(nil, nil), false, ""},
		{"outside", "timeNotInWindow", list("11:00", "12:00"), true, ""},
		{"no time of day", "timeNotInWindow", list("11:00", "25:00"), nil, `timeNotInWindow: "25:00" is not a time of day`},
		{"a Wednesday", "weekday", nil, true, ""},
		{"a Wednesday", "weekend", nil, false, ""},
	}
}

func cronCalls() []call {
	fields := object("minute", "*/5", "hour", "0", "dayOfMonth", "*", "month", "*", "dayOfWeek", "1")
	return []call{
		{"missing", "cronToMap", list(nil), object(), ""},
		{"a text", "cronToMap", list("*/5 0 * * 1"), fields, ""},
		{"a map", "cronToMap", list(object("minute", "*/5", "hour", int64(0), "dayOfWeek", "1")), fields, ""},
		{"too few fields", "cronToMap", list("* *"), nil, `cronToMap: "* *" is not a schedule: use five fields`},
		{"too many fields", "cronToMap", list("* * * * * *"), nil, "is not a schedule"},
		{"missing", "cronFromMap", list(nil), "", ""},
		{"some fields", "cronFromMap", list(object("hour", int64(9))), "* 9 * * *", ""},
		{"no field", "cronFromMap", list(object("minutes", int64(9))), nil, "cronFromMap: none of the keys"},
		{"a text", "cronFromMap", list("* * * * *"), nil, `cronFromMap: "* * * * *" is a string: use a map`},
		{"missing", "cronFromAny", list(nil), "", ""},
		{"a text stays", "cronFromAny", list(" @daily "), "@daily", ""},
		{"a map", "cronFromAny", list(fields), "*/5 0 * * 1", ""},
		{"a list", "cronFromAny", list([]any{}), nil, "cronFromAny: \"[]\" is a slice"},
		{"missing", "cronNormalize", list(nil), "", ""},
		{"blanks", "cronNormalize", list(" 0  9 * *   1"), "0 9 * * 1", ""},
		{"macros", "cronNormalize", list("@weekly"), "0 0 * * 0", ""},
		{"no schedule", "cronNormalize", list("@reboot"), nil, `cronNormalize: "@reboot" is not a schedule`},
		{"missing", "cronDescribe", list(nil), "", ""},
		{"every minute", "cronDescribe", list("* * * * *"), "every minute", ""},
		{"steps", "cronDescribe", list("*/15 * * * *"), "every 15 minutes", ""},
		{"hours", "cronDescribe", list("0 */2 * * *"), "every 2 hours", ""},
		{"macro", "cronDescribe", list("@hourly"), "every hour", ""},
		{"days and months", "cronDescribe", list("5 4 1,15 1-3 SUN"), "at 04:05 on day 1 and 15 of the month or on Sunday in January to March", ""},
		{"lists", "cronDescribe", list("10,20 8-18 * * *"), "at minute 10 and 20 of hour 8 to 18", ""},
		{"no schedule", "cronDescribe", list("61 * * * *"), nil, `cronDescribe: "61 * * * *" is not a schedule`},
		{"missing", "cronValid", list(nil), false, ""},
		{"a schedule", "cronValid", list("*/5 0 * * 1-5"), true, ""},
		{"a list", "cronValid", list(list()), false, ""},
		{"missing", "cronField", list(nil, int64(0)), "", ""},
		{"outside", "cronField", list("* * * * *", int64(5)), nil, "cronField: the position 5 is not from 0 to 4"},
		{"missing", "cronMinute", list(nil), "", ""},
		{"no schedule", "cronMinute", list("x"), nil, `cronMinute: "x" is not a schedule`},
		{"missing", "cronHour", list(nil), "", ""},
		{"a map", "cronHour", list(fields), "0", ""},
		{"missing", "cronDom", list(nil), "", ""},
		{"a macro", "cronDom", list("@monthly"), "1", ""},
		{"missing", "cronMonth", list(nil), "", ""},
		{"a macro", "cronMonth", list("@yearly"), "1", ""},
		{"missing", "cronDow", list(nil), "", ""},
		{"no schedule", "cronDow", list(int64(3)), nil, `cronDow: "3" is a number`},
		{"missing fields are stars", "cronExpr", list(nil, nil, nil, nil, nil), "* * * * *", ""},
		{"numbers", "cronExpr", list(int64(5), int64(0), "", " ", "1-5"), "5 0 * * 1-5", ""},
	}
}

// TestChangesAt holds that a function tells when its result may change without any other change.
func TestChangesAt(t *testing.T) {
	at := func(text string) time.Time {
		parsed, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	cases := map[string]struct {
		reason   string
		now      string
		function string
		args     []any
		want     []time.Time
	}{
		"Expiry":       {"it expires", "2026-03-04T10:30:00Z", "isExpired", list("2026-03-04T10:00:00Z", "1h"), []time.Time{at("2026-03-04T11:00:00Z")}},
		"NoExpiry":     {"a missing time does not expire", "2026-03-04T10:30:00Z", "isExpired", list(nil, "1h"), nil},
		"Window":       {"today's end and tomorrow's begin", "2026-03-04T10:30:00Z", "timeInWindow", list("09:00", "18:00"), []time.Time{at("2026-03-05T09:00:00Z"), at("2026-03-04T18:00:00Z")}},
		"WindowZone":   {"the clock's zone does not matter", "2026-03-05T00:30:00+02:00", "timeNotInWindow", list("23:00", "24:00"), []time.Time{at("2026-03-04T23:00:00Z"), at("2026-03-05T00:00:00Z")}},
		"EmptyWindow":  {"an empty window never opens", "2026-03-04T10:30:00Z", "timeInWindow", list("09:00", "09:00"), nil},
		"Weekday":      {"at midnight in UTC", "2026-03-04T23:30:00-02:00", "weekday", nil, []time.Time{at("2026-03-06T00:00:00Z")}},
		"Weekend":      {"at midnight in UTC", "2026-03-04T10:30:00Z", "weekend", nil, []time.Time{at("2026-03-05T00:00:00Z")}},
		"Cron":         {"when it fires", "2026-03-04T10:30:00Z", "nextCron", list("0 * * * *"), []time.Time{at("2026-03-04T11:00:00Z")}},
		"NeverCron":    {"it never fires", "2026-03-04T10:30:00Z", "nextCron", list("0 0 30 2 *"), nil},
		"CronJob":      {"when it fires", "2026-03-04T10:30:00Z", "cronJobNextScheduleTime", list(object("spec", object("schedule", "0 * * * *"))), []time.Time{at("2026-03-04T11:00:00Z")}},
		"Continuously": {"what changes all the time tells nothing", "2026-03-04T10:30:00Z", "timeUntil", list("2026-03-04T12:00:00Z"), nil},
		"Ago":          {"what changes all the time tells nothing", "2026-03-04T10:30:00Z", "timeAgo", list("2026-03-04T12:00:00Z"), nil},
		"Since":        {"what changes all the time tells nothing", "2026-03-04T10:30:00Z", "timeSince", list("2026-03-04T12:00:00Z"), nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			e := &evaluation{now: at(tc.now)}
			if _, err := invokeIn(e, function(t, tc.function).Code, tc.args); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, e.changes); diff != "" {
				t.Errorf("\n%s\n%s(%v): -want, +got:\n%s", tc.reason, tc.function, tc.args, diff)
			}
		})
	}
}

func TestWeekend(t *testing.T) {
	saturday := &evaluation{now: time.Date(2026, time.March, 7, 1, 0, 0, 0, time.FixedZone("", 7200))} // still Friday in UTC
	for name, want := range map[string]bool{"weekday": true, "weekend": false} {
		if got, _ := invokeIn(saturday, function(t, name).Code, nil); got != want {
			t.Errorf("%s on a Friday evening in UTC: %v", name, got)
		}
	}
	saturday.now = saturday.now.Add(time.Hour)
	for name, want := range map[string]bool{"weekday": false, "weekend": true} {
		if got, _ := invokeIn(saturday, function(t, name).Code, nil); got != want {
			t.Errorf("%s on a Saturday in UTC: %v", name, got)
		}
	}
}
