package server

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/orkestra-runtime/orkestra/gateway/metrics"
	"github.com/orkestra-runtime/orkestra/gateway/registration"
)

// housekeeper keeps the certificate and all registrations right: at once when something of it changes, and now and then although nothing did.
type housekeeper struct {
	// certify keeps the certificate, and tells when it wants to be asked again.
	certify func(context.Context) (again time.Duration, err error)
	keeper  *registration.Keeper
	// current is the state that is served.
	current func() *state
	// serving tells whether the webhooks answer. Before that nothing is registered: the API server would ask in vain.
	serving func() error
	// protect keeps the label on the gateway's namespace.
	protect func(context.Context) error
	// leaving is what goes with the gateway.
	leaving *leaving
	// followed is the state whose watches run, and end ends them. Nil: none do.
	followed *state
	end      func()

	trigger chan struct{}
	// source is what had the round begin that is gone now.
	source string
	// told is what was said last of tokens that are not as they should be.
	told string
}

var (
	_ manager.Runnable               = (*housekeeper)(nil)
	_ manager.LeaderElectionRunnable = (*housekeeper)(nil)
)

// firstLimit is how long the first round may fail before the gateway ends with the error, retry how long a round that failed waits, unreadAgain how long it is until
// tokens are read again that could not be, and lastLimit how long it may take to take something away in the end.
const (
	firstLimit  = time.Minute
	lastLimit   = time.Minute
	retry       = time.Second
	unreadAgain = 10 * time.Second
)

// NeedLeaderElection is false: every replica serves.
func (h *housekeeper) NeedLeaderElection() bool { return false }

// wake has the next round begin now. Many of them are one.
func (h *housekeeper) wake() {
	select {
	case h.trigger <- struct{}{}:
	default:
	}
}

// Start goes its rounds until ctx ends. That the first one fails for too long is an error, which ends the manager.
func (h *housekeeper) Start(ctx context.Context) error {
	log := logf.FromContext(ctx).WithName("housekeeper")
	ctx = logf.IntoContext(ctx, log)
	err := h.rounds(ctx, log)
	h.end()
	if ctx.Err() != nil {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastLimit)
		defer cancel()
		h.leaving.configurations = h.current().leaves
		h.leaving.leave(last)
	}
	return err
}

// follow has what goes on beside the requests be that of the state that is served.
func (h *housekeeper) follow(ctx context.Context) (*state, error) {
	now := h.current()
	if now == h.followed {
		return now, nil
	}
	h.end()
	ctx, cancel := context.WithCancel(ctx)
	wait, err := now.start(ctx, h.wake)
	h.followed, h.end = now, func() {
		cancel()
		wait()
	}
	return now, err
}

// rounds goes one round after the other.
func (h *housekeeper) rounds(ctx context.Context, log logr.Logger) error {
	first, began := true, time.Now()
	h.source = metrics.SourceStart
	for {
		again, unread, err := h.round(ctx)
		if unread != nil && unread.Error() != h.told && ctx.Err() == nil {
			log.Error(unread, "some tokens are not as they should be; all others are, and these are tried again")
		}
		h.told = ""
		if unread != nil {
			h.told, again = unread.Error(), min(again, unreadAgain)
		}
		switch {
		case ctx.Err() != nil:
			return nil //nolint:nilerr // it was told to end
		case err != nil && first && time.Since(began) > firstLimit:
			return fmt.Errorf("set up the gateway: %w", err)
		case err != nil:
			log.Error(err, "a round failed and is tried again")
			again = retry
		default:
			first = false
		}
		timer := time.NewTimer(again)
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil
		case <-timer.C:
			h.source = metrics.SourceTick
		case <-h.trigger:
			timer.Stop()
			h.source = metrics.SourceChange
		}
		if first {
			h.source = metrics.SourceStart
		}
	}
}

// round looks at everything once. Unread is what is wrong with tokens, which holds nothing else up: webhooks need none.
func (h *housekeeper) round(ctx context.Context) (again time.Duration, unread, err error) {
	now, err := h.follow(ctx)
	if err != nil {
		return 0, nil, err
	}
	again, err = h.certify(ctx)
	if err != nil {
		return 0, nil, fmt.Errorf("keep the certificate: %w", err)
	}
	if now.tokens != nil {
		next, err := now.tokens.refresh(ctx)
		again, unread = min(again, max(next, retry)), err
	}
	if err := h.serving(); err != nil {
		return retry / 10, unread, nil // it comes up
	}
	return again, unread, errors.Join(h.protect(ctx), h.keeper.Keep(ctx), h.keeper.KeepDefinitions(ctx, now.definitions()))
}
