package cli

import (
	"context"
	"io"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/internal/command"
	"github.com/orkestra-runtime/orkestra/providers"
	"github.com/orkestra-runtime/orkestra/providers/checkout"
	"github.com/orkestra-runtime/orkestra/providers/external"
	"github.com/orkestra-runtime/orkestra/providers/reach"
	"github.com/orkestra-runtime/orkestra/runtime/constructor"
	"github.com/orkestra-runtime/orkestra/runtime/hook"
	"github.com/orkestra-runtime/orkestra/runtime/simulate"
)

// GatewayRights are the accounts and roles that a gateway needs, and what binds them.
type GatewayRights struct {
	// Own are those in its own cluster, and Clusters those in others, by their names.
	Own      []runtime.Object
	Clusters map[string][]runtime.Object
	// Chosen are the CRDs whose intents choose a cluster, so that they are in all of those.
	Chosen []string
}

// Options of the commands.
type Options struct {
	In       io.Reader
	Out, Err io.Writer
	// StartControlPlane starts a local control plane whose state is kept in a folder, or in a temporary one when dir is empty.
	// Nil: the binary has none, and run has no --embedded.
	StartControlPlane func(ctx context.Context, dir string, log logr.Logger) (ControlPlane, error)
	// Define reads the schemas of definitions. Nil: the binary has not what it takes, and no simulate.
	Define simulate.Define
	// External makes the clients of external calls, which go only where these options let them. Nil: one for http.
	External func(reach.Options) (external.Registry, error)
	// Hooks and Constructors are the Go code that Katalogs may name, as in engine.Options, and Scheme has the Go types that it uses.
	// They default to none, and to the scheme of the built-in kinds.
	Hooks        map[string]*hook.Hook
	Constructors map[string]constructor.Func
	Scheme       *runtime.Scheme
	// Providers keep the infrastructure that Katalogs declare. They default to none.
	Providers *providers.Registry
	// Checkouts makes what fetches repositories. Nil: the binary has nothing that does, and refuses Katalogs that name one.
	Checkouts func(CheckoutOptions) (checkout.Fetcher, error)
	// Check finds what is wrong with the part of a Katalog that another process reads, for validate. Nil: nobody does.
	Check katalog.Checks
	// Builders makes what builds images. Nil: the binary has nothing that does.
	Builders Builders
	// GatewayRights tells what the gateway of Katalogs needs that runs in a namespace. Nil: the binary knows no gateway.
	GatewayRights func(katalogs []*orkv1.Katalog, namespace string) (*GatewayRights, error)
}

// ControlPlane is a running control plane.
type ControlPlane interface {
	Config() *rest.Config
	// Kubeconfig is the path of a kubeconfig with all rights.
	Kubeconfig() string
	Stop() error
}

// Commands are the commands of a binary that runs Katalogs.
func Commands(opts Options) []*cobra.Command {
	commands := []*cobra.Command{runCommand(opts), validateCommand(opts), generateCommand(opts), explainCommand(opts), versionCommand(opts)}
	if opts.Define != nil {
		commands = append(commands, simulateCommand(opts))
	}
	return commands
}

// Root is the command that the others belong to.
func Root(opts Options, commands ...*cobra.Command) *cobra.Command {
	return command.Root(command.Streams{In: opts.In, Out: opts.Out, Err: opts.Err}, commands...)
}

// ExitCode is 0 without an error, 2 for wrong usage and 1 for everything else. Message is what is left to print.
func ExitCode(err error) (code int, message string) { return command.ExitCode(err) }
