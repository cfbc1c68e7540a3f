package observe_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orkestra-runtime/orkestra/runtime/flight"
	"github.com/orkestra-runtime/orkestra/runtime/observe"
	"github.com/orkestra-runtime/orkestra/runtime/queue"
)

// Whatever becomes of an event, the flight recorder has it, with what was true and what stood in its way.
func TestFlight(t *testing.T) {
	const gated = `operatorBox: {preReconcile: {sentinels: [generationChanged, labelsChanged], enqueueGate: {when: [{field: spec.active, equals: "true"}]}},
  reconciler: {queue: {maxDepth: 1, behaviour: {onLimit: {drop: true}}}}}`
	on, off := field(true, "spec", "active"), field(false, "spec", "active")
	w := newWay(t, gated, object("1", on))
	w.Flight = flight.New(nil).Of("widget")
	w.Offer(changed(nil, object("1", on)))
	w.Offer(observe.Occurrence{Resource: one, Source: queue.SourceChild, Child: object("7", ownedBy("Widget.example.com/default/one"))})
	w.Offer(changed(object("1", on), object("2", off, generation(2))))
	w.Offer(changed(object("2", off), object("3", off, going)))
	w.Offer(changed(object("3", off, going), nil))
	var got []string
	for _, record := range w.Flight.Records(one) {
		got = append(got, fmt.Sprint(record.Kind, ": ", record.Message, " ", record.Sentinels))
	}
	want := []string{
		"event: created [generationChanged labelsChanged]",
		"event: child Part one []",
		`dropped: changed: enqueue gate closed: when: "spec.active" = "false", want "true" [generationChanged]`,
		"event: deletion []",
		"event: gone []",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("records: -want, +got:\n%s", diff)
	}
}
