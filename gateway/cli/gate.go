package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	"github.com/orkestra-runtime/orkestra/gateway/certs"
	"github.com/orkestra-runtime/orkestra/gateway/liveapi"
	"github.com/orkestra-runtime/orkestra/gateway/server"
	"github.com/orkestra-runtime/orkestra/internal/command"
	"github.com/orkestra-runtime/orkestra/internal/reload"
)

// gateFlags are what gate is told.
type gateFlags struct {
	command.Cluster

	files                                 []string
	namespace                             string
	metrics, probes, address              string
	service, runtimeService               string
	servicePort                           int32
	url                                   string
	serviceAccount, runtimeServiceAccount string
	grace, read, write, sync              time.Duration
	runtime, runtimeToken, apiToken       string
	certificate                           string
	external                              command.External
	log                                   command.Logging
	environment                           command.Environment

	host string
	port int
}

func gateCommand(opts Options) *cobra.Command {
	var f gateFlags
	cmd := &cobra.Command{
		Use:   "gate -f KATALOG",
		Short: "Serves the gateway of Katalogs, until it is interrupted",
		Long: `Serves the gateway of Katalogs, until it is interrupted: the webhooks that the API server asks, and the API that takes intents.

Any number of replicas may run. In a cluster the API server reaches them by the Service; outside of one it must be told with --url where
this process is.`,
		Args: command.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(f.files) == 0 {
				f.files = filepath.SplitList(os.Getenv("KATALOG_PATH"))
			}
			return f.gate(cmd, opts)
		},
	}
	command.FilesFlag(cmd, &f.files)
	f.Add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.namespace, "namespace", command.DefaultNamespace(), "where the gateway runs and keeps its Secrets")
	flags.StringVar(&f.address, "bind-address", ":"+strconv.Itoa(server.DefaultPort), "address of the webhooks and the API, over TLS")
	flags.StringVar(&f.metrics, "metrics-bind-address", ":"+command.Port(), "address of the metrics, 0 for none")
	flags.StringVar(&f.probes, "health-probe-bind-address", ":8081", "address of /healthz and /readyz, 0 for none")
	flags.StringVar(&f.service, "service", "", "the Service by which the API server reaches the gateway; default: security.serviceName.gateway, else ORK_GATEWAY_SERVICE_NAME, else "+server.DefaultService)
	flags.Int32Var(&f.servicePort, "service-port", server.DefaultServicePort, "port of the Service")
	flags.StringVar(&f.url, "url", "", "where the API server reaches the gateway in place of a Service, such as https://192.0.2.1:9443; needed outside of a cluster")
	flags.StringVar(&f.certificate, "certificate-secret", "", "Secret with a certificate that somebody else keeps (tls.crt, tls.key, ca.crt); default: the files of TLS_CERT, TLS_KEY and TLS_CA, "+
		"else orkestra-tls, which the gateway makes and renews unless somebody else does")
	flags.StringVar(&f.serviceAccount, "service-account", "", "the gateway's own account; default: as --service, outside of a cluster the user of the kubeconfig")
	flags.StringVar(&f.runtimeServiceAccount, "runtime-service-account", "", "the account of the operator, which may do what only it does; default: security.serviceName.runtime, else ORK_SERVICE_NAME, else "+server.DefaultRuntimeService)
	flags.DurationVar(&f.grace, "shutdown-timeout", f.environment.Duration("SHUTDOWN_GRACE_PERIOD", time.Minute), "how long requests that have begun may go on after an interrupt")
	flags.DurationVar(&f.read, "read-timeout", f.environment.Duration("SRV_READ_TIMEOUT", 10*time.Second), "how long a request may take to arrive")
	flags.DurationVar(&f.write, "write-timeout", f.environment.Duration("SRV_WRITE_TIMEOUT", 15*time.Second), "how long a request may take from its header to the end of the answer")
	flags.DurationVar(&f.sync, "sync-interval", f.environment.Duration("HOUSEKEEPER_SYNC_INTERVAL", 30*time.Second), "how often certificate, tokens and registrations are looked at although nothing tells of a change")
	flags.StringVar(&f.runtime, "runtime-url", "", "the operator's live API, for rules that read what only it knows; default: ORK_RUNTIME_URL, else in a cluster its Service")
	flags.StringVar(&f.runtimeToken, "runtime-token-file", "", "file with the bearer token that the operator's live API asks for; default: ORK_API_TOKEN, else none")
	flags.StringVar(&f.apiToken, "api-token-file", "", "file with the bearer token that /katalog beside the metrics asks for; default: ORK_API_TOKEN, else none")
	f.external.Add(cmd)
	f.log.Add(cmd)
	cmd.AddCommand(evalCommand(opts))
	return cmd
}

func (f *gateFlags) check(opts Options) error {
	if err := errors.Join(f.environment.Err(), command.CheckPort()); err != nil {
		return err
	}
	if _, err := f.external.Registry(opts.External); err != nil {
		return command.Usage(err)
	}
	host, port, err := net.SplitHostPort(f.address)
	if err == nil {
		f.host = host
		f.port, err = strconv.Atoi(port)
	}
	switch {
	case err != nil || f.port < 1 || f.port > 65535:
		return command.Usage(fmt.Errorf("--bind-address %q is no address such as :%d", f.address, server.DefaultPort))
	case f.servicePort < 1 || f.servicePort > 65535:
		return command.Usage(errors.New("--service-port must be from 1 to 65535"))
	case f.grace < 0:
		return command.Usage(errors.New("--shutdown-timeout must not be negative"))
	case f.read <= 0 || f.write <= 0 || f.sync <= 0:
		return command.Usage(errors.New("--read-timeout, --write-timeout and --sync-interval must be above 0"))
	case f.url == "" && !command.InCluster():
		return command.Usage(errors.New("outside of a cluster no Service leads here: say with --url where the API server reaches this process, such as https://192.0.2.1:9443"))
	case f.url != "":
		if parsed, err := url.Parse(f.url); err != nil || parsed.Scheme != "https" || parsed.Host == "" || parsed.Path != "" {
			return command.Usage(fmt.Errorf("--url %q is no address such as https://192.0.2.1:9443", f.url))
		}
	}
	return nil
}

