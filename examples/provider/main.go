// Command provider is ork with a provider of its own: it has all of ork's commands, and runs Katalogs that need the provider.
package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/go-logr/logr"

	"github.com/orkestra-runtime/orkestra/envtest"
	"github.com/orkestra-runtime/orkestra/examples/provider/hosts"
	"github.com/orkestra-runtime/orkestra/providers"
	"github.com/orkestra-runtime/orkestra/runtime/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	registry, err := providers.NewRegistry(hosts.New(cmp.Or(os.Getenv("HOSTS_FILE"), "hosts")))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	opts := cli.Options{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		Providers: registry,
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
