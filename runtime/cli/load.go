package cli

import (
	"context"
	"errors"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	"github.com/orkestra-runtime/orkestra/conditions"
	"github.com/orkestra-runtime/orkestra/controllers/builtin"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

// loaded is what the files say, checked as far as that goes without a cluster.
type loaded struct {
	documents []*katalog.Document
	sets      []*box.Set
	warnings  katalog.Findings
	// sources are the files and folders that were read or looked for.
	sources []string
}

// reading is what files are read for.
type reading struct {
	inCluster bool // to run them in a cluster, which has the CRDs
	motifs    bool // to check them, Motifs as well
	run       bool // to run them, for which there must be the Go code that they name
	rights    bool // to print what rights they need
	gateway   bool // with what a gateway alone supports
}

// toRun is what files are read for at the start of an operator, and whenever they change.
func toRun() reading { return reading{inCluster: inCluster(), run: true} }

// load reads and compiles Katalogs. Its error is of type katalog.Findings when the files are wrong; then there are warnings, but
// no documents.
func load(opts Options, files []string, purpose reading) (*loaded, error) {
	if len(files) == 0 || slices.Contains(files, "") {
		return nil, &usageError{errors.New("no Katalog: name one with -f")}
	}
	registry, err := builtin.Registry()
	if err != nil {
		return nil, err
	}
	l := &loaded{}
	result, err := katalog.Load(katalog.Options{
		Stdin: opts.In, FilesOptional: purpose.inCluster, Env: os.Getenv,
		Check: func(document *katalog.Document) (errs, warnings field.ErrorList) {
			sets, found := box.CompileKatalog(document.Katalog, box.Options{Registry: registry, Schemas: document.Schemas(), Providers: opts.Providers})
			l.sets = append(l.sets, sets...)
			missing, passedOver := missingCode(document.Katalog, sets, opts)
			missing = append(missing, missingBuilders(sets, opts)...)
			found.Warnings = append(found.Warnings, passedOver...)
			if purpose.rights {
				for _, set := range sets {
					found.Warnings = append(found.Warnings, set.NotGranted()...)
				}
			}
			switch {
			case purpose.run:
				found.Errors = append(found.Errors, missing...)
			case purpose.motifs:
				found.Warnings = append(found.Warnings, missing...)
			}
			return found.Errors, found.Warnings
		},
		Evaluate: conditions.Constant, Motifs: purpose.motifs, Gateway: purpose.gateway,
	}, files...)
	if result != nil {
		l.documents, l.warnings, l.sources = result.Documents, result.Warnings, result.Sources
	}
	return l, err //nolint:wrapcheck // says where and what
}

// loadInterruptibly is load for a command that is interrupted while it waits for the standard input or for a pipe.
func loadInterruptibly(ctx context.Context, opts Options, files []string, purpose reading) (*loaded, error) {
	type outcome struct {
		*loaded
		err error
	}
	read := make(chan outcome, 1)
	go func() {
		l, err := load(opts, files, purpose)
		read <- outcome{l, err}
	}()
	select {
	case o := <-read:
		return o.loaded, o.err
	case <-ctx.Done(): // the read can't be ended; the process ends
		return nil, errors.New("interrupted while reading the Katalogs")
	}
}

// filesFlag adds the flag that names Katalogs.
func filesFlag(cmd *cobra.Command, files *[]string) {
	cmd.Flags().StringArrayVarP(files, "file", "f", nil, "a Katalog file or a folder of them, - for standard input; can be given more than once")
}

// printFindings prints one line each and returns the error that ends the command.
func printFindings(cmd *cobra.Command, findings katalog.Findings) error {
	for _, finding := range findings {
		cmd.PrintErrln("error: " + finding.String())
	}
	return &reported{errors.New(counted(len(findings), "error"))}
}

func printWarnings(cmd *cobra.Command, findings katalog.Findings) {
	for _, finding := range findings {
		cmd.PrintErrln("warning: " + finding.String())
	}
}
