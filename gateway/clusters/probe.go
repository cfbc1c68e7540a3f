package clusters

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

const (
	// every is how often each cluster is looked at.
	every = 30 * time.Second
	// patience is how long that may take.
	patience = 5 * time.Second
)

var (
	_ manager.Runnable               = (*Clusters)(nil)
	_ manager.LeaderElectionRunnable = (*Clusters)(nil)
)

// NeedLeaderElection is false: each replica reaches the clusters itself.
func (*Clusters) NeedLeaderElection() bool { return false }

// Start looks at all clusters from time to time, and tells of each that comes or goes, until the context ends.
func (c *Clusters) Start(ctx context.Context) error {
	failing := map[string]string{}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		c.look(ctx, failing)
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// look tries each cluster once.
func (c *Clusters) look(ctx context.Context, failing map[string]string) {
	names := c.Names()
	errs := make([]error, len(names))
	var all sync.WaitGroup
	for i, name := range names {
		all.Go(func() { errs[i] = c.Try(ctx, name) })
	}
	all.Wait()
	if ctx.Err() != nil {
		return
	}
	log := logf.FromContext(ctx)
	for i, name := range names {
		why := ""
		if errs[i] != nil {
			why = errs[i].Error()
		}
		if before, known := failing[name]; why != before || !known && why == "" {
			switch {
			case why != "":
				log.Error(errs[i], "a cluster cannot be reached", "cluster", name, "endpoint", c.all[name].declared.Endpoint)
			case known:
				log.Info("a cluster can be reached again", "cluster", name)
			default:
				log.Info("a cluster can be reached", "cluster", name)
			}
		}
		failing[name] = why
		c.opts.Reachable(name, why == "")
	}
}

// namespaceKind is of what every cluster has, and what the probe asks for by a name that nothing has.
var namespaceKind = schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}

// Try tells whether a cluster answers and takes the credential. It may well refuse what is asked: that is an answer.
func (c *Clusters) Try(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	remote, err := c.Client(ctx, name)
	if err != nil {
		return err
	}
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(namespaceKind)
	err = remote.Get(ctx, client.ObjectKey{Name: "orkestra-probe"}, object)
	if told, answered := errors.AsType[*apierrors.StatusError](err); answered && told.ErrStatus.Code < http.StatusInternalServerError && !apierrors.IsUnauthorized(err) {
		return nil
	}
	return err //nolint:wrapcheck // names the server
}
