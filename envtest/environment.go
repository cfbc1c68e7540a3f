package envtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"k8s.io/client-go/rest"
)

// Environment is a running control plane. Its methods may be called from several goroutines.
//
// Its processes end with the process that started it, whatever way that one ends; on systems other than Linux only by Stop.
type Environment struct {
	opts        Options
	folder      *folder
	socket      *os.File // holds port
	port        int
	credentials *credentials
	config      *rest.Config
	launcher    *launcher

	// turn is held, by the one value in it, by whoever starts or stops processes. It guards the fields below.
	turn        chan struct{}
	etcd        *process
	apiServer   *process
	controllers []*process
	stopped     bool
	stopErr     error
}

// Start starts a control plane and returns when it is ready: the API server answers /readyz with ok, the CRDs are served
// and, with Controllers, pods in the default namespace can be scheduled. Processes that Start began are stopped again when
// it fails, and the error carries the last lines of the log of the process that failed. A Dir that another live environment
// uses is refused. The context bounds the start and not the life of the environment, which Stop ends.
func Start(ctx context.Context, opts Options) (*Environment, error) {
	opts = opts.withDefaults()
	if err := opts.validate(); err != nil {
		return nil, fmt.Errorf("start a control plane: %w", err)
	}
	e := &Environment{opts: opts, turn: make(chan struct{}, 1)}
	if err := e.start(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("start a control plane: %w", err), e.Stop())
	}
	return e, nil
}

// Config returns a configuration for an administrator, whose requests the client does not limit. The caller may change it.
func (e *Environment) Config() *rest.Config { return rest.CopyConfig(e.config) }

// Kubeconfig returns the path of a kubeconfig file for an administrator. It refers to no other file, so a copy of it is
// valid as long as the environment runs, and with a Dir of one's own also after the next start.
func (e *Environment) Kubeconfig() string { return e.folder.join("kubeconfig") }

// AddUser returns a configuration for a user with that name and those groups. The API server knows the user by its
// certificate; it may do what RBAC allows it, which is next to nothing until a role is bound to it.
func (e *Environment) AddUser(name string, groups ...string) (*rest.Config, error) {
	if name == "" {
		return nil, errors.New("add a user: the name is empty")
	}
	cfg, err := e.credentials.config(name, groups...)
	if err != nil {
		return nil, fmt.Errorf("add the user %s: %w", name, err)
	}
	return cfg, nil
}

// RestartAPIServer stops the API server, waits for its end and starts it again with the same port, keys and data, and
// returns when it is ready. Watches break and clients that retry find it again.
func (e *Environment) RestartAPIServer(ctx context.Context) error {
	select {
	case e.turn <- struct{}{}:
		defer func() { <-e.turn }()
	case <-ctx.Done():
		return fmt.Errorf("restart the API server: %w", context.Cause(ctx))
	}
	if e.stopped {
		return errors.New("restart the API server: the environment is stopped; start another one")
	}
	ctx, cancel := context.WithTimeout(ctx, e.opts.StartTimeout)
	defer cancel()
	e.apiServer.stop(true)
	restarted, err := e.apiServer.start(e.launcher, e.folder.lock, e.opts.Log)
	if err != nil {
		return fmt.Errorf("restart the API server: %w", err)
	}
	e.apiServer = restarted
	if err := e.awaitAPIServer(ctx); err != nil {
		return fmt.Errorf("restart the API server: %w", err)
	}
	return nil
}

// Stop ends all processes, waits for each of them and removes a temporary folder. The order is kwok, scheduler, controller
// manager, API server, etcd, so that none loses what it depends on. The API server and etcd of a folder that is kept are
// given 20s to end by themselves; all others are killed, since none has anything to save. A second call does nothing and
// returns what the first one did.
func (e *Environment) Stop() error {
	e.turn <- struct{}{}
	defer func() { <-e.turn }()
	if e.stopped {
		return e.stopErr
	}
	e.stopped = true

	for _, p := range slices.Backward(e.controllers) {
		p.stop(false)
	}
	for _, p := range []*process{e.apiServer, e.etcd} {
		if p != nil {
			p.stop(!e.folder.temporary)
		}
	}
	if e.launcher != nil {
		e.launcher.close()
	}
	var errs []error
	if e.socket != nil {
		errs = append(errs, e.socket.Close())
	}
	if e.folder != nil {
		errs = append(errs, e.folder.close())
	}
	if err := errors.Join(errs...); err != nil {
		e.stopErr = fmt.Errorf("stop the control plane: %w", err)
	}
	return e.stopErr
}

// start fills in the environment as it goes, so that Stop can undo what was done when it fails.
func (e *Environment) start(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, e.opts.StartTimeout)
	defer cancel()
	begin := time.Now()

	crds, err := e.prepare(ctx)
	if err != nil {
		return err
	}
	e.opts.Log.Info("control plane starts", "dir", e.folder.path, "assets", e.opts.Assets)
	if err := e.startServers(ctx); err != nil {
		return err
	}
	e.opts.Log.Info("API server ready", "host", e.config.Host, "after", time.Since(begin).String())

	if e.opts.Controllers {
		if err := e.startControllers(ctx); err != nil {
			return err
		}
	}
	if err := InstallCRDs(ctx, e.config, crds...); err != nil {
		return err
	}
	if e.opts.Controllers {
		if err := e.awaitControllers(ctx); err != nil {
			return err
		}
	}
	e.opts.Log.Info("control plane ready", "kubeconfig", e.Kubeconfig(), "after", time.Since(begin).String())
	return nil
}
