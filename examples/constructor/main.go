// Command constructor is ork with a reconciler of its own: it has all of ork's commands, and runs Katalogs that name the reconciler.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"

	"github.com/orkestra-runtime/orkestra/envtest"
	echov1 "github.com/orkestra-runtime/orkestra/examples/constructor/api/v1"
	"github.com/orkestra-runtime/orkestra/examples/constructor/controller"
	"github.com/orkestra-runtime/orkestra/runtime/cli"
	"github.com/orkestra-runtime/orkestra/runtime/constructor"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	opts := cli.Options{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		Scheme: scheme(),
		Constructors: map[string]constructor.Func{
			"github.com/orkestra-runtime/orkestra/examples/constructor/controller.NewEcho": controller.NewEcho,
		},
		// For run --embedded. An operator that runs in clusters alone leaves it out.
		StartControlPlane: func(ctx context.Context, dir string, log logr.Logger) (cli.ControlPlane, error) {
			return envtest.Start(ctx, envtest.Options{Controllers: true, Dir: dir, Log: log})
		},
	}
	code, message := cli.ExitCode(cli.Root(opts, cli.Commands(opts)...).ExecuteContext(ctx))
	if message != "" {
		fmt.Fprintln(os.Stderr, message)
	}
	os.Exit(code)
}

// scheme has the Go types that the reconciler uses.
func scheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, echov1.AddToScheme} {
		if err := add(scheme); err != nil {
			panic(err) // two types of one name: a mistake of the program
		}
	}
	return scheme
}