// gate serves until it is interrupted.
func (f *gateFlags) gate(cmd *cobra.Command, opts Options) error {
	if err := f.check(opts); err != nil {
		return err
	}
	ctx, err := f.log.Begin(cmd.Context(), opts.Err)
	if err != nil {
		return err //nolint:wrapcheck // names the flag
	}
	calls, err := f.external.Registry(opts.External)
	if err != nil {
		return err //nolint:wrapcheck // names the flag
	}
	in, again := command.Remember(opts.In, f.files)
	result, err := read(cmd, in, f.files, checked(calls))
	if err != nil {
		return err
	}
	watcher := reload.New(result.Sources)
	files, err := certs.FilesFrom(os.Getenv)
	if err != nil {
		return command.Usage(err)
	}
	if err := f.names(result.Documents); err != nil {
		return err
	}
	operator, err := f.operator()
	if err != nil {
		return err
	}
	config, err := f.Connect()
	if err != nil {
		return err //nolint:wrapcheck // says which cluster
	}
	mgr, err := f.manager(ctx, config)
	if err != nil {
		return err
	}
	user, err := f.user(ctx, config)
	if err != nil {
		return err
	}
	gateway, err := server.New(mgr, server.Options{
		User: user, Katalogs: katalogs(result.Documents), Schemas: schemas(result.Documents...), Namespace: f.namespace, Host: f.host, Port: f.port,
		SyncInterval: f.sync, ReadTimeout: f.read, WriteTimeout: f.write, External: calls, Runtime: operator, Files: files, Secret: f.certificate, Pod: os.Getenv("POD_NAME"), Service: f.service, ServicePort: f.servicePort, URL: f.url, ServiceAccount: f.serviceAccount, RuntimeServiceAccount: f.runtimeServiceAccount,
	})
	if err != nil {
		return err //nolint:wrapcheck // names the Katalog
	}
	if err := command.ServeLive(mgr, f.metrics, f.apiToken, gateway.LiveAPI); err != nil {
		return err //nolint:wrapcheck // says what it does
	}
	r := &reloader{
		watcher: watcher, sources: result.Sources, gateway: gateway,
		load: func() (*katalog.Result, error) { return load(again(), f.files, checked(calls)) },
	}
	if err := mgr.Add(manager.RunnableFunc(r.run)); err != nil {
		return fmt.Errorf("add the watch of the files: %w", err)
	}
	return mgr.Start(ctx) //nolint:wrapcheck // names the part that failed
}

// names are those of the two processes: by a flag, by a Katalog, by the environment.
func (f *gateFlags) names(documents []*katalog.Document) error {
	declared, err := server.ServicesOf(katalogs(documents))
	if err != nil {
		return err //nolint:wrapcheck // names the Katalog
	}
	f.service = cmp.Or(f.service, declared.Gateway, command.EnvOr("ORK_GATEWAY_SERVICE_NAME", server.DefaultService))
	f.runtimeService = cmp.Or(declared.Runtime, command.EnvOr("ORK_SERVICE_NAME", server.DefaultRuntimeService))
	f.runtimeServiceAccount = cmp.Or(f.runtimeServiceAccount, f.runtimeService)
	return nil
}

// user is who the gateway is where it is not its service account, so that it knows what it writes itself.
func (f *gateFlags) user(ctx context.Context, config *rest.Config) (string, error) {
	if command.InCluster() || f.serviceAccount != "" {
		return "", nil
	}
	c, err := client.New(config, client.Options{})
	if err != nil {
		return "", fmt.Errorf("make a client: %w", err)
	}
	review := &authenticationv1.SelfSubjectReview{}
	if err := c.Create(ctx, review); err != nil {
		return "", fmt.Errorf("ask the API server who this is: %w", err)
	}
	return review.Status.UserInfo.Username, nil
}

// operator asks the operator's live API.
func (f *gateFlags) operator() (*liveapi.Client, error) {
	address := cmp.Or(f.runtime, os.Getenv("ORK_RUNTIME_URL"))
	if address == "" && command.InCluster() {
		address = fmt.Sprintf("http://%s.%s.svc:%s", f.runtimeService, f.namespace, command.DefaultPort)
	}
	token, err := command.APIToken(f.runtimeToken)
	if err != nil {
		return nil, err //nolint:wrapcheck // names the file
	}
	asked, err := liveapi.New(liveapi.Options{URL: address, Token: token})
	if err != nil {
		return nil, command.Usage(fmt.Errorf("--runtime-url: %w", err))
	}
	return asked, nil
}

func (f *gateFlags) manager(ctx context.Context, config *rest.Config) (manager.Manager, error) {
	log := logf.FromContext(ctx)
	if !command.InCluster() {
		command.LeaveTaken(ctx, &f.metrics, &f.probes)
	}
	mgr, err := ctrl.NewManager(config, ctrl.Options{
		Logger: log, Metrics: metricsserver.Options{BindAddress: f.metrics}, HealthProbeBindAddress: f.probes, GracefulShutdownTimeout: &f.grace,
	})
	if err != nil {
		return nil, fmt.Errorf("make the manager: %w", err)
	}
	if err := mgr.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return nil, fmt.Errorf("add the probe: %w", err)
	}
	return mgr, nil
}
