//go:build runtime

package main

import (
	"github.com/spf13/cobra"

	"github.com/orkestra-runtime/orkestra/internal/command"
	"github.com/orkestra-runtime/orkestra/runtime/cli"
)

// commands of the image that runs in a cluster. It has no control plane of its own, and no gateway.
func commands(streams command.Streams) []*cobra.Command {
	return cli.Commands(withClients(cli.Options{In: streams.In, Out: streams.Out, Err: streams.Err}))
}
