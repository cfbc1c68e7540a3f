// Package commandtest runs the commands of ork in tests.
package commandtest

import (
	"bytes"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/cobra"

	"github.com/orkestra-runtime/orkestra/internal/command"
)

// Result is what a command leaves behind.
type Result struct {
	Code     int
	Out, Err string
}

// buffer may be written to by several goroutines, as a process's streams may.
type buffer struct {
	mu   sync.Mutex // guards text
	text bytes.Buffer
}

func (b *buffer) Write(text []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(text) //nolint:wrapcheck // never fails
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// Run runs a command as main does, outside of a cluster, with a text on its standard input. Commands makes those that there are.
func Run(t *testing.T, in string, commands func(command.Streams) []*cobra.Command, args ...string) Result {
	t.Helper()
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	var out, errs buffer
	streams := command.Streams{In: strings.NewReader(in), Out: &out, Err: &errs}
	root := command.Root(streams, commands(streams)...)
	root.SetArgs(args)
	code, message := command.ExitCode(root.ExecuteContext(t.Context()))
	if message != "" {
		_, _ = errs.Write([]byte("ork: " + message + "\n"))
	}
	return Result{Code: code, Out: out.String(), Err: errs.String()}
}
