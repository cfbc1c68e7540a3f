//go:build runtime

package main

import (
	"context"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"

	"github.com/orkestra-runtime/orkestra/runtime/cli"
)

// commands of the image that runs in a cluster. It has no control plane of its own.
func commands(opts cli.Options) []*cobra.Command {
	opts.StartControlPlane = nil
	return cli.Commands(withClients(opts))
}

var startControlPlane func(ctx context.Context, dir string, log logr.Logger) (cli.ControlPlane, error)
