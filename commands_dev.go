//go:build !runtime && !gateway

package main

import (
	"context"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/envtest"
	gatewaycli "github.com/orkestra-runtime/orkestra/gateway/cli"
	"github.com/orkestra-runtime/orkestra/gateway/rights"
	"github.com/orkestra-runtime/orkestra/internal/command"
	"github.com/orkestra-runtime/orkestra/runtime/cli"
	"github.com/orkestra-runtime/orkestra/runtime/simulate/crdschema"
)

// commands of the developer's binary: all of them.
func commands(streams command.Streams) []*cobra.Command {
	opts := withClients(cli.Options{In: streams.In, Out: streams.Out, Err: streams.Err})
	opts.Define, opts.StartControlPlane, opts.Check = crdschema.New, startControlPlane, gatewaycli.Check
	opts.GatewayRights = gatewayRights
	return append(cli.Commands(opts), gatewaycli.Commands(gatewayOptions(streams))...)
}

// gatewayRights are the roles of the gateway.
func gatewayRights(katalogs []*orkv1.Katalog, namespace string) (*cli.GatewayRights, error) {
	opts := rights.Options{Namespace: namespace}
	found, err := rights.Of(katalogs, opts)
	if err != nil {
		return nil, err //nolint:wrapcheck // tells all that is wrong
	}
	clusters, chosen, err := rights.Remote(katalogs)
	if err != nil {
		return nil, err //nolint:wrapcheck // tells all that is wrong
	}
	return &cli.GatewayRights{Own: found.Objects(opts), Clusters: clusters, Chosen: chosen}, nil
}

func startControlPlane(ctx context.Context, dir string, log logr.Logger) (cli.ControlPlane, error) {
	return envtest.Start(ctx, envtest.Options{Controllers: true, Dir: dir, Log: log})
}
