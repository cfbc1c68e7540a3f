package engine

import (
	"context"
	"sync/atomic"

	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// presence tells whether the Manager runs, also on a replica that is not the leader.
type presence struct{ started, stopping atomic.Bool }

var (
	_ manager.Runnable               = (*presence)(nil)
	_ manager.LeaderElectionRunnable = (*presence)(nil)
)

// NeedLeaderElection is false: a replica that waits for its turn is present as well.
func (p *presence) NeedLeaderElection() bool { return false }

// Start runs until ctx ends.
func (p *presence) Start(ctx context.Context) error {
	p.started.Store(true)
	<-ctx.Done()
	p.stopping.Store(true)
	return nil
}
