package main

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
)

// namespace holds everything that is measured.
const namespace = "bench"

// The resources of the work.
var (
	websites    = schema.GroupVersionResource{Group: "web.example.com", Version: "v1", Resource: "websites"}
	deployments = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	services    = schema.GroupVersionResource{Version: "v1", Resource: "services"}
	events      = schema.GroupVersionResource{Group: "events.k8s.io", Version: "v1", Resource: "events"}

	// resources are what every operator watches.
	resources = []schema.GroupVersionResource{websites, deployments, services}
)

const (
	// pollInterval is how often the API server is asked for its metrics while the bench waits for something.
	pollInterval = 500 * time.Millisecond
	// quietTime without a request is the end of a piece of work.
	quietTime = 3 * time.Second
	// patience is how long one step may take before the run fails.
	patience = 5 * time.Minute
)

// cluster is the bench's own access to the control plane.
type cluster struct {
	clients  kubernetes.Interface
	objects  dynamic.Interface
	metadata metadata.Interface
}

// connect makes the clients and the namespace.
func connect(ctx context.Context, config *rest.Config) (*cluster, error) {
	c := &cluster{}
	var err error
	if c.clients, err = kubernetes.NewForConfig(config); err != nil {
		return nil, fmt.Errorf("connect to the control plane: %w", err)
	}
	if c.objects, err = dynamic.NewForConfig(config); err != nil {
		return nil, fmt.Errorf("connect to the control plane: %w", err)
	}
	if c.metadata, err = metadata.NewForConfig(config); err != nil {
		return nil, fmt.Errorf("connect to the control plane: %w", err)
	}
	_, err = c.clients.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("create the namespace: %w", err)
	}
	return c, nil
}

// snapshot reads the API server's metrics.
func (c *cluster) snapshot(ctx context.Context) (snapshot, error) {
	metrics, err := c.clients.Discovery().RESTClient().Get().AbsPath("/metrics").DoRaw(ctx)
	if err != nil {
		return snapshot{}, fmt.Errorf("get the API server's metrics: %w", err)
	}
	return parseSnapshot(metrics)
}

// awaitWatches waits until somebody has more watches of Websites and of both children open than before.
func (c *cluster) awaitWatches(ctx context.Context, before snapshot) error {
	return poll(ctx, "the operator does not watch", func(ctx context.Context) (bool, error) {
		now, err := c.snapshot(ctx)
		if err != nil {
			return false, err
		}
		for _, resource := range resources {
			if now.watches[resource.Resource] <= before.watches[resource.Resource] {
				return false, nil
			}
		}
		return true, nil
	})
}

// awaitQuiet waits until no object was read or written for quietTime and returns what the metrics say then.
func (c *cluster) awaitQuiet(ctx context.Context) (snapshot, error) {
	last, err := c.snapshot(ctx)
	if err != nil {
		return snapshot{}, err
	}
	since := time.Now()
	err = poll(ctx, "requests do not cease", func(ctx context.Context) (bool, error) {
		now, err := c.snapshot(ctx)
		if err != nil {
			return false, err
		}
		if now.since(last).of(read, write, own).total() > 0 {
			last, since = now, time.Now()
		}
		return time.Since(since) >= quietTime, nil
	})
	return last, err
}

// poll asks until done answers true, for as long as patience.
func poll(ctx context.Context, otherwise string, done wait.ConditionWithContextFunc) error {
	if err := wait.PollUntilContextTimeout(ctx, pollInterval, patience, false, done); err != nil {
		return fmt.Errorf("%s: %w", otherwise, err)
	}
	return nil
}
