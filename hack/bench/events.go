package main

import (
	"context"
	"fmt"
	"strings"

	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// repairController ends the names of those parts of the API server that check the addresses and ports of Services. They send
// Events of what they find in a hurry of new Services, a few in a thousand, whoever made these.
const repairController = "-repair-controller"

// repairEvents returns the requests by which the API server made the Events that there are about Services.
func (c *cluster) repairEvents(ctx context.Context) (counts, error) {
	list, err := c.clients.EventsV1().Events(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list Events: %w", err)
	}
	return repairRequests(list.Items), nil
}

// repairRequests returns the requests that it took to make the API server's own ones among the Events: one to create each, and
// one to make a series of it.
func repairRequests(all []eventsv1.Event) counts {
	requests := counts{}
	for _, event := range all {
		if !strings.HasSuffix(event.ReportingController, repairController) {
			continue
		}
		requests[request{verb: "POST", group: events.Group, resource: events.Resource}]++
		if event.Series != nil {
			requests[request{verb: "PATCH", group: events.Group, resource: events.Resource}]++
		}
	}
	return requests
}
