package notes

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// cronKeys are the fields of a schedule in their order, as maps name them.
var cronKeys = [...]string{"minute", "hour", "dayOfMonth", "month", "dayOfWeek"}

// schedule is the five fields.
type schedule [len(cronKeys)]string

func cronFamily() []Function {
	field := func(name string, i int, doc, result string) Function {
		return Function{
			Name: name, Signature: "schedule", Result: "text", Doc: doc,
			Code:     func(value any) (string, error) { return cronFieldAt(name, value, i) },
			Examples: []Example{{"{{ " + name + " .spec.schedule }}", result}},
		}
	}
	return []Function{
		{
			Name: "cronToMap", Signature: "schedule", Result: "map", Code: cronToMap,
			Doc:      "the fields `minute`, `hour`, `dayOfMonth`, `month` and `dayOfWeek` of a schedule, all of them when it is a map already",
			Examples: []Example{{"{{ (cronToMap .spec.schedule).hour }}", "9"}},
		},
		{
			Name: "cronFromMap", Signature: "map", Result: "text", Doc: "the schedule that a map with these fields stands for; a missing field is `*`",
			Code:     func(value any) (string, error) { return cronFrom("cronFromMap", value, false) },
			Examples: []Example{{"{{ cronFromMap (cronToMap .spec.schedule) }}", "30 9 * * 1-5"}},
		},
		{
			Name: "cronFromAny", Signature: "schedule", Result: "text", Doc: "the schedule as text, whether it is a text or a map",
			Code:     func(value any) (string, error) { return cronFrom("cronFromAny", value, true) },
			Examples: []Example{{"{{ cronFromAny .spec.schedule }}", "30 9 * * 1-5"}},
		},
		{
			Name: "cronNormalize", Signature: "schedule", Result: "text", Code: cronNormalize, Doc: "the five fields with one blank in between, also for `@hourly`, `@daily`, `@midnight`, `@weekly`, `@monthly`, `@yearly` and `@annually`",
			Examples: []Example{{`{{ cronNormalize "@daily" }}`, "0 0 * * *"}},
		},
		{
			Name: "cronDescribe", Signature: "schedule", Result: "text", Code: cronDescribe, Doc: "the schedule in words",
			Examples: []Example{{"{{ cronDescribe .spec.schedule }}", "at 09:30 on Monday to Friday"}},
		},
		{
			Name: "cronValid", Signature: "schedule", Result: "bool", Doc: "whether it is a schedule",
			Code: func(value any) bool {
				_, err := parseSchedule("cronValid", value)
				return err == nil
			},
			Examples: []Example{{`{{ cronValid "61 * * * *" }}`, "false"}},
		},
		{
			Name: "cronField", Signature: "schedule i", Result: "text", Code: cronField, Doc: "the field with the number `i`, from 0 for the minute to 4 for the day of the week",
			Examples: []Example{{"{{ cronField .spec.schedule 1 }}", "9"}},
		},
		field("cronMinute", 0, "the field for the minute", "30"),
		field("cronHour", 1, "the field for the hour", "9"),
		field("cronDom", 2, "the field for the day of the month", "*"),
		field("cronMonth", 3, "the field for the month", "*"),
		field("cronDow", 4, "the field for the day of the week", "1-5"),
		{
			Name: "cronExpr", Signature: "minute hour dom month dow", Result: "text", Code: cronExpr, Doc: "the schedule of five fields; an empty one is `*`",
			Examples: []Example{{`{{ cronExpr 0 12 "" "" "1-5" }}`, "0 12 * * 1-5"}},
		},
	}
}

// maxSchedule bounds the text of a schedule, in bytes.
const maxSchedule = 1000

func cronError(function string, value any) error {
	return fmt.Errorf("%s: %s is not a schedule: use five fields, such as \"0 9 * * 1-5\", or a macro, such as @daily", function, quote(value))
}

// parseSchedule reads a schedule as the API server does, but for time zones: all times are UTC.
func parseSchedule(function string, value any) (cron.Schedule, error) {
	text, err := cronFrom(function, value, true)
	if err != nil {
		return nil, err
	}
	switch {
	case text == "" || len(text) > maxSchedule:
		return nil, cronError(function, value)
	case strings.Contains(text, "TZ"):
		return nil, fmt.Errorf("%s: %s has a time zone: times are UTC", function, quote(value))
	}
	parsed, err := cron.ParseStandard(text)
	if err != nil {
		return nil, cronError(function, value)
	}
	return parsed, nil
}

// nextFire is "" for a schedule that does not fire within five years.
func nextFire(e Evaluation, parsed cron.Schedule) string {
	next := parsed.Next(e.Now().UTC())
	if next.IsZero() {
		return ""
	}
	e.ChangesAt(next)
	return next.Format(time.RFC3339)
}

// fieldsOf splits a schedule; all fields of a missing one are empty.
func fieldsOf(function string, value any) (schedule, error) {
	var fields schedule
	text, err := cronFrom(function, value, true)
	if err != nil || text == "" {
		return fields, err
	}
	switch strings.ToLower(text) {
	case "@yearly", "@annually":
		text = "0 0 1 1 *"
	case "@monthly":
		text = "0 0 1 * *"
	case "@weekly":
		text = "0 0 * * 0"
	case "@daily", "@midnight":
		text = "0 0 * * *"
	case "@hourly":
		text = "0 * * * *"
	}
	if len(text) > maxSchedule || copy(fields[:], strings.Fields(text)) != len(fields) || len(strings.Fields(text)) != len(fields) {
		return schedule{}, cronError(function, value)
	}
	return fields, nil
}

