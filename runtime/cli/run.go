package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	"github.com/orkestra-runtime/orkestra/controllers/builtin"
	"github.com/orkestra-runtime/orkestra/internal/command"
	"github.com/orkestra-runtime/orkestra/internal/reload"
	"github.com/orkestra-runtime/orkestra/runtime/engine"
	"github.com/orkestra-runtime/orkestra/runtime/katalogs"
	"github.com/orkestra-runtime/orkestra/runtime/metrics"
)

// runFlags are what run is told.
type runFlags struct {
	files []string
	command.Cluster
	namespace    string
	metrics      string
	probes       string
	tokenFile    string
	leadership   leadership
	external     command.External
	git          gitFlags
	builders     builderFlags
	drain        time.Duration
	objects      bool
	embedded     bool
	dataDir      string
	untilSettled time.Duration
	log          command.Logging
	environment  command.Environment
}

func runCommand(opts Options) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run -f KATALOG",
		Short: "Runs the controllers that Katalogs declare, until it is interrupted",
		Long: `Runs the controllers that Katalogs declare, until it is interrupted.

Outside a cluster it first applies what the Katalogs name in crdFile, setup and crFiles. Files that change are read anew; in a cluster,
Katalog objects of the operator's namespace run as well.`,
		Args: command.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(f.files) == 0 {
				f.files = filepath.SplitList(os.Getenv("KATALOG_PATH"))
			}
			return run(cmd, opts, f)
		},
	}
	command.FilesFlag(cmd, &f.files)
	flags := cmd.Flags()
	f.Add(cmd)
	flags.StringVar(&f.namespace, "namespace", command.DefaultNamespace(), "where the operator keeps its own state")
	flags.StringVar(&f.metrics, "metrics-bind-address", ":"+command.Port(), "address of the metrics and the live API, 0 for none")
	flags.StringVar(&f.tokenFile, "api-token-file", "", "file with the bearer token that the live API asks for; default: ORK_API_TOKEN, else none")
	flags.StringVar(&f.probes, "health-probe-bind-address", ":8081", "address of /healthz and /readyz, 0 for none")
	f.leadership.add(cmd, &f.environment)
	f.external.Add(cmd)
	if opts.Checkouts != nil {
		f.git.add(cmd)
	}
	f.builders.add(cmd, &f.environment)
	flags.BoolVar(&f.objects, "katalog-objects", command.InCluster(), "run the Katalog objects of the operator's namespace")
	flags.DurationVar(&f.drain, "shutdown-timeout", f.environment.Duration("SHUTDOWN_TIMEOUT", 20*time.Second), "how long cycles that have begun may go on after an interrupt")
	flags.DurationVar(&f.untilSettled, "until-settled", 0, "end when every resource is ready and nothing is queued, or fail after this time")
	flags.Lookup("until-settled").NoOptDefVal = "30s"
	if opts.StartControlPlane != nil {
		flags.BoolVar(&f.embedded, "embedded", false, "start a local control plane first and stop it at the end")
		flags.StringVar(&f.dataDir, "data-dir", "", "with --embedded, keep the control plane's state in this folder")
	}
	f.log.Add(cmd)
	return cmd
}

func (f *runFlags) check(opts Options) error {
	switch {
	case f.dataDir != "" && !f.embedded:
		return command.Usage(errors.New("--data-dir goes with --embedded"))
	case f.embedded && (f.Kubeconfig != "" || f.Context != ""):
		return command.Usage(errors.New("--embedded brings its own cluster: it excludes --kubeconfig and --context"))
	case f.drain < 0:
		return command.Usage(errors.New("--shutdown-timeout must not be negative"))
	case f.untilSettled < 0:
		return command.Usage(errors.New("--until-settled must be a positive duration"))
	case len(f.files) == 0 && !f.objects:
		return command.Usage(errors.New("no Katalog: name one with -f or in KATALOG_PATH"))
	}
	if err := f.environment.Err(); err != nil {
		return err
	}
	if err := command.CheckPort(); err != nil {
		return err
	}
	if _, err := f.external.Registry(opts.External); err != nil {
		return command.Usage(err)
	}
	if opts.Checkouts != nil {
		if _, err := f.git.options(nil); err != nil {
			return command.Usage(err)
		}
	}
	if _, err := f.registries(); err != nil {
		return command.Usage(err)
	}
	if err := f.builders.check(); err != nil {
		return command.Usage(err)
	}
	return f.leadership.check()
}

