package notes

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

const (
	day = 24 * time.Hour
	// maxDuration bounds the text of a duration, in bytes: an error repeats it.
	maxDuration = 100
)

// timeFamily reads times in RFC 3339, as Kubernetes writes them, or dates, and works in UTC.
func timeFamily() []Function {
	return []Function{
		{
			Name: "timeAgo", Signature: "time", Result: "text", Flows: true, Code: timeAgo, Doc: "how long ago it was, in its greatest unit; `in ...` for a time to come",
			Examples: []Example{{"{{ timeAgo .metadata.creationTimestamp }}", "3d ago"}},
		},
		{
			Name: "timeSince", Signature: "time", Result: "number", Flows: true, Code: timeSince, Doc: "the whole seconds since then, negative for a time to come",
			Examples: []Example{{`{{ timeSince "2026-03-04T10:00:00Z" }}`, "1800"}},
		},
		{
			Name: "timeUntil", Signature: "time", Result: "text", Flows: true, Code: timeUntil, Doc: "how long it is until then, such as `1h30m0s`; `0s` for a time gone by and for what is no time",
			Examples: []Example{{`{{ timeUntil "2026-03-04T12:00:00Z" }}`, "1h30m0s"}},
		},
		{
			Name: "timeFormat", Signature: "time layout", Result: "text", Code: timeFormat, Doc: "the time in a layout of Go, which shows how `2006-01-02 15:04:05` looks",
			Examples: []Example{{`{{ timeFormat .metadata.creationTimestamp "02 Jan 2006" }}`, "01 Mar 2026"}},
		},
		{
			Name: "isExpired", Signature: "time duration", Result: "bool", Code: isExpired, Doc: "whether the duration after the time is over",
			Examples: []Example{{`{{ isExpired .metadata.creationTimestamp "3d" }}`, "true"}},
		},
		{
			Name: "durationSeconds", Signature: "duration", Result: "number", Code: durationSeconds, Doc: "the duration in seconds",
			Examples: []Example{{`{{ durationSeconds "1h30m" }}`, "5400"}},
		},
		{
			Name: "durationAdd", Signature: "a b", Result: "text", Code: durationAdd, Doc: "the sum of two durations",
			Examples: []Example{{`{{ durationAdd "1h" "30m" }}`, "1h30m"}},
		},
		{
			Name: "durationValid", Signature: "s", Result: "bool", Doc: "whether it is a duration: numbers with the units ms, s, m, h, d, w, mo (30 days) or y (365 days)",
			Code: func(s any) bool {
				_, err := orkv1.ParseDuration(Text(s))
				return err == nil
			},
			Examples: []Example{{`{{ durationValid "1w2d" }}`, "true"}},
		},
		{
			Name: "nextCron", Signature: "schedule", Result: "text", Code: nextCron, Doc: "when a schedule fires next, in RFC 3339; `\"\"` when it never does",
			Examples: []Example{{`{{ nextCron "0 9 * * 1-5" }}`, "2026-03-05T09:00:00Z"}},
		},
		{
			Name: "timeInWindow", Signature: "after before", Result: "bool", Code: timeInWindow,
			Doc:      "whether the time of day is `after` or later, and earlier than `before`; over midnight when `after` is the later one",
			Examples: []Example{{`{{ timeInWindow "09:00" "18:00" }}`, "true"}, {`{{ timeInWindow "22:00" "06:00" }}`, "false"}},
		},
		{
			Name: "timeNotInWindow", Signature: "after before", Result: "bool", Code: timeNotInWindow, Doc: "the opposite of `timeInWindow`",
			Examples: []Example{{`{{ timeNotInWindow "09:00" "18:00" }}`, "false"}},
		},
		{
			Name: "weekday", Signature: "", Result: "bool", Code: weekday, Doc: "whether today is Monday to Friday",
			Examples: []Example{{`{{ and weekday (timeInWindow "09:00" "18:00") }}`, "true"}},
		},
		{
			Name: "weekend", Signature: "", Result: "bool", Doc: "whether today is Saturday or Sunday",
			Code:     func(e Evaluation) bool { return !weekday(e) },
			Examples: []Example{{"{{ weekend }}", "false"}},
		},
	}
}

// instant reads a time. A missing one is not found.
func instant(function string, value any) (t time.Time, found bool, err error) {
	text := strings.TrimSpace(Text(value))
	if text == "" || text == NoValue {
		return time.Time{}, false, nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err = time.Parse(layout, text); err == nil {
			return t.UTC(), true, nil
		}
	}
	return time.Time{}, false, fmt.Errorf("%s: %s is not a time: use RFC 3339, such as 2026-03-04T10:30:00Z, or a date", function, quote(value))
}

// duration reads a length of time. A missing one is 0.
func duration(function string, value any) (time.Duration, error) {
	text := strings.TrimSpace(Text(value))
	if text == "" || text == NoValue {
		return 0, nil
	}
	if len(text) > maxDuration {
		return 0, fmt.Errorf("%s: %s is not a duration: use numbers with units, such as 90s, 1h30m or 90d", function, quote(value))
	}
	d, err := orkv1.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", function, err)
	}
	return d.Duration, nil
}

