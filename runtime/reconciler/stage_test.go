package reconciler

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

func TestStageOf(t *testing.T) {
	since := time.Date(2026, time.January, 1, 8, 0, 0, 0, time.UTC)
	cases := map[string]struct {
		reason, annotation string
		want               stage
	}{
		"None":       {reason: "a deletion begins with the first stage", want: stage{of: 3}},
		"Second":     {reason: "and goes on where it was", annotation: "2/3 2026-01-01T08:00:00Z", want: stage{index: 1, of: 3, since: since}},
		"Changed":    {reason: "another number of stages is another deletion", annotation: "2/2 2026-01-01T08:00:00Z", want: stage{of: 3}},
		"Over":       {reason: "nothing of it is left to do", annotation: "over/3 2026-01-01T08:00:00Z", want: stage{index: 3, of: 3, since: since}},
		"OverOther":  {reason: "of another number of stages", annotation: "over/2 2026-01-01T08:00:00Z", want: stage{of: 3}},
		"OutOfRange": {reason: "there is no such stage", annotation: "4/3 2026-01-01T08:00:00Z", want: stage{of: 3}},
		"Zero":       {reason: "stages count from 1", annotation: "0/3 2026-01-01T08:00:00Z", want: stage{of: 3}},
		"NoTime":     {reason: "without a time nothing can be late", annotation: "2/3", want: stage{of: 3}},
		"Nonsense":   {reason: "anybody may write there", annotation: "a/b c", want: stage{of: 3}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := stageOf(map[string]string{orkv1.AnnotationDeletion: tc.annotation}, 3)
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(stage{})); diff != "" {
				t.Errorf("\n%s\nstageOf(...): -want, +got:\n%s", tc.reason, diff)
			}
			if !tc.want.since.IsZero() && got.String() != tc.annotation {
				t.Errorf("String() = %s, want %s", got, tc.annotation)
			}
		})
	}
}

func TestLate(t *testing.T) {
	since := time.Date(2026, time.January, 1, 8, 0, 0, 0, time.UTC)
	for name, tc := range map[string]struct {
		reason string
		since  time.Time
		after  time.Duration
		want   bool
	}{
		"NotBegun": {reason: "what has not begun is not late", after: time.Hour},
		"InTime":   {reason: "there is time left", since: since, after: time.Minute - 1},
		"Late":     {reason: "the time is over", since: since, after: time.Minute, want: true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := (stage{since: tc.since}).late(since.Add(tc.after), time.Minute); got != tc.want {
				t.Errorf("\n%s\nlate(...) = %t, want %t", tc.reason, got, tc.want)
			}
		})
	}
}
