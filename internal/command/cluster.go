package command

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	logf "sigs.k8s.io/controller-runtime/pkg/log"
)

// Cluster is which cluster a command works on.
type Cluster struct {
	// Kubeconfig and Context choose it. They default to what kubectl takes, and to the cluster that the process runs in.
	Kubeconfig, Context string
}

// Add adds the flags.
func (c *Cluster) Add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&c.Kubeconfig, "kubeconfig", "", "the cluster; default: KUBECONFIG, ~/.kube/config, or the cluster it runs in")
	flags.StringVar(&c.Context, "context", "", "a context of the kubeconfig; default: the current one")
}

// Connect finds the cluster. That it does not answer is an error, early and in one line.
func (c *Cluster) Connect() (*rest.Config, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = c.Kubeconfig
	overrides := &clientcmd.ConfigOverrides{CurrentContext: c.Context}
	// Older installations have these names for what kubectl reads.
	if older := os.Getenv("KUBEKONFIG"); older != "" && os.Getenv(clientcmd.RecommendedConfigPathEnvVar) == "" {
		rules.Precedence = filepath.SplitList(older)
	}
	if c.Kubeconfig == "" && c.Context == "" {
		overrides.ClusterInfo.Server = os.Getenv("MASTER_URL")
	}
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("find the cluster: %w", err)
	}
	return config, answers(config)
}

func answers(config *rest.Config) error {
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

// InCluster tells whether the process runs in a pod, by what the kubelet sets in every container.
func InCluster() bool { return os.Getenv("KUBERNETES_SERVICE_HOST") != "" }

// DefaultNamespace is where a process keeps its own state unless it is told.
func DefaultNamespace() string {
	if InCluster() {
		return EnvOr("ORK_NAMESPACE", "orkestra-system")
	}
	return EnvOr("ORK_NAMESPACE", "default")
}

// LeaveTaken leaves addresses that somebody listens on already to whoever does: 0 takes their place. It is for processes outside of a cluster.
func LeaveTaken(ctx context.Context, addresses ...*string) {
	for _, address := range addresses {
		if !free(ctx, *address) {
			logf.FromContext(ctx).Info("address is in use and left to whoever has it", "address", *address)
			*address = "0"
		}
	}
}

// free tells whether an address can be listened on. 0, for none, can.
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
