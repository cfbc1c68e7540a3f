package cli

import (
	"context"
	"errors"
	"os"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	"github.com/orkestra-runtime/orkestra/conditions"
	"github.com/orkestra-runtime/orkestra/controllers/builtin"
	"github.com/orkestra-runtime/orkestra/internal/command"
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
	motifs    bool // to check them whole, Motifs as well
	run       bool // to run them, for which there must be the Go code that they name
	rights    bool // to print what rights they need
	gateway   bool // with what a gateway alone supports
}

// toRun is what files are read for at the start of an operator, and whenever they change.
func toRun() reading { return reading{inCluster: command.InCluster(), run: true} }

// load reads and compiles Katalogs. Its error is of type katalog.Findings when the files are wrong; then there are warnings, but
// no documents.
func load(opts Options, files []string, purpose reading) (*loaded, error) {
	if len(files) == 0 || slices.Contains(files, "") {
		return nil, command.Usage(errors.New("no Katalog: name one with -f"))
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
			clients, refused := checkCalls(sets, opts)
			missing = slices.Concat(missing, clients, missingBuilders(sets, opts))
			found.Errors = append(found.Errors, refused...)
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
			if purpose.motifs && opts.Check != nil {
				errs, warnings := opts.Check(document)
				found.Errors, found.Warnings = with(found.Errors, errs), with(found.Warnings, warnings)
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

// with are findings and those of somebody else, who may have found the same.
func with(findings, others field.ErrorList) field.ErrorList {
	for _, one := range others {
		if !slices.ContainsFunc(findings, func(f *field.Error) bool { return f.Error() == one.Error() }) {
			findings = append(findings, one)
		}
	}
	return findings
}

// loadInterruptibly is load for a command that is interrupted while it waits for the standard input or for a pipe.
func loadInterruptibly(ctx context.Context, opts Options, files []string, purpose reading) (*loaded, error) {
	return command.Interruptibly(ctx, func() (*loaded, error) { return load(opts, files, purpose) })
}
