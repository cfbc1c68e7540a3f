package statistics_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/orkestra-runtime/orkestra/gateway/statistics"
)

var sites = schema.GroupResource{Group: "example.com", Resource: "sites"}

func TestSummary(t *testing.T) {
	type step struct {
		size    int // expects, if not 0
		outcome statistics.Outcome
		ms      int
	}
	requests := func(size, from, to int) []step {
		steps := []step{{size: size}}
		for ms := from; ms <= to; ms++ {
			steps = append(steps, step{outcome: statistics.Allowed, ms: ms})
		}
		return steps
	}
	cases := map[string]struct {
		reason string
		steps  []step
		want   *statistics.Summary
	}{
		"Unexpected": {"what nobody expects is not counted", []step{{ms: 1}}, nil},
		"None":       {"before the first request", requests(3, 1, 0), &statistics.Summary{Latest: statistics.Latest{Size: 3}}},
		"One": {"one that was denied", []step{{size: 3}, {outcome: statistics.Denied, ms: 7}}, &statistics.Summary{Total: 1, Denied: 1, Latest: statistics.Latest{
			Requests: 1, Size: 3, Denied: 1, AverageSeconds: 0.007, P95Seconds: 0.007,
		}}},
		"Older": {
			"the latest are remembered, and all are counted",
			append([]step{{size: 2}, {outcome: statistics.Failed, ms: 100}, {outcome: statistics.Denied, ms: 100}}, requests(2, 1, 3)[1:]...),
			&statistics.Summary{Total: 5, Denied: 1, Failed: 1, Latest: statistics.Latest{Requests: 2, Size: 2, AverageSeconds: 0.0025, P95Seconds: 0.003}},
		},
		"P95": {"nineteen of twenty took no longer", requests(100, 1, 20), &statistics.Summary{Total: 20, Latest: statistics.Latest{
			Requests: 20, Size: 100, AverageSeconds: 0.0105, P95Seconds: 0.019,
		}}},
		"Smaller": {
			"with a smaller window the latest of them stay", append(requests(4, 1, 6), step{size: 2}),
			&statistics.Summary{Total: 6, Latest: statistics.Latest{Requests: 2, Size: 2, AverageSeconds: 0.0055, P95Seconds: 0.006}},
		},
		"Larger": {
			"with a larger one all stay, and as many come", append(append(requests(2, 1, 3), step{size: 4}), requests(4, 4, 6)[1:]...),
			&statistics.Summary{Total: 6, Latest: statistics.Latest{Requests: 4, Size: 4, AverageSeconds: 0.0045, P95Seconds: 0.006}},
		},
		"Default": {"a hundred", []step{{size: -1}}, &statistics.Summary{Latest: statistics.Latest{Size: statistics.DefaultSize}}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			s, key := &statistics.Statistics{}, statistics.Key{Webhook: "validate", Resource: sites}
			for _, one := range tc.steps {
				if one.size != 0 {
					s.Expect(key, one.size, "v1")
					continue
				}
				s.Record(key, "v1", one.outcome, time.Duration(one.ms)*time.Millisecond)
			}
			if diff := cmp.Diff(tc.want, s.Of(key)["v1"]); diff != "" {
				t.Errorf("\n%s\nOf(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestVersions shows that two versions of a kind, and two webhooks, are counted apart, also by many at once, and that there are never too many of them.
func TestVersions(t *testing.T) {
	s := &statistics.Statistics{}
	counts := map[string]map[string]int{"validate": {"v1": 30, "v1beta1": 20}, "mutate": {"v1": 10}}
	var all sync.WaitGroup
	for webhook, versions := range counts {
		key := statistics.Key{Webhook: webhook, Resource: sites}
		s.Expect(key, 5, "v1")
		for version, n := range versions {
			for range n {
				all.Go(func() { s.Record(key, version, statistics.Denied, time.Millisecond) })
			}
		}
	}
	all.Wait()
	for webhook, versions := range counts {
		got := s.Of(statistics.Key{Webhook: webhook, Resource: sites})
		if len(got) != len(versions) {
			t.Errorf("%s: %v, want %v", webhook, got, versions)
		}
		for version, n := range versions {
			if one := got[version]; one == nil || one.Total != uint64(n) || one.Denied != uint64(n) || one.Latest.Requests != 5 {
				t.Errorf("%s of %s: %+v, want %d", webhook, version, one, n)
			}
		}
	}
	key := statistics.Key{Webhook: "mutate", Resource: sites}
	for i := range 100 {
		s.Record(key, fmt.Sprint("v", i), statistics.Allowed, time.Millisecond)
	}
	if got := s.Of(key); len(got) != 10 {
		t.Errorf("%d versions, want no more than 10", len(got))
	}
}
