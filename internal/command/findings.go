package command

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/orkestra-runtime/orkestra/api/katalog"
)

// FilesFlag adds the flag that names Katalogs.
func FilesFlag(cmd *cobra.Command, files *[]string) {
	cmd.Flags().StringArrayVarP(files, "file", "f", nil, "a Katalog file or a folder of them, - for standard input; can be given more than once")
}

// PrintFindings prints one line each and returns the error that ends the command.
func PrintFindings(cmd *cobra.Command, findings katalog.Findings) error {
	for _, finding := range findings {
		cmd.PrintErrln("error: " + finding.String())
	}
	return Reported(errors.New(Counted(len(findings), "error")))
}

// PrintWarnings prints one line each.
func PrintWarnings(cmd *cobra.Command, findings katalog.Findings) {
	for _, finding := range findings {
		cmd.PrintErrln("warning: " + finding.String())
	}
}

// Counted is a number of things, whose plural is regular.
func Counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Interruptibly reads Katalogs for a command that may be interrupted while it waits for the standard input or for a pipe.
func Interruptibly[T any](ctx context.Context, read func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := read()
		done <- outcome{value, err}
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done(): // the read can't be ended; the process ends
		return *new(T), errors.New("interrupted while reading the Katalogs")
	}
}
