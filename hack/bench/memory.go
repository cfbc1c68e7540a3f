//nolint:tagliatelle // bench.json has names that are read elsewhere
package main

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// memory is what many children cost us. MB are 2^20 bytes, KB 2^10.
type memory struct {
	Websites int `json:"websites"`
	Children int `json:"children"`
	// StartRSSMB is the peak before the first Website was there, PeakRSSMB the one when all children were and it was quiet.
	StartRSSMB float64 `json:"start_rss_mb"`
	PeakRSSMB  float64 `json:"peak_rss_mb"`
	// KBPerChild is the difference, the Websites' own share included, by child.
	KBPerChild float64 `json:"kb_per_child"`
}

// manyKinds are the resources of which each Website of the Katalog of many children has manyOfKind.
var manyKinds = []schema.GroupVersionResource{
	{Version: "v1", Resource: "serviceaccounts"},
	{Version: "v1", Resource: "configmaps"},
	{Version: "v1", Resource: "secrets"},
	services, deployments,
}

const manyOfKind = 4

// measureMemory runs the operator with n Websites of many children. It leaves them behind: it is the last thing that is done.
func (b *bench) measureMemory(ctx context.Context, op operator, n int) (*memory, error) {
	var before, after usage
	err := b.running(ctx, op, func(ctx context.Context, p *process) (err error) {
		if before, err = p.usage(); err != nil {
			return err
		}
		if _, err := b.createWebsites(ctx, n); err != nil {
			return err
		}
		for _, resource := range manyKinds {
			if err := b.awaitCount(ctx, resource, n*manyOfKind); err != nil {
				return err
			}
		}
		if _, err := b.awaitQuiet(ctx); err != nil {
			return err
		}
		after, err = p.usage()
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("measure the memory of %d Websites with many children: %w", n, err)
	}
	return memoryOf(n, before, after), nil
}

func memoryOf(n int, before, after usage) *memory {
	children := n * manyOfKind * len(manyKinds)
	return &memory{
		Websites: n, Children: children,
		StartRSSMB: round(float64(before.peakRSS) / (1 << 20)),
		PeakRSSMB:  round(float64(after.peakRSS) / (1 << 20)),
		KBPerChild: round(float64(after.peakRSS-before.peakRSS) / (1 << 10) / float64(children)),
	}
}

func (m *memory) String() string {
	return fmt.Sprintf("%d Websites with %d children: %.0f MB, %.0f MB before the first; %.1f KB for each child",
		m.Websites, m.Children, m.PeakRSSMB, m.StartRSSMB, m.KBPerChild)
}

// awaitCount waits until there are so many of our children.
func (c *cluster) awaitCount(ctx context.Context, resource schema.GroupVersionResource, want int) error {
	return poll(ctx, "children are missing: "+resource.Resource, func(ctx context.Context) (bool, error) {
		// Without a selector the server tells with the first object how many follow, and sends no more.
		list, err := c.metadata.Resource(resource).Namespace(namespace).List(ctx, metav1.ListOptions{Limit: 1})
		if err != nil {
			return false, fmt.Errorf("count %s: %w", resource.Resource, err)
		}
		there := len(list.Items)
		if more := list.GetRemainingItemCount(); more != nil {
			there += int(*more)
		}
		return there >= want, nil
	})
}
