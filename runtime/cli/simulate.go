package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	"github.com/orkestra-runtime/orkestra/internal/command"
	"github.com/orkestra-runtime/orkestra/runtime/simulate"
)

// simulateFlags are what simulate is told.
type simulateFlags struct {
	files  []string
	scene  simulate.Scene
	now    string
	output string
	test   string
	update bool
}

func simulateCommand(opts Options) *cobra.Command {
	var f simulateFlags
	cmd := &cobra.Command{
		Use:   "simulate -f KATALOG --cr FILE",
		Short: "Shows without a cluster what Katalogs make of resources",
		Long: `Shows without a cluster what Katalogs make of resources: what every gate says, the children and the status.

Cycles go on until nothing changes. No controller but the Katalog's own is there: a Deployment does not become ready by
itself. What the children's status is to say, and which children there are before, --children tells.

With --test it runs a folder of cases and compares what comes of them with their expected.yaml.`,
		Args: command.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			if f.test != "" {
				return f.runCases(cmd, opts)
			}
			return f.simulate(cmd, opts)
		},
	}
	command.FilesFlag(cmd, &f.files)
	command.OutputFlag(cmd, &f.output)
	flags := cmd.Flags()
	flags.StringArrayVar(&f.scene.Objects, "cr", nil,
		"a file of resources, simulated one after the other, and of other objects that exist; can be given more than once; default: the crFiles of the Katalogs")
	flags.StringVar(&f.scene.Children, "children", "", "a file of children that exist, with their status")
	flags.StringVar(&f.scene.Old, "old", "", "a file of the resources as they were before the last change")
	flags.StringVar(&f.scene.External, "external", "", "a file of what the roots external, cross, git and docker hold")
	flags.StringVar(&f.scene.Target, "target", "", "the target by which the resources were delivered")
	flags.StringVar(&f.now, "now", "", "the time, such as 2026-01-01T08:00:00Z; default: the present")
	flags.BoolVar(&f.scene.Deletion, "deletion", false, "delete the resources once they have come to rest, and show what goes")
	flags.StringVar(&f.test, "test", "", "a folder of cases to run")
	flags.BoolVar(&f.update, "update", false, "with --test, write the expected.yaml of the cases anew")
	return cmd
}

func (f *simulateFlags) check(cmd *cobra.Command) error {
	if f.update && f.test == "" {
		return command.Usage(errors.New("--update goes with --test"))
	}
	if f.test != "" {
		for _, name := range []string{"cr", "children", "old", "external", "target", "now", "deletion", "output"} {
			if cmd.Flags().Changed(name) {
				return command.Usage(fmt.Errorf("--%s does not go with --test: each case has its own files", name))
			}
		}
	}
	if f.now == "" {
		return nil
	}
	now, err := time.Parse(time.RFC3339, f.now)
	if err != nil {
		return command.Usage(fmt.Errorf("--now %q is not a time such as 2026-01-01T08:00:00Z", f.now))
	}
	f.scene.Now = now
	return nil
}

func (f *simulateFlags) simulate(cmd *cobra.Command, opts Options) error {
	l, err := loadInterruptibly(cmd.Context(), opts, f.files, reading{})
	if l != nil {
		command.PrintWarnings(cmd, l.warnings)
	}
	if findings, wrong := errors.AsType[katalog.Findings](err); wrong {
		return command.PrintFindings(cmd, findings)
	}
	if err != nil {
		return err
	}
	scene, err := f.scene.Options(l.documents)
	if err != nil {
		return err //nolint:wrapcheck // names the file
	}
	scene.Define = opts.Define
	result, err := simulate.Run(cmd.Context(), scene)
	if err != nil {
		return err //nolint:wrapcheck // says all there is to say
	}
	if f.output == "json" {
		err = command.Print(opts.Out, f.output, result)
	} else {
		err = result.Print(opts.Out)
	}
	if err == nil && result.Failed() {
		return command.Reported(errors.New("the simulation failed"))
	}
	return err //nolint:wrapcheck // says all there is to say
}

// runCases prints a line for each case, and below those that fail what differs.
func (f *simulateFlags) runCases(cmd *cobra.Command, opts Options) error {
	suite := simulate.Suite{Folder: f.test, Katalogs: f.files, Update: f.update, Define: opts.Define}
	cases, err := suite.Run(cmd.Context())
	if err != nil {
		return err //nolint:wrapcheck // says all there is to say
	}
	failed := 0
	for _, one := range cases {
		line := "PASS " + one.Name
		switch {
		case !one.Passed():
			failed++
			line = "FAIL " + one.Name
		case one.Updated:
			line += ", expected.yaml is written"
		}
		text := one.Diff
		if one.Err != nil {
			text = one.Err.Error() + "\n"
		}
		for part := range strings.Lines(text) {
			line += "\n    " + strings.TrimSuffix(part, "\n")
		}
		if _, err := fmt.Fprintln(opts.Out, line); err != nil {
			return err //nolint:wrapcheck // says all there is to say
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %s failed", failed, command.Counted(len(cases), "case"))
	}
	return nil
}
