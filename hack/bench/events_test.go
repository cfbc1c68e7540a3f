package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	eventsv1 "k8s.io/api/events/v1"
)

func TestRepairRequests(t *testing.T) {
	got := repairRequests([]eventsv1.Event{
		{ReportingController: "ipallocator-repair-controller"},
		{ReportingController: "portallocator-repair-controller", Series: &eventsv1.EventSeries{Count: 5}},
		{ReportingController: "orkestra"},
	})
	want := counts{
		{verb: "POST", group: "events.k8s.io", resource: "events"}:  2,
		{verb: "PATCH", group: "events.k8s.io", resource: "events"}: 1,
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(request{})); diff != "" {
		t.Errorf("an operator's own Events stay its own: -want, +got:\n%s", diff)
	}
}