func timeAgo(e Evaluation, value any) (string, error) {
	t, found, err := instant("timeAgo", value)
	if err != nil || !found {
		return "", err
	}
	e.CountsFrom(t)
	since := e.Now().Sub(t)
	if since < 0 {
		return "in " + greatestUnit(-since), nil
	}
	return greatestUnit(since) + " ago", nil
}

func greatestUnit(d time.Duration) string {
	for _, unit := range []struct {
		length time.Duration
		name   string
	}{{365 * day, "y"}, {30 * day, "mo"}, {day, "d"}, {time.Hour, "h"}, {time.Minute, "m"}} {
		if d >= unit.length {
			return strconv.FormatInt(int64(d/unit.length), 10) + unit.name
		}
	}
	return strconv.FormatInt(int64(d/time.Second), 10) + "s"
}

func timeSince(e Evaluation, value any) (int64, error) {
	t, found, err := instant("timeSince", value)
	if err != nil || !found {
		return 0, err
	}
	e.CountsFrom(t)
	return int64(e.Now().Sub(t) / time.Second), nil
}

func timeUntil(e Evaluation, value any) string {
	t, found, err := instant("timeUntil", value)
	if err != nil || !found {
		return "0s"
	}
	e.CountsFrom(t)
	return max(0, t.Sub(e.Now())).Truncate(time.Second).String()
}

func timeFormat(value, layout any) (string, error) {
	t, found, err := instant("timeFormat", value)
	if err != nil || !found {
		return "", err
	}
	pattern := Text(layout)
	if err := checkLength("timeFormat", len(pattern)); err != nil {
		return "", err
	}
	return bounded("timeFormat", t.Format(pattern))
}

// isExpired: a missing time does not expire.
func isExpired(e Evaluation, value, length any) (bool, error) {
	t, found, err := instant("isExpired", value)
	if err != nil || !found {
		return false, err
	}
	d, err := duration("isExpired", length)
	if err != nil {
		return false, err
	}
	expiry := t.Add(d)
	e.ChangesAt(expiry)
	return !e.Now().Before(expiry), nil
}

func durationSeconds(value any) (any, error) {
	d, err := duration("durationSeconds", value)
	if err != nil {
		return nil, err
	}
	return float("durationSeconds", d.Seconds())
}

func durationAdd(a, b any) (string, error) {
	da, err := duration("durationAdd", a)
	if err != nil {
		return "", err
	}
	db, err := duration("durationAdd", b)
	if err != nil {
		return "", err
	}
	total := da + db
	if (total > da) != (db > 0) {
		return "", fmt.Errorf("durationAdd: the sum of %s and %s is out of range (about 292 years)", quote(a), quote(b))
	}
	return orkv1.Duration{Duration: total}.String(), nil
}

func nextCron(e Evaluation, value any) (string, error) {
	if Empty(value) {
		return "", nil
	}
	schedule, err := parseSchedule("nextCron", value)
	if err != nil {
		return "", err
	}
	return nextFire(e, schedule), nil
}

func timeInWindow(e Evaluation, after, before any) (bool, error) {
	return inWindow("timeInWindow", e, after, before)
}

func timeNotInWindow(e Evaluation, after, before any) (bool, error) {
	in, err := inWindow("timeNotInWindow", e, after, before)
	return err == nil && !in, err
}

// inWindow: a missing bound is that of the day. Two equal bounds hold no time between them.
func inWindow(function string, e Evaluation, after, before any) (bool, error) {
	from, err := timeOfDay(function, after, 0)
	if err != nil {
		return false, err
	}
	to, err := timeOfDay(function, before, day)
	if err != nil {
		return false, err
	}
	if from == to {
		return false, nil
	}
	now := e.Now().UTC()
	midnight := now.Truncate(day)
	for _, edge := range []time.Duration{from, to} {
		if at := midnight.Add(edge); at.After(now) {
			e.ChangesAt(at)
		} else {
			e.ChangesAt(at.Add(day))
		}
	}
	at := now.Sub(midnight)
	if from < to {
		return from <= at && at < to, nil
	}
	return from <= at || at < to, nil
}

func timeOfDay(function string, value any, missing time.Duration) (time.Duration, error) {
	text := strings.TrimSpace(Text(value))
	switch text {
	case "":
		return missing, nil
	case "24:00":
		return day, nil
	}
	for _, layout := range []string{"15:04", time.TimeOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.Sub(t.Truncate(day)), nil
		}
	}
	return 0, fmt.Errorf("%s: %s is not a time of day: use 00:00 to 24:00", function, quote(value))
}

func weekday(e Evaluation) bool {
	now := e.Now().UTC()
	e.ChangesAt(now.Truncate(day).Add(day))
	return now.Weekday() != time.Saturday && now.Weekday() != time.Sunday
}
