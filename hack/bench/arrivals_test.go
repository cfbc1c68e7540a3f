package main

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestAwaitArrivals(t *testing.T) {
	begin := time.Unix(1000, 0)
	after := func(seconds int) time.Time { return begin.Add(time.Duration(seconds) * time.Second) }
	cases := map[string]struct {
		reason string
		seen   []arrival
		closed bool
		want   map[string]time.Time
		err    string
	}{
		"Both": {
			reason: "a Website is done with the later of its children",
			seen: []arrival{
				{"services", "a", after(4)}, {"deployments", "b", after(1)}, {"deployments", "a", after(2)}, {"services", "b", after(3)},
			},
			want: map[string]time.Time{"a": after(4), "b": after(3)},
		},
		"Twice": {
			reason: "a child that is made twice does not stand for one that is missing",
			seen: []arrival{
				{"services", "a", after(1)}, {"services", "a", after(2)}, {"deployments", "a", after(3)}, {"services", "b", after(4)},
			},
			err: "3 of 4 children have come",
		},
		"WatchEnds": {reason: "what is not seen can't be waited for", closed: true, err: "the watch of the children ended"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				done := make(chan struct{})
				a := &arrivals{seen: make(chan arrival, len(tc.seen)), done: done}
				for _, one := range tc.seen {
					a.seen <- one
				}
				if tc.closed {
					close(done)
				}
				got, err := a.await(t.Context(), 2)
				if tc.err != "" {
					if err == nil || !strings.Contains(err.Error(), tc.err) {
						t.Errorf("\n%s\nawait(2): want an error with %q, got %v", tc.reason, tc.err, err)
					}
					return
				}
				if err != nil {
					t.Fatalf("\n%s\nawait(2): %v", tc.reason, err)
				}
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("\n%s\nawait(2): -want, +got:\n%s", tc.reason, diff)
				}
			})
		})
	}
}

func TestNextEndsWithContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (&arrivals{}).next(ctx); err == nil {
		t.Error("want the context's error, got none")
	}
}
