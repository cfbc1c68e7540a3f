package queue_test

import (
	"fmt"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"github.com/orkestra-runtime/orkestra/runtime/queue"
)

// BenchmarkCycle measures Offer, Get and Done per item, with all objects waiting at once.
func BenchmarkCycle(b *testing.B) {
	for _, objects := range []int{1, 1000} {
		for name, events := range map[string]bool{"Coalescing": false, "EventAware": true} {
			b.Run(fmt.Sprintf("%s/%d", name, objects), func(b *testing.B) {
				q := newQueue(b, queue.Options{})
				items := make([]queue.Item, objects)
				for n := range items {
					items[n] = item(fmt.Sprint(n))
				}
				facts := queue.Facts{Source: queue.SourcePrimary, Sentinels: map[string]bool{"generationChanged": true}}
				b.ReportAllocs()
				for b.Loop() {
					for _, i := range items {
						if events {
							i.EventID = q.NextEventID()
						}
						q.Offer(i, facts, priorityqueue.AddOpts{})
					}
					for range items {
						i, _ := q.Get()
						q.Done(i)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*objects), "ns/item")
			})
		}
	}
}

// BenchmarkCoalesce measures an event of an object that waits already.
func BenchmarkCoalesce(b *testing.B) {
	q := newQueue(b, queue.Options{})
	facts := queue.Facts{Source: queue.SourcePrimary, Sentinels: map[string]bool{"generationChanged": true}}
	b.ReportAllocs()
	for b.Loop() {
		q.Offer(item("a"), facts, priorityqueue.AddOpts{})
	}
}

// BenchmarkBackOff measures a delayed add that an event ends, with a thousand other objects delayed.
func BenchmarkBackOff(b *testing.B) {
	q := newQueue(b, queue.Options{})
	for n := range 1000 {
		q.AddWithOpts(priorityqueue.AddOpts{After: 1 << 40}, item(fmt.Sprint(n)))
	}
	b.ReportAllocs()
	for b.Loop() {
		q.AddWithOpts(priorityqueue.AddOpts{After: 1 << 30}, item("a"))
		q.Add(item("a"))
		i, _ := q.Get()
		q.Done(i)
	}
}

// BenchmarkParallel measures producers and workers that compete for the lock.
func BenchmarkParallel(b *testing.B) {
	q := newQueue(b, queue.Options{})
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		own := item(fmt.Sprint(q.NextEventID()))
		for pb.Next() {
			own.EventID = q.NextEventID()
			offer(q, own)
			i, _ := q.Get()
			q.Done(i)
		}
	})
}
