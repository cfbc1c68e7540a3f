package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/orkestra-runtime/orkestra/internal/command"
)

// Options of the commands.
type Options struct {
	In       io.Reader
	Out, Err io.Writer
	// External makes the clients of external calls, which go only where these options let them. Nil: one for http.
	External command.Clients
}

// Commands are the commands of a binary that has the gateway.
func Commands(opts Options) []*cobra.Command {
	return []*cobra.Command{gateCommand(opts)}
}