func run(cmd *cobra.Command, opts Options, f runFlags) (err error) {
	ctx := cmd.Context()
	if err := f.check(opts); err != nil {
		return err
	}
	ctx, err = f.log.Begin(ctx, opts.Err)
	if err != nil {
		return err //nolint:wrapcheck // names the flag
	}

	var again func() io.Reader
	opts.In, again = command.Remember(opts.In, f.files)
	l, err := f.load(ctx, cmd, opts)
	if err != nil {
		return err
	}
	watcher := reload.New(l.sources)

	config, stop, err := f.connect(ctx, cmd, opts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	return f.operate(ctx, cmd, opts, l, config, &reloader{opts: opts, in: again, files: f.files, watcher: watcher, sources: l.sources})
}

// load reads the files, if there are any: Katalog objects may be all there is.
func (f *runFlags) load(ctx context.Context, cmd *cobra.Command, opts Options) (*loaded, error) {
	if len(f.files) == 0 {
		return &loaded{}, nil
	}
	l, err := loadInterruptibly(ctx, opts, f.files, toRun())
	if l != nil {
		command.PrintWarnings(cmd, l.warnings)
	}
	if findings, wrong := errors.AsType[katalog.Findings](err); wrong {
		return nil, command.PrintFindings(cmd, findings)
	}
	return l, err
}

// connect connects to the cluster, or starts one. Stop ends what was started.
func (f *runFlags) connect(ctx context.Context, cmd *cobra.Command, opts Options) (config *rest.Config, stop func() error, err error) {
	nothing := func() error { return nil }
	if f.embedded {
		started, err := opts.StartControlPlane(ctx, f.dataDir, logf.FromContext(ctx))
		if err != nil {
			return nil, nil, fmt.Errorf("start the control plane: %w", err)
		}
		cmd.PrintErrln("control plane is up: export KUBECONFIG=" + started.Kubeconfig())
		return started.Config(), started.Stop, nil
	}
	config, err = f.Connect()
	return config, nothing, err //nolint:wrapcheck // says which cluster
}

// operate runs the engine until it is interrupted or, when asked for, until everything is settled.
func (f *runFlags) operate(ctx context.Context, cmd *cobra.Command, opts Options, l *loaded, config *rest.Config, r *reloader) (err error) {
	mgr, err := f.manager(ctx, config, opts.Scheme)
	if err != nil {
		return err
	}
	calls, err := f.external.Registry(opts.External)
	if err != nil {
		return err
	}
	checkouts, closeCheckouts, err := f.fetcher(opts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeCheckouts()) }()
	builders, err := f.builders.builders(opts.Builders)
	if err != nil {
		return err
	}
	registries, err := f.registries()
	if err != nil {
		return err
	}
	e, err := engine.New(mgr, engine.Options{
		Katalogs: l.katalogs(), Empty: f.objects, Namespace: f.namespace, Drain: cmp.Or(f.drain, -1),
		Hooks: opts.Hooks, Constructors: opts.Constructors, External: calls, Providers: opts.Providers, Checkouts: checkouts,
		Builders: builders, Builds: f.builders.Options, BuildRoot: f.builders.root, Registries: registries,
	})
	if err != nil {
		return err //nolint:wrapcheck // names the Katalog
	}
	r.documents = l.documents
	r.written.keep(l.documents)
	if err := f.serveLive(mgr, e, &r.written); err != nil {
		return err
	}
	if err := f.collect(mgr, e, l, r); err != nil {
		return err
	}
	dev := devMode{config: config, documents: l.documents}
	if !command.InCluster() {
		if err := dev.prepare(ctx); err != nil {
			return err
		}
	}
	r.dev = dev

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		defer cancel() // nothing is left to wait for when the Manager ends by itself
		ended <- mgr.Start(ctx)
	}()

	outcome := f.accompany(ctx, cmd, e, r)
	cancel()
	return errors.Join(outcome, <-ended)
}

// collect has Katalog objects run besides the files, and the files as they are at any time.
func (f *runFlags) collect(mgr manager.Manager, e *engine.Engine, l *loaded, r *reloader) (err error) {
	r.collection = katalogs.New(e, l.katalogs())
	if r.series, err = metrics.NewReloads(ctrlmetrics.Registry); err != nil {
		return err //nolint:wrapcheck // names the series
	}
	if !f.objects {
		return nil
	}
	registry, err := builtin.Registry()
	if err != nil {
		return err //nolint:wrapcheck // a mistake of the program
	}
	client, err := dynamic.NewForConfigAndClient(mgr.GetConfig(), mgr.GetHTTPClient())
	if err != nil {
		return fmt.Errorf("make a client for Katalog objects: %w", err)
	}
	if err := mgr.Add(katalogs.NewObjects(katalogs.ObjectsOptions{
		Collection: r.collection, Engine: e, Client: client, Namespace: f.namespace, Registry: registry, Taken: r.series.Objects,
	})); err != nil {
		return fmt.Errorf("add the Katalog objects to the manager: %w", err)
	}
	return nil
}

// accompany does what is left to do while the engine runs. An interrupt is no failure, unless it is for what was asked for.
func (f *runFlags) accompany(ctx context.Context, cmd *cobra.Command, e *engine.Engine, r *reloader) error {
	var applied []*unstructured.Unstructured
	if !command.InCluster() {
		var err error
		if applied, err = r.dev.applyResources(ctx); err != nil && ctx.Err() == nil {
			return err
		}
	}
	if f.untilSettled > 0 {
		return untilSettled(ctx, cmd.OutOrStdout(), e, applied, f.untilSettled)
	}
	if len(r.sources) > 0 {
		r.run(ctx)
	}
	<-ctx.Done()
	return nil
}

func (f *runFlags) manager(ctx context.Context, config *rest.Config, scheme *runtime.Scheme) (manager.Manager, error) {
	log := logf.FromContext(ctx)
	if !command.InCluster() {
		command.LeaveTaken(ctx, &f.metrics, &f.probes)
	}
	options := ctrl.Options{
		Scheme:                  scheme,
		Logger:                  log,
		Metrics:                 metricsserver.Options{BindAddress: f.metrics},
		HealthProbeBindAddress:  f.probes,
		GracefulShutdownTimeout: new(f.drain + 10*time.Second),
	}
	f.leadership.options(&options, f.namespace)
	// Between an operator and its API server is a fast network, and both sides pay for compression: a watch is a stream of small pieces.
	config = rest.CopyConfig(config)
	config.DisableCompression = true
	mgr, err := ctrl.NewManager(config, options)
	if err != nil {
		return nil, fmt.Errorf("make the manager: %w", err)
	}
	if err := errors.Join(mgr.AddHealthzCheck("ping", healthz.Ping), mgr.AddReadyzCheck("ping", healthz.Ping)); err != nil {
		return nil, fmt.Errorf("add the probes: %w", err)
	}
	return mgr, nil
}
