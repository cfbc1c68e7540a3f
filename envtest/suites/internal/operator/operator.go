package operator

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/config"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/requests"
	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/series"
	"github.com/orkestra-runtime/orkestra/runtime/engine"
)

// Operator is an engine that runs one Katalog of one CRD.
type Operator struct {
	requests.Recorder
	engine *engine.Engine
	cancel context.CancelFunc
	done   chan error
	before float64
}

// Start starts an engine, which goes on until Stop, and waits until it runs or the context ends. What it has to remember, it keeps in
// the namespace.
func Start(ctx context.Context, cfg *rest.Config, katalog *orkv1.Katalog, namespace string) (*Operator, error) {
	return StartWith(ctx, cfg, engine.Options{Katalogs: []*orkv1.Katalog{katalog}, Namespace: namespace})
}

// StartWith starts an engine with options, as Start does.
func StartWith(ctx context.Context, cfg *rest.Config, opts engine.Options) (*Operator, error) {
	o := &Operator{done: make(chan error, 1)}
	cfg = rest.CopyConfig(cfg)
	cfg.Wrap(o.Wrap)
	mgr, err := ctrl.NewManager(cfg, ctrl.Options{
		Metrics: metricsserver.Options{BindAddress: "0"}, Controller: config.Controller{SkipNameValidation: new(true)},
	})
	if err != nil {
		return nil, fmt.Errorf("make a manager: %w", err)
	}
	o.engine, err = engine.New(mgr, opts)
	if err != nil {
		return nil, fmt.Errorf("make an engine: %w", err)
	}
	o.before = o.total()
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	o.cancel = cancel
	go func() { o.done <- mgr.Start(running) }()
	for !o.engine.States()[0].Running {
		if err := pause(ctx); err != nil {
			return nil, errors.Join(fmt.Errorf("the engine does not run: %w", err), o.Stop())
		}
	}
	err = o.Settle(ctx)
	return o, err
}

// Engine is what runs.
func (o *Operator) Engine() *engine.Engine { return o.engine }

// Stop ends the engine. It is called once.
func (o *Operator) Stop() error {
	o.cancel()
	return <-o.done
}

// State is what the entry does now.
func (o *Operator) State() engine.State { return o.engine.States()[0] }

// Cycles is how many cycles the engine has run.
func (o *Operator) Cycles() int { return int(o.total() - o.before) }

// total is how many cycles there were, by the metrics, which all engines of the process share.
func (o *Operator) total() float64 {
	return series.Sum("controller_reconcile_total", map[string]string{"crd": o.State().Name})
}

// atRest is how long an engine at rest has run no cycle and asked nothing.
const atRest = 250 * time.Millisecond

// Settle waits until the engine is at rest: nothing is queued, and for a while no cycle has run and nothing was asked of the server.
func (o *Operator) Settle(ctx context.Context) error {
	type progress struct{ cycles, requests int }
	last, since := progress{-1, -1}, time.Now()
	for time.Since(since) < atRest {
		if now := (progress{o.Cycles(), len(o.Seen())}); now != last || o.engine.States()[0].Busy > 0 {
			last, since = now, time.Now()
		}
		if err := pause(ctx); err != nil {
			return fmt.Errorf("the engine does not come to rest: %w", err)
		}
	}
	return nil
}

// AwaitCycle waits until more cycles than these have run, and then until the engine is at rest.
func (o *Operator) AwaitCycle(ctx context.Context, cycles int) error {
	for o.Cycles() <= cycles {
		if err := pause(ctx); err != nil {
			return fmt.Errorf("no cycle is run: %w", err)
		}
	}
	return o.Settle(ctx)
}

func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(20 * time.Millisecond):
		return nil
	}
}
