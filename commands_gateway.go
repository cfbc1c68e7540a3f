//go:build gateway && !runtime

package main

import (
	"github.com/spf13/cobra"

	gatewaycli "github.com/orkestra-runtime/orkestra/gateway/cli"
	"github.com/orkestra-runtime/orkestra/internal/command"
)

// commands of the image of the gateway. It has nothing that operates resources.
func commands(streams command.Streams) []*cobra.Command {
	return gatewaycli.Commands(gatewayOptions(streams))
}
