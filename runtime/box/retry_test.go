package box_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orkestra-runtime/orkestra/runtime/box"
)

func TestRetryDelay(t *testing.T) {
	cases := map[string]struct {
		reason string
		retry  box.Retry
		want   []time.Duration
	}{
		"Default": {
			reason: "each pause is twice the one before",
			retry:  box.Retry{Initial: 500 * time.Millisecond, Max: 30 * time.Second, Multiplier: 2},
			want:   []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second},
		},
		"Max": {
			reason: "and never longer than max, however often it failed",
			retry:  box.Retry{Initial: time.Second, Max: 3 * time.Second, Multiplier: 1e300},
			want:   []time.Duration{time.Second, 3 * time.Second, 3 * time.Second},
		},
		"Constant": {
			reason: "a multiplier of 1 keeps the pause",
			retry:  box.Retry{Initial: time.Second, Max: 30 * time.Second, Multiplier: 1},
			want:   []time.Duration{time.Second, time.Second, time.Second},
		},
		"ShortMax": {
			reason: "a max that is shorter than the first pause does not shorten it",
			retry:  box.Retry{Initial: time.Minute, Max: 30 * time.Second, Multiplier: 2},
			want:   []time.Duration{time.Minute, time.Minute, time.Minute},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var got []time.Duration
			for failures := range 3 {
				got = append(got, tc.retry.Delay(failures+1))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nDelay(1..3): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
