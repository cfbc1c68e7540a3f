package template_test

import (
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orkestra-runtime/orkestra/conditions/template"
)

func wednesday() time.Time { return time.Date(2026, time.March, 4, 10, 30, 0, 0, time.UTC) }

func TestEdges(t *testing.T) {
	cases := map[string]struct {
		reason string
		times  []time.Duration // from now
		want   time.Duration   // 0: none
	}{
		"None":     {reason: "nothing was noted"},
		"Earliest": {reason: "the earliest of several counts", times: []time.Duration{time.Hour, time.Minute, 2 * time.Hour}, want: time.Minute},
		"Past":     {reason: "what is gone by changes nothing any more", times: []time.Duration{-time.Minute, time.Hour}, want: time.Hour},
		"Now":      {reason: "what changes now was read already", times: []time.Duration{0}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var edges template.Edges
			facts := template.NewFacts(nil, wednesday).Watch(&edges).With("item", "a")
			for _, at := range tc.times {
				facts.ChangesAt(wednesday().Add(at))
			}
			var got time.Duration
			if next, ok := edges.Next(); ok {
				got = next.Sub(wednesday())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nNext(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestEdgesOfUnwatchedFacts(t *testing.T) {
	var edges template.Edges
	facts := template.NewFacts(nil, wednesday)
	facts.Watch(&edges)
	facts.ChangesAt(wednesday().Add(time.Hour))
	if at, ok := edges.Next(); ok {
		t.Errorf("only the copy that Watch returns is watched; noted %v", at)
	}
}

func TestEdgesOfPrograms(t *testing.T) {
	program := compile(t, `{{ if weekday }}{{ isExpired .at "1h" }}{{ else }}{{ timeInWindow "09:00" "18:00" }}{{ end }}`)
	var edges template.Edges
	facts := template.NewFacts(map[string]any{"at": "2026-03-04T10:00:00Z"}, wednesday)
	for range 2 { // the second evaluation has the instance of the first
		if got, err := program.Text(facts.Watch(&edges)); err != nil || got != "false" {
			t.Fatalf("Text(): %q, %v", got, err)
		}
	}
	if at, ok := edges.Next(); !ok || !at.Equal(time.Date(2026, time.March, 4, 11, 0, 0, 0, time.UTC)) {
		t.Errorf("the expiry is the next edge, before midnight; what was not evaluated has none: got %v, %v", at, ok)
	}
	var others template.Edges
	if _, err := program.Text(template.NewFacts(nil, func() time.Time { return wednesday().AddDate(0, 0, 3) }).Watch(&others)); err != nil {
		t.Fatal(err)
	}
	if at, ok := others.Next(); !ok || !at.Equal(time.Date(2026, time.March, 7, 18, 0, 0, 0, time.UTC)) {
		t.Errorf("on a Saturday the window is evaluated: got %v, %v", at, ok)
	}
}

func TestEdgesConcurrently(t *testing.T) {
	var edges template.Edges
	program := compile(t, "{{ weekend }}")
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			if got, err := program.Value(template.NewFacts(nil, wednesday).Watch(&edges)); err != nil || got != false {
				t.Errorf("Value(): %v, %v", got, err)
			}
		})
	}
	group.Wait()
	if at, ok := edges.Next(); !ok || !at.Equal(time.Date(2026, time.March, 5, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("Next(): %v, %v", at, ok)
	}
}

// A text that counts the time is made anew when it changes, and no sooner than after a minute.
func TestEdgesOfCountedTime(t *testing.T) {
	cases := map[string]struct {
		reason, text string
		want         time.Duration // from now; 0: none
	}{
		"Seconds":   {"each second would be polling", `{{ timeSince .at }} s`, template.LeastPeriod},
		"Value":     {"the value of a single expression as well", `{{ timeSince .at }}`, template.LeastPeriod},
		"Minutes":   {"30 minutes ago until it is 31", `{{ timeAgo .at }}`, time.Minute},
		"Hours":     {"3 hours ago until it is 4", `{{ timeAgo "2026-03-04T07:00:00Z" }}`, 30 * time.Minute},
		"Condition": {"what is chosen by it", `{{ if gt (timeSince .at) 3599 }}old{{ else }}new{{ end }}`, 30 * time.Minute},
		"Window":    {"ten seconds in between, by the number in the text", `{{ $s := timeSince .at }}{{ and (ge $s 7205) (lt $s 7215) }}`, time.Hour + 30*time.Minute + 5*time.Second},
		"Never":     {"it does not change any more", `{{ gt (timeSince .at) 60 }}`, 0},
		"Missing":   {"nothing counts", `{{ timeSince .absent }}`, 0},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var edges template.Edges
			facts := template.NewFacts(map[string]any{"at": "2026-03-04T10:00:00Z"}, wednesday).Watch(&edges)
			program := compile(t, tc.text)
			evaluate := func() error { _, err := program.Text(facts); return err }
			if name == "Value" {
				evaluate = func() error { _, err := program.Value(facts); return err }
			}
			if err := evaluate(); err != nil {
				t.Fatal(err)
			}
			var got time.Duration
			if next, ok := edges.Next(); ok {
				got = next.Sub(wednesday()).Round(10 * time.Millisecond)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nNext(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
