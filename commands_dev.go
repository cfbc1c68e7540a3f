//go:build !runtime && !gateway

package main

import (
	"context"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"

	"github.com/orkestra-runtime/orkestra/envtest"
	"github.com/orkestra-runtime/orkestra/runtime/cli"
	"github.com/orkestra-runtime/orkestra/runtime/simulate/crdschema"
)

// commands of the developer's binary: all of them.
func commands(opts cli.Options) []*cobra.Command {
	opts.Define = crdschema.New
	return cli.Commands(withClients(opts))
}

func startControlPlane(ctx context.Context, dir string, log logr.Logger) (cli.ControlPlane, error) {
	return envtest.Start(ctx, envtest.Options{Controllers: true, Dir: dir, Log: log})
}
