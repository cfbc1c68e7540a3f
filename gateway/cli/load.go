package cli

import (
	"errors"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/gateway/entry"
	"github.com/orkestra-runtime/orkestra/gateway/server"
	"github.com/orkestra-runtime/orkestra/internal/command"
	"github.com/orkestra-runtime/orkestra/providers/external"
)

// Check is what is wrong with the gateway's part of a Katalog: for commands that check Katalogs whole.
func Check(document *katalog.Document) (errs, warnings field.ErrorList) {
	entries, _ := entry.Compile(document.Katalog, schemas(document))
	return slices.Concat(server.Check(document.Katalog, schemas(document)), unreachable(document, entries), roundTrips(document, entries)), nil
}

// checked is what keeps the gateway from starting: what Check finds but for what an example loses, and calls that this binary will not make.
func checked(clients external.Registry) katalog.Checks {
	return func(document *katalog.Document) (errs, warnings field.ErrorList) {
		entries, _ := entry.Compile(document.Katalog, schemas(document))
		errs = append(server.Check(document.Katalog, schemas(document)), unreachable(document, entries)...)
		for _, one := range entries {
			missing, refused := one.Admission.Calls().Check(clients)
			errs = slices.Concat(errs, missing, refused)
		}
		return errs, warnings
	}
}

// schemas are those of the crdFiles, in all versions: conversions have to do with several.
func schemas(documents ...*katalog.Document) entry.Schemas {
	all := map[string]map[string]*roots.Props{}
	for _, document := range documents {
		for name, files := range document.CRDs {
			if files.CRD == nil || files.CRD.Spec.PreserveUnknownFields {
				continue
			}
			all[name] = map[string]*roots.Props{}
			for _, version := range files.CRD.Spec.Versions {
				if version.Schema != nil {
					all[name][version.Name] = version.Schema.OpenAPIV3Schema
				}
			}
		}
	}
	return func(entry string) map[string]*roots.Props { return all[entry] }
}

// read reads Katalogs for a gateway, and prints all that is wrong with them.
func read(cmd *cobra.Command, in io.Reader, files []string, check katalog.Checks) (*katalog.Result, error) {
	if len(files) == 0 || slices.Contains(files, "") {
		return nil, command.Usage(errors.New("no Katalog: name one with -f"))
	}
	result, err := command.Interruptibly(cmd.Context(), func() (*katalog.Result, error) { return load(in, files, check) })
	if result != nil {
		command.PrintWarnings(cmd, result.Warnings)
	}
	if findings, wrong := errors.AsType[katalog.Findings](err); wrong {
		return nil, command.PrintFindings(cmd, findings)
	}
	return result, err //nolint:wrapcheck // says where and what
}

// load reads Katalogs. With an error the result tells what was read all the same.
func load(in io.Reader, files []string, check katalog.Checks) (*katalog.Result, error) {
	//nolint:wrapcheck // says where and what
	return katalog.Load(katalog.Options{
		Stdin: in, FilesOptional: command.InCluster(), Env: os.Getenv, Gateway: true, Check: check, Evaluate: conditions.Constant,
	}, files...)
}

func katalogs(documents []*katalog.Document) []*orkv1.Katalog {
	all := make([]*orkv1.Katalog, 0, len(documents))
	for _, document := range documents {
		all = append(all, document.Katalog)
	}
	return all
}
