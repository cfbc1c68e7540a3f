package enrich

import (
	"cmp"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// warningsAtMost bounds the Events of one child.
const warningsAtMost = 20

// addWarnings finds the Events about the child, and those about the Pods and ReplicaSets that were read with it: what goes wrong with
// a workload is mostly told of these.
func addWarnings(r *reading) {
	about := []map[string]any{r.child.Object}
	for _, key := range []string{"_pods", "_replicaSets"} {
		list, _ := r.found[key].([]any)
		for _, object := range list {
			if object, ok := object.(map[string]any); ok {
				about = append(about, object)
			}
		}
	}
	var events []*unstructured.Unstructured
	for _, object := range about {
		if uid := textAt(object, "metadata", "uid"); uid != "" {
			events = append(events, r.indexed(eventKind, byRegarding, uid)...)
		}
		name := nameValue(textAt(object, "kind"), textAt(object, "metadata", "namespace"), textAt(object, "metadata", "name"))
		events = append(events, r.indexed(eventKind, byRegarding, name)...)
	}
	slices.SortFunc(events, func(a, b *unstructured.Unstructured) int {
		return cmp.Or(seenAt(b.Object).Compare(seenAt(a.Object)), cmp.Compare(a.GetName(), b.GetName()))
	})
	if len(events) > warningsAtMost {
		events = events[:warningsAtMost]
	}
	if len(events) > 0 {
		r.found["_warnings"] = listOf(events)
	}
}

// seenAt is when an Event happened last. Who reports it decides which of the times it has.
func seenAt(event map[string]any) time.Time {
	var last time.Time
	for _, path := range [][]string{
		{"metadata", "creationTimestamp"}, {"eventTime"}, {"deprecatedLastTimestamp"}, {"series", "lastObservedTime"},
	} {
		if t := timeAt(event, path...); t.After(last) {
			last = t
		}
	}
	return last
}
