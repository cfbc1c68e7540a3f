package kordinator

import (
	"strings"

	"github.com/orkestra-runtime/orkestra/runtime/flight"
	"github.com/orkestra-runtime/orkestra/runtime/work"
)

// ended notes which gates were closed in a cycle, what it did outside of the cluster, and how it ended. Writes were noted before.
func (k *Kordinator) ended(w work.Work, outcome work.Outcome, err error) {
	if len(outcome.Closed) > 0 {
		k.Flight.Record(w.Item.NamespacedName, flight.Record{Kind: flight.Step, Message: "closed gates: " + strings.Join(outcome.Closed, "; ")})
	}
	for _, step := range outcome.Steps {
		k.Flight.Record(w.Item.NamespacedName, flight.Record{Kind: flight.Step, Message: step})
	}
	message := "ready"
	switch {
	case err != nil:
		message = "failed: " + err.Error()
	case w.Object == nil:
		message = "gone, nothing is left to do"
	case outcome.Denied:
		message = "denied by a rule"
	case outcome.Waiting != "":
		message = "waits: " + outcome.Waiting
	case outcome.NotReady:
		message = "not ready"
	}
	if outcome.RolledBack {
		message += ", operated by an earlier spec"
	}
	k.Flight.Record(w.Item.NamespacedName, flight.Record{Kind: flight.Ended, Message: message, EventID: w.Item.EventID})
}
