package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
)

// childKinds are what every Website gets one of, under its own name.
var childKinds = []schema.GroupVersionResource{deployments, services}

// arrival is a child that came to be.
type arrival struct {
	resource string
	name     string
	at       time.Time
}

// arrivals tells of the children that come to be.
type arrivals struct {
	seen chan arrival
	// done is closed when a watch has ended, by stop or by itself.
	done   <-chan struct{}
	cancel context.CancelFunc
}

// watchChildren begins to watch for children that come to be from now on. Only metadata is watched, for the bench is not to
// take the processors away from what it measures.
func (c *cluster) watchChildren(ctx context.Context) (*arrivals, error) {
	ctx, cancel := context.WithCancel(ctx)
	a := &arrivals{seen: make(chan arrival, 1024), done: ctx.Done(), cancel: cancel}
	for _, resource := range childKinds {
		if err := c.watchKind(ctx, resource, a); err != nil {
			cancel()
			return nil, fmt.Errorf("watch %s: %w", resource.Resource, err)
		}
	}
	return a, nil
}

func (c *cluster) watchKind(ctx context.Context, resource schema.GroupVersionResource, a *arrivals) error {
	client := c.metadata.Resource(resource).Namespace(namespace)
	list, err := client.List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return err
	}
	w, err := client.Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	if err != nil {
		return err
	}
	go func() {
		defer a.cancel()
		for event := range w.ResultChan() { // closed when ctx ends
			object, ok := event.Object.(*metav1.PartialObjectMetadata)
			if !ok || event.Type != watch.Added {
				continue
			}
			select {
			case a.seen <- arrival{resource: resource.Resource, name: object.Name, at: time.Now()}:
			case <-ctx.Done():
				return
			}
		}
	}()
	return nil
}

// stop ends the watches.
func (a *arrivals) stop() { a.cancel() }

// await returns when all children of a number of Websites have come. It tells by the name of the Website when the last one did.
func (a *arrivals) await(ctx context.Context, number int) (map[string]time.Time, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	type key struct{ resource, name string }
	want := number * len(childKinds)
	seen := make(map[key]bool, want)
	last := make(map[string]time.Time, number)
	for len(seen) < want {
		one, err := a.next(ctx)
		if err != nil {
			return nil, fmt.Errorf("%d of %d children have come: %w", len(seen), want, err)
		}
		seen[key{one.resource, one.name}] = true
		if one.at.After(last[one.name]) {
			last[one.name] = one.at
		}
	}
	return last, nil
}

// next waits for the next child.
func (a *arrivals) next(ctx context.Context) (arrival, error) {
	select {
	case one := <-a.seen:
		return one, nil
	case <-ctx.Done():
		return arrival{}, context.Cause(ctx)
	case <-a.done:
		return arrival{}, errors.New("the watch of the children ended")
	}
}
