package queue_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"github.com/orkestra-runtime/orkestra/runtime/queue"
)

func TestOfferMergesFacts(t *testing.T) {
	type computed = map[string]bool
	cases := map[string]struct {
		reason string
		offers []queue.Facts
		want   queue.Facts
	}{
		"One": {
			reason: "the facts of a single event are kept as they are",
			offers: []queue.Facts{{Source: queue.SourcePrimary, Sentinels: computed{"generationChanged": true}, Event: "e"}},
			want:   queue.Facts{Source: queue.SourcePrimary, Sentinels: computed{"generationChanged": true}, Event: "e"},
		},
		"LaterFalse": {
			reason: "a status update after a change of the spec must not hide that change",
			offers: []queue.Facts{
				{Sentinels: computed{"generationChanged": true, "labelsChanged": false}},
				{Sentinels: computed{"generationChanged": false, "labelsChanged": false}},
			},
			want: queue.Facts{Sentinels: computed{"generationChanged": true, "labelsChanged": false}},
		},
		"LaterTrue": {
			reason: "a change of the spec after a status update counts",
			offers: []queue.Facts{
				{Sentinels: computed{"generationChanged": false}},
				{Sentinels: computed{"generationChanged": true}},
			},
			want: queue.Facts{Sentinels: computed{"generationChanged": true}},
		},
		"Both": {
			reason: "each event contributes what was true for it",
			offers: []queue.Facts{
				{Sentinels: computed{"generationChanged": true, "labelsChanged": false}},
				{Sentinels: computed{"generationChanged": false, "labelsChanged": true}},
			},
			want: queue.Facts{Sentinels: computed{"generationChanged": true, "labelsChanged": true}},
		},
		"NothingComputed": {
			reason: "an event without sentinels says so, and keeps saying so after merging",
			offers: []queue.Facts{
				{Source: queue.SourceWatch},
				{Source: queue.SourcePrimary, Sentinels: computed{"generationChanged": false}},
			},
			want: queue.Facts{
				Source:     queue.SourceWatch | queue.SourcePrimary,
				Sentinels:  computed{"generationChanged": false},
				Uncomputed: true,
			},
		},
		"NothingComputedLast": {
			reason: "the order of the two events does not matter",
			offers: []queue.Facts{
				{Source: queue.SourcePrimary, Sentinels: computed{"generationChanged": false}},
				{Source: queue.SourceWatch},
			},
			want: queue.Facts{
				Source:     queue.SourceWatch | queue.SourcePrimary,
				Sentinels:  computed{"generationChanged": false},
				Uncomputed: true,
			},
		},
		"EmptyIsComputed": {
			reason: "an empty map says that sentinels were looked at, unlike nil",
			offers: []queue.Facts{{Sentinels: computed{}}, {Sentinels: computed{}}},
			want:   queue.Facts{Sentinels: computed{}},
		},
		"NewestContext": {
			reason: "the newest event with a context wins, one without does not erase it",
			offers: []queue.Facts{{Event: "first"}, {Event: "second"}, {}},
			want:   queue.Facts{Uncomputed: true, Event: "second"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			q := newQueue(t, queue.Options{})
			for _, facts := range tc.offers {
				q.Offer(item("a"), facts, priorityqueue.AddOpts{})
			}
			if diff := cmp.Diff(tc.want, q.Facts(item("a"))); diff != "" {
				t.Errorf("\n%s\nFacts(...) of the waiting item: -want, +got:\n%s", tc.reason, diff)
			}
			q.Get()
			if diff := cmp.Diff(tc.want, q.Facts(item("a"))); diff != "" {
				t.Errorf("\n%s\nFacts(...) of the item with a worker: -want, +got:\n%s", tc.reason, diff)
			}
			q.Done(item("a"))
			if diff := cmp.Diff(queue.Facts{}, q.Facts(item("a"))); diff != "" {
				t.Errorf("\nan item that is done has no facts\nFacts(...): -want, +got:\n%s", diff)
			}
		})
	}
}

func TestOfferDoesNotWriteSentinels(t *testing.T) {
	q := newQueue(t, queue.Options{})
	first, second := map[string]bool{"a": true, "b": false}, map[string]bool{"a": false, "b": true}
	q.Offer(item("a"), queue.Facts{Sentinels: first}, priorityqueue.AddOpts{})
	q.Offer(item("a"), queue.Facts{Sentinels: second}, priorityqueue.AddOpts{})

	want := []map[string]bool{{"a": true, "b": false}, {"a": false, "b": true}}
	if diff := cmp.Diff(want, []map[string]bool{first, second}); diff != "" {
		t.Errorf("\noffered maps are shared and so never written\n-want, +got:\n%s", diff)
	}
}

func TestSource(t *testing.T) {
	cases := map[string]struct {
		reason   string
		source   queue.Source
		name     string
		priority int
	}{
		"Unknown":       {"an event about which nothing is known is as urgent as Add makes it", 0, "unknown", queue.PriorityWatch},
		"Primary":       {"somebody waits for it", queue.SourcePrimary, "primary", queue.PriorityUser},
		"Child":         {"drift comes after users", queue.SourceChild, "child", queue.PriorityChild},
		"Watch":         {"a watched object changed", queue.SourceWatch, "watch", queue.PriorityWatch},
		"Event":         {"as urgent as a watch", queue.SourceEvent, "event", queue.PriorityWatch},
		"Requeue":       {"behind fresh events", queue.SourceRequeue, "requeue", queue.PriorityRequeue},
		"Initial":       {"last", queue.SourceInitial, "initial", queue.PriorityResync},
		"Resync":        {"last", queue.SourceResync, "resync", queue.PriorityResync},
		"PrimaryResync": {"the most urgent source decides", queue.SourcePrimary | queue.SourceResync, "primary+resync", queue.PriorityUser},
		"RequeueEvent":  {"the most urgent source decides", queue.SourceRequeue | queue.SourceEvent, "event+requeue", queue.PriorityWatch},
		"InitialResync": {"both are the last", queue.SourceInitial | queue.SourceResync, "initial+resync", queue.PriorityResync},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := tc.source.String(); got != tc.name {
				t.Errorf("String() = %q, want %q", got, tc.name)
			}
			if got := tc.source.Priority(); got != tc.priority {
				t.Errorf("\n%s\nPriority() = %d, want %d", tc.reason, got, tc.priority)
			}
		})
	}
}
