//go:build !runtime

package main

import (
	gatewaycli "github.com/orkestra-runtime/orkestra/gateway/cli"
	"github.com/orkestra-runtime/orkestra/internal/command"
	"github.com/orkestra-runtime/orkestra/providers/external/all"
)

// gatewayOptions have the clients of external calls, which the gateway itself does not know.
func gatewayOptions(streams command.Streams) gatewaycli.Options {
	return gatewaycli.Options{In: streams.In, Out: streams.Out, Err: streams.Err, External: all.Registry}
}