func cronToMap(value any) (map[string]any, error) {
	fields, err := fieldsOf("cronToMap", value)
	if err != nil {
		return nil, err
	}
	m := map[string]any{}
	for i, field := range fields {
		if field != "" {
			m[cronKeys[i]] = field
		}
	}
	return m, nil
}

// cronFrom gives the text of a schedule that is a map or, where that is allowed, a text. A missing one gives "".
func cronFrom(function string, value any, texts bool) (string, error) {
	switch TypeOf(value) {
	case TypeNull:
		return "", nil
	case TypeMap:
		return cronFromFields(function, value)
	case TypeString:
		if texts {
			return strings.TrimSpace(Text(value)), nil
		}
	}
	return "", fmt.Errorf("%s: %s is a %s: use a map with the keys %s", function, quote(value), TypeOf(value), strings.Join(cronKeys[:], ", "))
}

func cronFromFields(function string, value any) (string, error) {
	var fields schedule
	known := false
	for i, key := range cronKeys {
		field := fieldOf(value, key)
		known = known || field != nil
		fields[i] = Text(field)
	}
	if n, _ := length(value); n > 0 && !known {
		return "", fmt.Errorf("%s: none of the keys of %s is one of %s", function, quote(value), strings.Join(cronKeys[:], ", "))
	} else if n == 0 {
		return "", nil
	}
	return fields.text(function)
}

func (s schedule) text(function string) (string, error) {
	for i, field := range s {
		if s[i] = strings.TrimSpace(field); s[i] == "" {
			s[i] = "*"
		}
	}
	return bounded(function, strings.Join(s[:], " "))
}

func cronExpr(minute, hour, dayOfMonth, month, dayOfWeek any) (string, error) {
	return schedule{Text(minute), Text(hour), Text(dayOfMonth), Text(month), Text(dayOfWeek)}.text("cronExpr")
}

func cronNormalize(value any) (string, error) {
	fields, err := fieldsOf("cronNormalize", value)
	if err != nil || fields[0] == "" {
		return "", err
	}
	return strings.Join(fields[:], " "), nil
}

func cronFieldAt(function string, value any, i int) (string, error) {
	fields, err := fieldsOf(function, value)
	return fields[i], err
}

func cronField(value, i any) (string, error) {
	at, err := position("cronField", i, len(cronKeys)-1)
	if err != nil {
		return "", err
	}
	return cronFieldAt("cronField", value, at)
}

func cronDescribe(value any) (string, error) {
	fields, err := fieldsOf("cronDescribe", value)
	if err != nil || fields[0] == "" {
		return "", err
	}
	if _, err := parseSchedule("cronDescribe", value); err != nil {
		return "", err
	}
	return fields.describe(), nil
}

func (s schedule) describe() string {
	words := []string{describeTime(s[0], s[1])}
	dom, dow := s[2], s[4]
	var days []string
	if !every(dom) {
		days = append(days, "on day "+describeField(dom, nil)+" of the month")
	}
	if !every(dow) {
		days = append(days, "on "+describeField(dow, weekdays()))
	}
	if len(days) > 0 {
		words = append(words, strings.Join(days, " or "))
	}
	if !every(s[3]) {
		words = append(words, "in "+describeField(s[3], months()))
	}
	return strings.Join(words, " ")
}

func every(field string) bool { return field == "*" || field == "?" }

func describeTime(minute, hour string) string {
	m, errMinute := strconv.Atoi(minute)
	h, errHour := strconv.Atoi(hour)
	step, stepped := strings.CutPrefix(minute, "*/")
	hours, hourly := strings.CutPrefix(hour, "*/")
	switch {
	case errMinute == nil && errHour == nil:
		return fmt.Sprintf("at %02d:%02d", h, m)
	case every(minute) && every(hour):
		return "every minute"
	case stepped && every(hour):
		return "every " + step + " minutes"
	case minute == "0" && every(hour):
		return "every hour"
	case minute == "0" && hourly:
		return "every " + hours + " hours"
	}
	text := "at minute " + describeField(minute, nil)
	switch {
	case every(minute):
		text = "every minute"
	case stepped:
		text = "every " + step + " minutes"
	}
	if every(hour) {
		return text + " of every hour"
	}
	return text + " of hour " + describeField(hour, nil)
}

// describeField writes lists, ranges and steps in words, with the names that numbers have.
func describeField(field string, names []string) string {
	parts := strings.Split(field, ",")
	for i, part := range parts {
		span, step, stepped := strings.Cut(part, "/")
		from, to, ranged := strings.Cut(span, "-")
		switch {
		case every(span):
			part = "every"
		case ranged:
			part = fieldName(from, names) + " to " + fieldName(to, names)
		default:
			part = fieldName(from, names)
		}
		if stepped {
			part = "every " + step + ". of " + strings.TrimPrefix(part, "every")
			part = strings.TrimSuffix(part, " of ")
		}
		parts[i] = part
	}
	if last := len(parts) - 1; last > 0 {
		return strings.Join(parts[:last], ", ") + " and " + parts[last]
	}
	return parts[0]
}

// fieldName is the name of a number, or of the three letters that may stand for it.
func fieldName(text string, names []string) string {
	if i, err := strconv.Atoi(text); err == nil && i >= 0 && i < len(names) {
		return names[i]
	}
	short := func(name string) bool { return name != "" && strings.EqualFold(name[:3], text) }
	if i := slices.IndexFunc(names, short); i >= 0 {
		return names[i]
	}
	return text
}

func weekdays() []string {
	names := make([]string, 7)
	for i := range names {
		names[i] = time.Weekday(i).String()
	}
	return names
}

// months are counted from 1.
func months() []string {
	names := make([]string, 13)
	for i := 1; i < len(names); i++ {
		names[i] = time.Month(i).String()
	}
	return names
}
