package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPercentile(t *testing.T) {
	cases := map[string]struct {
		reason string
		values []int
		p      float64
		want   int
	}{
		"None":      {reason: "nothing was measured", p: 50},
		"One":       {reason: "one value is every percentile", values: []int{7}, p: 99, want: 7},
		"Median":    {reason: "half of the values do not exceed it; the order does not matter", values: []int{4, 1, 3, 2}, p: 50, want: 2},
		"Rank":      {reason: "of 100 values the 99th", values: countTo(100), p: 99, want: 99},
		"Hundredth": {reason: "the largest", values: []int{2, 9, 1}, p: 100, want: 9},
		"Zero":      {reason: "the smallest", values: []int{2, 9, 1}, p: 0, want: 1},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := percentile(tc.values, tc.p); got != tc.want {
				t.Errorf("\n%s\npercentile(%v, %v): want %d, got %d", tc.reason, tc.values, tc.p, tc.want, got)
			}
		})
	}
}

func countTo(n int) []int {
	values := make([]int, n)
	for i := range values {
		values[i] = n - i
	}
	return values
}

func TestSpreadOf(t *testing.T) {
	cases := map[string]struct {
		reason string
		values []float64
		want   spread
	}{
		"None":     {reason: "nothing was measured"},
		"Odd":      {reason: "the one in the middle, whatever the order", values: []float64{9, 1, 2}, want: spread{Median: 2, Min: 1, Max: 9}},
		"Even":     {reason: "the mean of the two in the middle", values: []float64{1, 2, 4, 9}, want: spread{Median: 3, Min: 1, Max: 9}},
		"Decimals": {reason: "four are kept", values: []float64{1. / 3}, want: spread{Median: 0.3333, Min: 0.3333, Max: 0.3333}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, spreadOf(tc.values)); diff != "" {
				t.Errorf("\n%s\nspreadOf(%v): -want, +got:\n%s", tc.reason, tc.values, diff)
			}
		})
	}
}
