package main

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// creators is how many Websites are created at once, whatever the operator.
const creators = 10

// What every Website asks for.
const (
	websiteImage    = "registry.example.com/web:1.2"
	websiteReplicas = 2
	websitePort     = 8080
)

// postWebsite is the kind of request that the bench itself makes while it measures.
var postWebsite = request{verb: "POST", group: websites.Group, resource: websites.Resource}

func websiteName(i int) string { return fmt.Sprintf("site-%05d", i) }

// createWebsites creates n Websites and returns, by name, when the request for each was sent.
func (c *cluster) createWebsites(ctx context.Context, n int) (map[string]time.Time, error) {
	sent := make([]time.Time, n)
	var next atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	for range creators {
		group.Go(func() error {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				sent[i] = time.Now()
				if _, err := c.objects.Resource(websites).Namespace(namespace).Create(ctx, website(i), metav1.CreateOptions{}); err != nil {
					return fmt.Errorf("create Website %s: %w", websiteName(i), err)
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	byName := make(map[string]time.Time, n)
	for i, at := range sent {
		byName[websiteName(i)] = at
	}
	return byName, nil
}

func website(i int) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": websites.GroupVersion().String(),
		"kind":       "Website",
		"metadata":   map[string]any{"name": websiteName(i)},
		"spec":       map[string]any{"image": websiteImage, "replicas": int64(websiteReplicas), "port": int64(websitePort)},
	}}
}

// removeAll deletes all Websites, their children and Events, and waits until none is left. No operator may run: it would make
// the children anew.
func (c *cluster) removeAll(ctx context.Context) error {
	resources := append([]schema.GroupVersionResource{events}, resources...)
	for _, resource := range resources {
		err := c.objects.Resource(resource).Namespace(namespace).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})
		if err != nil {
			return fmt.Errorf("delete all %s: %w", resource.Resource, err)
		}
	}
	for _, resource := range resources {
		err := poll(ctx, resource.Resource+" are left, maybe by a finalizer", func(ctx context.Context) (bool, error) {
			left, err := c.metadata.Resource(resource).Namespace(namespace).List(ctx, metav1.ListOptions{Limit: 1})
			return err == nil && len(left.Items) == 0, err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
