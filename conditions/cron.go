package conditions

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/robfig/cron/v3"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// maxFires bounds the walk along windows that overlap or touch. What lasts longer changes at the end of the last window that
// was looked at, as far as anybody is told, and is looked at again then.
const maxFires = 256

// cronWindow is open from each fire of an expression, in UTC, for a length of time, with the fire in it and the end not: when
// there was a fire in (now - length, now]. So no fire is missed, however seldom one looks.
//
// Without a length the window of a fire stays open until the next one opens its own. Nothing is remembered of what happened
// before this process started, so there always was a fire, and the window is always open.
type cronWindow struct {
	source   string
	schedule cron.Schedule
	length   orkv1.Duration // 0: until the next fire
	// known is what was found last. It follows from the expression alone, and spares most evaluations to search.
	known atomic.Pointer[stretch]
}

// stretch is a time without a change, with from in it and until not.
type stretch struct {
	from, until time.Time // until zero: for good
	open        bool
}

func (s *stretch) has(t time.Time) bool {
	return !t.Before(s.from) && (s.until.IsZero() || t.Before(s.until))
}

func (w *cronWindow) at(now time.Time) (within bool, until time.Time) {
	if w.length.Duration == 0 {
		return true, time.Time{}
	}
	s := w.known.Load()
	if s == nil || !s.has(now) {
		s = w.search(now)
		w.known.Store(s)
	}
	return s.open, s.until
}

func (w *cronWindow) search(now time.Time) *stretch {
	fire := nextFire(w.schedule, now.Add(-w.length.Duration))
	if fire.IsZero() || fire.After(now) {
		return &stretch{from: now, until: fire}
	}
	open := &stretch{from: now, until: fire.Add(w.length.Duration), open: true}
	for range maxFires {
		fire = nextFire(w.schedule, fire)
		if fire.IsZero() || fire.After(open.until) {
			break
		}
		open.until = fire.Add(w.length.Duration)
	}
	return open
}

func (w *cronWindow) String() string {
	if w.length.Duration == 0 {
		return fmt.Sprintf("between two fires of %q", w.source)
	}
	return fmt.Sprintf("within %s after a fire of %q in UTC", w.length, w.source)
}

// nextFire is the first fire after t; zero when there is none. A schedule looks five years ahead, and a 29th of February may be
// eight years away.
func nextFire(schedule cron.Schedule, t time.Time) time.Time {
	const ahead = 5
	fire := schedule.Next(t)
	if fire.IsZero() {
		fire = schedule.Next(t.AddDate(ahead, 0, 0))
	}
	return fire
}

func (b *builder) cron(c *orkv1.Condition, at *field.Path) period {
	w := &cronWindow{source: strings.TrimSpace(c.Cron)}
	var err error
	if w.schedule, err = parseSchedule(w.source); err != nil {
		b.errors = append(b.errors, field.Invalid(at.Child("cron"), c.Cron, err.Error()))
		return w
	}
	if c.Duration != nil {
		w.length = *c.Duration
	} else {
		b.language.Warn(field.Invalid(at.Child("cron"), c.Cron,
			"without duration the window is open from each fire to the next, which is always: say how long it is open, such as duration: 1h"))
	}
	return w
}

// duration reports one that belongs to no window, or to one that is never open.
func (b *builder) duration(c *orkv1.Condition, at *field.Path) {
	switch {
	case c.Duration == nil:
	case c.Cron == "":
		b.errors = append(b.errors, field.Forbidden(at.Child("duration"), "is how long the window of cron is open: add cron, or leave it out"))
	case c.Duration.Duration <= 0:
		b.errors = append(b.errors, field.Invalid(at.Child("duration"), c.Duration.String(), "the window is never open: use a positive duration, such as 1h"))
	}
}

// parseSchedule reads five fields or a macro. A schedule that has no fixed times, or none at all, is an error.
func parseSchedule(text string) (cron.Schedule, error) {
	switch {
	case strings.Contains(text, "TZ="):
		return nil, errors.New("names a time zone: fires are in UTC")
	case strings.HasPrefix(text, "@every"):
		return nil, errors.New("has no fixed times: use five fields, such as \"*/15 * * * *\"")
	}
	schedule, err := cron.ParseStandard(text)
	if err != nil {
		return nil, fmt.Errorf("not a cron expression: %w: use five fields, such as \"0 8 * * 1-5\", or a macro, such as @daily", err)
	}
	// Every expression that fires does so in the years that follow.
	if nextFire(schedule, time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		return nil, errors.New("never fires: there is no such time in any year")
	}
	return schedule, nil
}
