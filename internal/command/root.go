package command

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// Streams are those of the process.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Root is the command that the others belong to.
func Root(streams Streams, commands ...*cobra.Command) *cobra.Command {
	root := &cobra.Command{
		Use:           "ork",
		Short:         "Runs what Katalogs declare",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetIn(streams.In)
	root.SetOut(streams.Out)
	root.SetErr(streams.Err)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return Usage(err) })
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(commands...)
	return root
}

// usageError is a mistake on the command line.
type usageError struct{ error }

func (e *usageError) Unwrap() error { return e.error }

// Usage marks an error as wrong usage.
func Usage(err error) error { return &usageError{err} }

// NoArguments is for commands that take flags only.
func NoArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	remedy := ""
	if cmd.Flags().Lookup("file") != nil {
		remedy = "; name files with -f"
	}
	return Usage(fmt.Errorf("%s takes no arguments, got %q%s", cmd.CommandPath(), args[0], remedy))
}

// reportedError is a failure whose reasons are printed already.
type reportedError struct{ error }

// Reported marks an error as one whose reasons are printed already.
func Reported(err error) error { return &reportedError{err} }

// ExitCode is 0 without an error, 2 for wrong usage and 1 for everything else. Message is what is left to print.
func ExitCode(err error) (code int, message string) {
	switch {
	case err == nil:
		return 0, ""
	case isUsage(err):
		return 2, err.Error() + "; see ork --help"
	}
	if _, ok := errors.AsType[*reportedError](err); ok {
		return 1, ""
	}
	return 1, err.Error()
}

// isUsage recognizes wrong usage. For a command that does not exist cobra has no error type, only this text.
func isUsage(err error) bool {
	_, ok := errors.AsType[*usageError](err)
	return ok || strings.HasPrefix(err.Error(), "unknown command ")
}
