package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/orkestra-runtime/orkestra/internal/command"
)

// leadership is how replicas agree on which one works.
type leadership struct {
	elect               bool
	lease, renew, retry time.Duration
}

func (l *leadership) add(cmd *cobra.Command, env *command.Environment) {
	flags := cmd.Flags()
	flags.BoolVar(&l.elect, "leader-elect", command.InCluster(), "let one of several replicas do the work")
	flags.DurationVar(&l.lease, "lease-duration", env.Duration("LEASE_DURATION", 15*time.Second), "how long the others wait for a leader that says nothing")
	flags.DurationVar(&l.renew, "renew-deadline", env.Duration("RENEW_DEADLINE", 10*time.Second), "how long a leader tries to renew its lease before it gives up")
	flags.DurationVar(&l.retry, "retry-period", env.Duration("RETRY_PERIOD", 2*time.Second), "how often a replica tries to get or renew the lease")
}

func (l *leadership) check() error {
	switch {
	case l.retry <= 0:
		return command.Usage(fmt.Errorf("--retry-period must be positive, is %s", l.retry))
	case l.renew >= l.lease:
		return command.Usage(fmt.Errorf("--renew-deadline must be shorter than --lease-duration, %s is not shorter than %s: a leader has to give up before another one begins", l.renew, l.lease))
	// The factor is the one by which client-go spreads its attempts.
	case l.renew <= l.retry*6/5:
		return command.Usage(fmt.Errorf("--renew-deadline must be longer than 1.2 times --retry-period, %s is not longer than 1.2 times %s", l.renew, l.retry))
	}
	return nil
}

// options adds them to those of a Manager that keeps its Lease in a namespace.
func (l *leadership) options(opts *ctrl.Options, namespace string) {
	opts.LeaderElection = l.elect
	opts.LeaderElectionID = "orkestra-konductor"
	opts.LeaderElectionNamespace = namespace
	opts.LeaderElectionReleaseOnCancel = true
	opts.LeaseDuration, opts.RenewDeadline, opts.RetryPeriod = &l.lease, &l.renew, &l.retry
}
