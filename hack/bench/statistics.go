package main

import (
	"cmp"
	"math"
	"slices"
)

// percentile returns the smallest value that p percent of the values do not exceed (the nearest rank). It is the zero value
// when there are no values.
func percentile[T cmp.Ordered](values []T, p float64) T {
	if len(values) == 0 {
		var none T
		return none
	}
	sorted := slices.Sorted(slices.Values(values))
	rank := int(math.Ceil(p / 100 * float64(len(sorted))))
	return sorted[min(max(rank, 1), len(sorted))-1]
}

// spread is one figure over all rounds.
type spread struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

// spreadOf sums values up. The median of an even number of values is the mean of the middle two.
func spreadOf(values []float64) spread {
	if len(values) == 0 {
		return spread{}
	}
	sorted := slices.Sorted(slices.Values(values))
	upper := len(sorted) / 2
	lower := (len(sorted) - 1) / 2
	return spread{
		Median: round((sorted[lower] + sorted[upper]) / 2),
		Min:    round(sorted[0]),
		Max:    round(sorted[len(sorted)-1]),
	}
}

// round keeps four decimals, which is more than any figure is exact to.
func round(value float64) float64 { return math.Round(value*1e4) / 1e4 }
