package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	"github.com/orkestra-runtime/orkestra/controllers/builtin"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

// loaded is what the files say, checked as far as that goes without a cluster.
type loaded struct {
	documents []*katalog.Document
	sets      []*box.Set
	warnings  katalog.Findings
}

// load reads and compiles Katalogs. Its error is of type katalog.Findings when the files are wrong; what is loaded is nil then when
// they could not even be read, and holds the warnings otherwise.
func load(opts Options, files []string, inCluster bool) (*loaded, error) {
	if len(files) == 0 {
		return nil, &usageError{errors.New("no Katalog: name one with -f")}
	}
	registry, err := builtin.Registry()
	if err != nil {
		return nil, err
	}
	result, err := katalog.Load(katalog.Options{Stdin: opts.In, FilesOptional: inCluster}, files...)
	findings, wrong := errors.AsType[katalog.Findings](err)
	switch {
	case wrong:
		return &loaded{}, findings
	case err != nil:
		return nil, err
	}
	if wrong { // nothing was loaded
		return nil, findings
	}
	l := &loaded{documents: result.Documents, warnings: result.Warnings}
	for _, document := range result.Documents {
		sets, errs := box.CompileKatalog(document.Katalog, registry)
		findings = append(findings, document.Findings(errs)...)
		l.sets = append(l.sets, sets...)
	}
	if len(findings) > 0 {
		return l, findings
	}
	return l, nil
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
	return &reported{fmt.Errorf("%d errors", len(findings))}
}

func printWarnings(cmd *cobra.Command, findings katalog.Findings) {
	for _, finding := range findings {
		cmd.PrintErrln("warning: " + finding.String())
	}
}
