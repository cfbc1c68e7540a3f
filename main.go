// Command ork runs the controllers that Katalogs declare.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/orkestra-runtime/orkestra/runtime/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second signal ends the process at once, for a person who does not want to wait.
	context.AfterFunc(ctx, stop)

	opts := cli.Options{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, StartControlPlane: startControlPlane}
	code, message := cli.ExitCode(cli.Root(opts, commands(opts)...).ExecuteContext(ctx))
	if message != "" {
		fmt.Fprintln(os.Stderr, "ork: "+message)
	}
	os.Exit(code)
}
