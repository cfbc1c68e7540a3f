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
	opts.Providers = registry()
	return cli.Commands(opts)
}

var startControlPlane func(ctx context.Context, dir string, log logr.Logger) (cli.ControlPlane, error)
