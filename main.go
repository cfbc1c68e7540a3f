// Command ork runs the controllers that Katalogs declare, and the gateway beside them.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/orkestra-runtime/orkestra/internal/command"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second signal ends the process at once, for a person who does not want to wait.
	context.AfterFunc(ctx, stop)

	streams := command.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	code, message := command.ExitCode(command.Root(streams, commands(streams)...).ExecuteContext(ctx))
	if message != "" {
		fmt.Fprintln(os.Stderr, "ork: "+message)
	}
	os.Exit(code)
}
