package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/runtime/engine"
)

// runFlags are what run is told.
type runFlags struct {
	files        []string
	kubeconfig   string
	kubecontext  string
	namespace    string
	metrics      string
	probes       string
	tokenFile    string
	leaderElect  bool
	drain        time.Duration
	embedded     bool
	dataDir      string
	untilSettled time.Duration
	log          logFlags
}

func runCommand(opts Options) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run -f KATALOG",
		Short: "Runs the controllers that Katalogs declare, until it is interrupted",
		Long: `Runs the controllers that Katalogs declare, until it is interrupted.

Outside a cluster it first applies what the Katalogs name in crdFile, setup and crFiles.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return run(cmd, opts, f) },
	}
	filesFlag(cmd, &f.files)
	flags := cmd.Flags()
	flags.StringVar(&f.kubeconfig, "kubeconfig", "", "the cluster; default: KUBECONFIG, ~/.kube/config, or the cluster it runs in")
	flags.StringVar(&f.kubecontext, "context", "", "a context of the kubeconfig; default: the current one")
	flags.StringVar(&f.namespace, "namespace", defaultNamespace(), "where the operator keeps its own state")
	flags.StringVar(&f.metrics, "metrics-bind-address", ":"+envOr("PORT", defaultPort), "address of the metrics and the live API, 0 for none")
	flags.StringVar(&f.tokenFile, "api-token-file", "", "file with the bearer token that the live API asks for; default: ORK_API_TOKEN, else none")
	flags.StringVar(&f.probes, "health-probe-bind-address", ":8081", "address of /healthz and /readyz, 0 for none")
	flags.BoolVar(&f.leaderElect, "leader-elect", inCluster(), "let one of several replicas do the work")
	flags.DurationVar(&f.drain, "shutdown-timeout", 20*time.Second, "how long cycles that have begun may go on after an interrupt")
	flags.DurationVar(&f.untilSettled, "until-settled", 0, "end when every resource is ready and nothing is queued, or fail after this time")
	flags.Lookup("until-settled").NoOptDefVal = "30s"
	if opts.StartControlPlane != nil {
		flags.BoolVar(&f.embedded, "embedded", false, "start a local control plane first and stop it at the end")
		flags.StringVar(&f.dataDir, "data-dir", "", "with --embedded, keep the control plane's state in this folder")
	}
	f.log.add(cmd)
	return cmd
}

func (f *runFlags) check() error {
	switch {
	case f.dataDir != "" && !f.embedded:
		return &usageError{errors.New("--data-dir goes with --embedded")}
	case f.embedded && (f.kubeconfig != "" || f.kubecontext != ""):
		return &usageError{errors.New("--embedded brings its own cluster: it excludes --kubeconfig and --context")}
	case f.drain < 0:
		return &usageError{errors.New("--shutdown-timeout must not be negative")}
	case f.untilSettled < 0:
		return &usageError{errors.New("--until-settled must be a positive duration")}
	default:
		return checkPort()
	}
}

func run(cmd *cobra.Command, opts Options, f runFlags) (err error) {
	ctx := cmd.Context()
	if err := f.check(); err != nil {
		return err
	}
	log, err := f.log.logger(opts.Err)
	if err != nil {
		return err
	}
	logf.SetLogger(log)
	klog.SetLogger(log.V(1)) // client-go's own words are for developers
	ctx = logf.IntoContext(ctx, log)

	l, err := loadInterruptibly(ctx, opts, f.files, reading{inCluster: inCluster(), run: true})
	if l != nil {
		printWarnings(cmd, l.warnings)
	}
	if findings, wrong := errors.AsType[katalog.Findings](err); wrong {
		return printFindings(cmd, findings)
	}
	if err != nil {
		return err
	}

	config, stop, err := f.cluster(ctx, cmd, opts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	return f.operate(ctx, cmd, opts, l, config)
}

// cluster connects to the cluster, or starts one. Stop ends what was started.
func (f *runFlags) cluster(ctx context.Context, cmd *cobra.Command, opts Options) (config *rest.Config, stop func() error, err error) {
	nothing := func() error { return nil }
	if f.embedded {
		started, err := opts.StartControlPlane(ctx, f.dataDir, logf.FromContext(ctx))
		if err != nil {
			return nil, nil, fmt.Errorf("start the control plane: %w", err)
		}
		cmd.PrintErrln("control plane is up: export KUBECONFIG=" + started.Kubeconfig())
		return started.Config(), started.Stop, nil
	}
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = f.kubeconfig
	config, err = clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: f.kubecontext}).ClientConfig()
	if err != nil {
		return nil, nil, fmt.Errorf("find the cluster: %w", err)
	}
	return config, nothing, reach(config)
}

// reach tells early, and in one line, that the cluster does not answer.
func reach(config *rest.Config) error {
	config = rest.CopyConfig(config)
	config.Timeout = 5 * time.Second
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err == nil {
		_, err = client.ServerVersion()
	}
	if err != nil {
		return fmt.Errorf("reach the cluster at %s: %w", config.Host, err)
	}
	return nil
}

// operate runs the engine until it is interrupted or, when asked for, until everything is settled.
func (f *runFlags) operate(ctx context.Context, cmd *cobra.Command, opts Options, l *loaded, config *rest.Config) error {
	mgr, err := f.manager(ctx, config, opts.Scheme)
	if err != nil {
		return err
	}
	katalogs := make([]*orkv1.Katalog, 0, len(l.documents))
	for _, document := range l.documents {
		katalogs = append(katalogs, document.Katalog)
	}
	e, err := engine.New(mgr, engine.Options{
		Katalogs: katalogs, Namespace: f.namespace, Drain: cmp.Or(f.drain, -1), Hooks: opts.Hooks, Constructors: opts.Constructors,
	})
	if err != nil {
		return err //nolint:wrapcheck // names the Katalog
	}
	if err := f.serveLive(mgr, e, l); err != nil {
		return err
	}
	dev := devMode{config: config, documents: l.documents}
	if !inCluster() {
		if err := dev.prepare(ctx); err != nil {
			return err
		}
	}

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		defer cancel() // nothing is left to wait for when the Manager ends by itself
		ended <- mgr.Start(ctx)
	}()

	outcome := f.accompany(ctx, cmd, e, dev)
	cancel()
	return errors.Join(outcome, <-ended)
}

// accompany does what is left to do while the engine runs. An interrupt is no failure, unless it is for what was asked for.
func (f *runFlags) accompany(ctx context.Context, cmd *cobra.Command, e *engine.Engine, dev devMode) error {
	var applied []*unstructured.Unstructured
	if !inCluster() {
		var err error
		if applied, err = dev.applyResources(ctx); err != nil && ctx.Err() == nil {
			return err
		}
	}
	if f.untilSettled > 0 {
		return untilSettled(ctx, cmd.OutOrStdout(), e, applied, f.untilSettled)
	}
	<-ctx.Done()
	return nil
}

func (f *runFlags) manager(ctx context.Context, config *rest.Config, scheme *runtime.Scheme) (manager.Manager, error) {
	log := logf.FromContext(ctx)
	if !inCluster() {
		for _, address := range []*string{&f.metrics, &f.probes} {
			if !free(ctx, *address) {
				log.Info("address is in use and left to whoever has it", "address", *address)
				*address = "0"
			}
		}
	}
	mgr, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                        scheme,
		Logger:                        log,
		Metrics:                       metricsserver.Options{BindAddress: f.metrics},
		HealthProbeBindAddress:        f.probes,
		LeaderElection:                f.leaderElect,
		LeaderElectionID:              "orkestra-konductor",
		LeaderElectionNamespace:       f.namespace,
		LeaderElectionReleaseOnCancel: true,
		GracefulShutdownTimeout:       new(f.drain + 10*time.Second),
	})
	if err != nil {
		return nil, fmt.Errorf("make the manager: %w", err)
	}
	if err := errors.Join(mgr.AddHealthzCheck("ping", healthz.Ping), mgr.AddReadyzCheck("ping", healthz.Ping)); err != nil {
		return nil, fmt.Errorf("add the probes: %w", err)
	}
	return mgr, nil
}

// free tells whether an address can be listened on.
func free(ctx context.Context, address string) bool {
	if address == "0" || address == "" {
		return true
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return false
	}
	_ = listener.Close()
	return true
}

// inCluster tells whether the process runs in a pod, by what the kubelet sets in every container.
func inCluster() bool { return os.Getenv("KUBERNETES_SERVICE_HOST") != "" }

func defaultNamespace() string {
	if inCluster() {
		return envOr("ORK_NAMESPACE", "orkestra-system")
	}
	return envOr("ORK_NAMESPACE", "default")
}
