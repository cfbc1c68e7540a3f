// Command program is ork with Go code that Katalogs of the corpus name. Their own is in programs that are not part of the corpus: what
// stands in for it does what the Katalogs tell of it, and leaves something behind by which it is known.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/orkestra-runtime/orkestra/runtime/cli"
	"github.com/orkestra-runtime/orkestra/runtime/constructor"
	"github.com/orkestra-runtime/orkestra/runtime/hook"
	"github.com/orkestra-runtime/orkestra/runtime/simulate/crdschema"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	opts := cli.Options{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Define: crdschema.New,
		Hooks: map[string]*hook.Hook{
			"github.com/orkspace/orkestra-args-hooks-targets/hooks.BlockchainAppHooks": chainHook(),
		},
		Constructors: map[string]constructor.Func{
			"github.com/orkspace/orkestra-args-hooks-targets/constructor.NewBlockchainAppWithTargetsReconciler": newChain,
			"github.com/orkspace/orkestra-ctrlruntime-constructor/constructor.NewWebAppReconciler":              newWebApp,
		},
	}
	code, message := cli.ExitCode(cli.Root(opts, cli.Commands(opts)...).ExecuteContext(ctx))
	if message != "" {
		fmt.Fprintln(os.Stderr, "ork: "+message)
	}
	os.Exit(code)
}
