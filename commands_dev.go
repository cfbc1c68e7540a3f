//go:build !runtime && !gateway

package main

import (
	"context"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"

	"github.com/orkestra-runtime/orkestra/envtest"
	gatewaycli "github.com/orkestra-runtime/orkestra/gateway/cli"
	"github.com/orkestra-runtime/orkestra/internal/command"
	"github.com/orkestra-runtime/orkestra/runtime/cli"
	"github.com/orkestra-runtime/orkestra/runtime/simulate/crdschema"
)

// commands of the developer's binary: all of them.
func commands(streams command.Streams) []*cobra.Command {
	opts := withClients(cli.Options{In: streams.In, Out: streams.Out, Err: streams.Err})
	opts.Define, opts.StartControlPlane, opts.Check = crdschema.New, startControlPlane, gatewaycli.Check
	return append(cli.Commands(opts), gatewaycli.Commands(gatewayOptions(streams))...)
}

func startControlPlane(ctx context.Context, dir string, log logr.Logger) (cli.ControlPlane, error) {
	return envtest.Start(ctx, envtest.Options{Controllers: true, Dir: dir, Log: log})
}
