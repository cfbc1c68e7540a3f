package flight_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"

	"github.com/orkestra-runtime/orkestra/runtime/flight"
)

func resource(name string) types.NamespacedName {
	return types.NamespacedName{Namespace: "shop", Name: name}
}

// clock passes a second with each look.
func clock() func() time.Time {
	now := time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)
	return func() time.Time {
		now = now.Add(time.Second)
		return now
	}
}

func messages(records []flight.Record) []string {
	var said []string
	for _, one := range records {
		said = append(said, fmt.Sprintf("%s %s %d", one.Kind, one.Message, one.Count))
	}
	return said
}

// What was recorded several times stands where it was last.
func TestRecordsAreInOrder(t *testing.T) {
	r := flight.New(clock()).Of("website")
	for _, message := range []string{"child", "resync", "child"} {
		r.Record(resource("a"), flight.Record{Kind: flight.Seen, Message: message})
	}
	if diff := cmp.Diff([]string{"event resync 0", "event child 2"}, messages(r.Records(resource("a")))); diff != "" {
		t.Errorf("Records(a): -want, +got:\n%s", diff)
	}
}

func TestRecorder(t *testing.T) {
	r := flight.New(clock()).Of("website")
	if got := r.Records(resource("a")); got != nil {
		t.Errorf("Records(...) = %v before anything happened, want nil", got)
	}
	r.Record(resource("a"), flight.Record{Kind: flight.Seen, Message: "resync"})
	r.Record(resource("b"), flight.Record{Kind: flight.Seen, Message: "initial"})
	r.Record(resource("a"), flight.Record{Kind: flight.Seen, Message: "resync"})
	r.Record(resource("a"), flight.Record{Kind: flight.Wrote, Message: "configured ConfigMap a", Fields: []string{"data.a"}})
	r.Record(resource("a"), flight.Record{Kind: flight.Wrote, Message: "configured ConfigMap a", Fields: []string{"data.a"}})
	want := []string{"event resync 2", "write configured ConfigMap a 0", "write configured ConfigMap a 0"}
	if diff := cmp.Diff(want, messages(r.Records(resource("a")))); diff != "" {
		t.Errorf("Records(a): -want, +got:\n%s", diff)
	}
	if got := r.Records(resource("a"))[0].Time.Second(); got != 3 {
		t.Errorf("what happened several times is of second %d, want the last, 3", got)
	}
	var none flight.Log
	none.Record(resource("a"), flight.Record{})
	if none.Records(resource("a")) != nil {
		t.Error("a Log of nothing has records")
	}
}

func TestRecorderIsBounded(t *testing.T) {
	recorder := flight.New(nil)
	r := recorder.Of("website")
	for i := range 3 * flight.PerResource / 2 {
		r.Record(resource("a"), flight.Record{Message: fmt.Sprint(i)})
	}
	records := r.Records(resource("a"))
	if first, last := records[0].Message, records[len(records)-1].Message; len(records) != flight.PerResource || first != "20" || last != "59" {
		t.Errorf("%d records from %s to %s, want %d from 20 to 59", len(records), first, last, flight.PerResource)
	}
	for i := range flight.Resources - 1 {
		r.Record(resource(fmt.Sprint("n", i)), flight.Record{})
	}
	r.Record(resource("a"), flight.Record{Message: "again"})
	recorder.Of("tenant").Record(resource("one more"), flight.Record{})
	if recorder.Len() != flight.Resources || r.Records(resource("n0")) != nil || r.Records(resource("a")) == nil {
		t.Errorf("%d resources have records, want %d, without the longest untouched", recorder.Len(), flight.Resources)
	}
}

func TestRecorderConcurrently(t *testing.T) {
	recorder := flight.New(nil)
	r := recorder.Of("website")
	var writers sync.WaitGroup
	for i := range 8 {
		writers.Go(func() {
			for n := range 1000 {
				r.Record(resource(fmt.Sprint(n%20)), flight.Record{Message: fmt.Sprint(i, n)})
				r.Records(resource(fmt.Sprint(n % 20)))
			}
		})
	}
	writers.Wait()
	if recorder.Len() != 20 {
		t.Errorf("%d resources have records, want 20", recorder.Len())
	}
}

func BenchmarkRecord(b *testing.B) {
	r := flight.New(nil).Of("website")
	name := resource("a")
	b.ReportAllocs()
	for b.Loop() {
		r.Record(name, flight.Record{Kind: flight.Seen, Message: "primary"})
		r.Record(name, flight.Record{Kind: flight.Ended, Message: "ready"})
	}
}
