package conditions_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/conditionstest"
)

// A comparison of a time that is counted tells when it turns, not each second. It is 10:30:15 on the 4th of March 2026.
func TestEdgesOfCountedTime(t *testing.T) {
	const since, until = `{{ timeSince "2026-03-04T10:00:00Z" }}`, `{{ timeUntil "2026-03-04T12:00:00Z" }}`
	text := func(s string) *orkv1.Template { return new(orkv1.Template(s)) }
	cases := map[string]struct {
		reason    string
		condition orkv1.Condition
		want      string
	}{
		"Since":      {"an hour and one second", orkv1.Condition{Field: since, GreaterThan: text("3600")}, "2026-03-04 11:00:01"},
		"SinceEqual": {"a single second", orkv1.Condition{Field: since, Equals: text("3600")}, "2026-03-04 11:00:00"},
		"SinceIs":    {"a second that is now", orkv1.Condition{Field: since, Equals: text("1815")}, "2026-03-04 10:30:16"},
		"SinceOver":  {"it never turns back", orkv1.Condition{Field: since, GreaterThan: text("60")}, ""},
		"Range":      {"ten seconds of a day", orkv1.Condition{Field: since, Between: text("50000,50010")}, "2026-03-04 23:53:20"},
		"List":       {"one of several seconds", orkv1.Condition{Field: since, In: text("1000, 40000")}, "2026-03-04 21:06:40"},
		"Until":      {"the last second is over", orkv1.Condition{Field: until, Equals: text("0s")}, "2026-03-04 11:59:59"},
		"UntilLong":  {"a single second", orkv1.Condition{Field: until, Equals: text("30m0s")}, "2026-03-04 11:29:59"},
		"Ago":        {"a text that changes seldom", orkv1.Condition{Field: `{{ timeAgo "2026-03-04T10:00:00Z" }}`, Equals: text("2h ago")}, "2026-03-04 12:00:00"},
		"Computed":   {"a computation with it", orkv1.Condition{Field: `{{ div (timeSince "2026-03-04T10:00:00Z") 60 }}`, GreaterThan: text("44")}, "2026-03-04 10:44:01"},
		"Inside":     {"a comparison in the template", orkv1.Condition{Field: `{{ gt (timeSince "2026-03-04T10:00:00Z") 3600 }}`, Equals: text("true")}, "2026-03-04 11:00:01"},
		"Negated":    {"the opposite turns at the same time", orkv1.Condition{Field: since, GreaterThan: text("3600"), Negate: true}, "2026-03-04 11:00:01"},
		"NoTime":     {"what is no time does not pass", orkv1.Condition{Field: "{{ timeUntil .spec.absent }}", Equals: text("1s")}, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			program := compile(t, when(tc.condition))
			pass, edge := evaluate(program, conditionstest.Now())
			got := ""
			if !edge.IsZero() {
				got = edge.Truncate(time.Millisecond).Format("2006-01-02 15:04:05.999")
				if after, _ := evaluate(program, edge); after == pass {
					t.Errorf("%s: the verdict is %t before and after the edge at %s", tc.reason, pass, edge)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nNext(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
