package conditions

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

const minutesOfDay = 24 * 60

// timeWindow is a part of each day in UTC. A time is in it when its minute is: the window to 18:00 ends at 18:01. One that
// begins later than it ends runs over midnight.
type timeWindow struct {
	first  int // minute of the day
	length int // in minutes, 1 to minutesOfDay
}

func (w *timeWindow) at(now time.Time) (within bool, until time.Time) {
	if w.length == minutesOfDay {
		return true, time.Time{}
	}
	since := (now.Hour()*60 + now.Minute() - w.first + minutesOfDay) % minutesOfDay
	within = since < w.length
	next := minutesOfDay
	if within {
		next = w.length
	}
	return within, now.Truncate(time.Minute).Add(time.Duration(next-since) * time.Minute)
}

func (w *timeWindow) String() string {
	last := (w.first + w.length - 1) % minutesOfDay
	return fmt.Sprintf("%02d:%02d to %02d:%02d UTC", w.first/60, w.first%60, last/60, last%60)
}

func (b *builder) timeWindow(t *orkv1.TimeWindow, at *field.Path) period {
	if t.After == "" && t.Before == "" {
		b.errors = append(b.errors, field.Required(at, "after, before or both, such as {after: \"08:00\", before: \"18:00\"}"))
		return nil
	}
	first := b.minuteOfDay(t.After, 0, at.Child("after"))
	last := b.minuteOfDay(t.Before, minutesOfDay-1, at.Child("before"))
	return &timeWindow{first: first, length: (last-first+minutesOfDay)%minutesOfDay + 1}
}

// minuteOfDay reads HH:MM, or H:MM. An absent time is that of the day.
func (b *builder) minuteOfDay(text string, absent int, at *field.Path) int {
	if text == "" {
		return absent
	}
	t, err := time.Parse("15:04", strings.TrimSpace(text))
	if err != nil {
		b.errors = append(b.errors, field.Invalid(at, text, "not a time of day: use HH:MM, from 00:00 to 23:59"))
	}
	return t.Hour()*60 + t.Minute()
}
