package template

import (
	"slices"
	"strconv"
	"strings"
	"text/template/parse"
	"time"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

const (
	// LeastPeriod is how long a text that changes all the time stays as it is: it is made anew no sooner.
	LeastPeriod = time.Minute
	// horizon bounds how far ahead a change is looked for.
	horizon = 20 * 365 * 24 * time.Hour
	// maxOrigins bounds how many times are looked at that values of one evaluation count from.
	maxOrigins = 20
)

// flow is an evaluation of values that count from some time on, such as timeSince.
type flow struct{ origins []time.Time }

// CountsFrom tells that a result counts the time from t on, or until t.
func (f Facts) CountsFrom(t time.Time) {
	if f.flow != nil && len(f.flow.origins) < maxOrigins && !slices.ContainsFunc(f.flow.origins, t.Equal) {
		f.flow.origins = append(f.flow.origins, t)
	}
}

// Flowing evaluates what counts the time, and tells the Edges that watch the Facts when the outcome is another one, but no sooner than
// after least. It finds that out by evaluating with a later clock: ever further ahead, and at what lies as
// far from the times that are counted from as the lengths say. What is evaluated in it tells of no changes of its own that it counts to.
func Flowing[T comparable](f Facts, least time.Duration, lengths []time.Duration, evaluate func(Facts) T) T {
	if f.edges == nil || f.flow != nil {
		return evaluate(f)
	}
	counted := &flow{}
	f.flow = counted
	outcome := evaluate(f)
	if len(counted.origins) == 0 {
		return outcome
	}
	start := f.Now()
	differs := func(at time.Time) bool {
		later := f
		later.edges, later.flow = nil, &flow{}
		later.now = func() time.Time { return at }
		return evaluate(later) != outcome
	}
	same := start
	for _, at := range probes(start, least, lengths, counted.origins) {
		if !differs(at) {
			same = at
			continue
		}
		if at.Sub(start) > least {
			at = firstBetween(same, at, differs)
		}
		f.ChangesAt(at)
		break
	}
	return outcome
}

// probes are the times, in their order, at which an outcome may be another one.
func probes(start time.Time, least time.Duration, lengths []time.Duration, origins []time.Time) []time.Time {
	first := start.Add(least)
	var times []time.Time
	for step := least; step < horizon; step *= 2 {
		times = append(times, start.Add(step))
	}
	for _, origin := range origins {
		for _, length := range append([]time.Duration{0}, lengths...) {
			for _, at := range []time.Time{origin.Add(length), origin.Add(-length)} {
				times = append(times, at, at.Add(time.Second))
			}
		}
	}
	times = slices.DeleteFunc(times, func(at time.Time) bool { return at.Before(first) })
	slices.SortFunc(times, time.Time.Compare)
	return slices.CompactFunc(times, time.Time.Equal)
}

// firstBetween is the first time, to the millisecond, at which the outcome differs: that of high does, and that of low does not.
func firstBetween(low, high time.Time, differs func(time.Time) bool) time.Time {
	for high.Sub(low) > time.Millisecond {
		if middle := low.Add(high.Sub(low) / 2); differs(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// run evaluates with the engine, and tells when that gives something else if it counts the time.
func (p *Program) run(f Facts, capture bool) (text string, value any, err error) {
	if !p.flows {
		text, value, _, err = p.engine.run(f, capture, 0)
		return text, value, err
	}
	type outcome struct {
		text   string
		failed bool
	}
	first := true
	Flowing(f, LeastPeriod, p.lengths, func(f Facts) outcome {
		t, v, _, failure := p.engine.run(f, capture, 0)
		if first {
			text, value, err, first = t, v, failure, false
		}
		return outcome{t + Text(v), failure != nil}
	})
	return text, value, err
}

// Flows tells whether the program counts the time.
func (p *Program) Flows() bool { return p.flows }

// Lengths are the lengths of time in the program with which something may be compared.
func (p *Program) Lengths() []time.Duration { return p.lengths }

// LengthsOf are the lengths of time in a text: numbers of seconds, and durations, between commas.
func LengthsOf(text string) []time.Duration {
	var lengths []time.Duration
	for one := range strings.SplitSeq(text, ",") {
		if length, ok := lengthOf(strings.TrimSpace(one)); ok {
			lengths = append(lengths, length)
		}
	}
	return lengths
}

func lengthOf(text string) (time.Duration, bool) {
	if seconds, err := strconv.ParseFloat(text, 64); err == nil {
		if seconds < 0 {
			seconds = -seconds
		}
		return time.Duration(seconds * float64(time.Second)), seconds < horizon.Seconds()
	}
	duration, err := orkv1.ParseDuration(text)
	return duration.Duration, err == nil && duration.Duration < horizon
}

// constant notes a value that is written down, in case that it is a length of time.
func (r *rewriter) constant(node parse.Node) {
	switch n := node.(type) {
	case *parse.NumberNode:
		r.lengths = append(r.lengths, LengthsOf(n.Text)...)
	case *parse.StringNode:
		r.lengths = append(r.lengths, LengthsOf(n.Text)...)
	}
}
