package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	"github.com/orkestra-runtime/orkestra/internal/command"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

// report is what validate prints as yaml or json.
type report struct {
	Valid    bool      `json:"valid"`
	Errors   []finding `json:"errors"`
	Warnings []finding `json:"warnings"`
	// ClusterRole and Role, for the operator's own namespace, are what the Katalogs need, with --full.
	ClusterRole *rbacv1.ClusterRole `json:"clusterRole,omitempty"`
	Role        *rbacv1.Role        `json:"role,omitempty"`
}

type finding struct {
	File    string   `json:"file"`
	Line    int      `json:"line,omitempty"`
	Column  int      `json:"column,omitempty"`
	Path    string   `json:"path,omitempty"`
	Message string   `json:"message"`
	Valid   []string `json:"valid,omitempty"`
	// Imports are the places of the imports that led to a Motif, as file:line:column.
	Imports []string `json:"imports,omitempty"`
}

func validateCommand(opts Options) *cobra.Command {
	var files []string
	var output string
	var full bool
	cmd := &cobra.Command{
		Use:   "validate -f KATALOG",
		Short: "Checks Katalogs and Motifs without a cluster and prints everything that is wrong with them",
		Args:  command.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := loadInterruptibly(cmd.Context(), opts, files, reading{motifs: true, rights: full})
			findings, wrong := errors.AsType[katalog.Findings](err)
			if err != nil && !wrong {
				return err
			}
			if l == nil {
				l = &loaded{}
			}
			r := report{Valid: !wrong, Errors: list(findings), Warnings: list(l.warnings)}
			if full && !wrong {
				r.ClusterRole, r.Role = roles(l.sets)
			}
			if output == "" {
				return r.print(opts, findings, l.warnings)
			}
			if err := command.Print(opts.Out, output, r); err != nil {
				return err
			}
			if wrong {
				return command.Reported(findings)
			}
			return nil
		},
	}
	command.FilesFlag(cmd, &files)
	command.OutputFlag(cmd, &output)
	cmd.Flags().BoolVar(&full, "full", false, "also print the ClusterRole and the Role that running the Katalogs needs")
	return cmd
}

func list(findings katalog.Findings) []finding {
	all := make([]finding, 0, len(findings))
	for _, f := range findings {
		one := finding{File: f.File, Line: f.Line, Column: f.Column, Path: f.Path, Message: f.Message, Valid: f.Valid}
		for _, at := range f.Imports {
			one.Imports = append(one.Imports, at.String())
		}
		all = append(all, one)
	}
	return all
}

// print writes a line for each finding, and a last one that sums up.
func (r report) print(opts Options, errs, warnings katalog.Findings) error {
	for _, one := range errs {
		if _, err := fmt.Fprintf(opts.Out, "error: %s\n", one); err != nil {
			return err //nolint:wrapcheck // says all there is to say
		}
	}
	for _, one := range warnings {
		if _, err := fmt.Fprintf(opts.Out, "warning: %s\n", one); err != nil {
			return err //nolint:wrapcheck // says all there is to say
		}
	}
	if len(errs) > 0 {
		return fmt.Errorf("invalid: %s, %s", command.Counted(len(errs), "error"), command.Counted(len(warnings), "warning"))
	}
	if r.ClusterRole != nil {
		if err := command.Print(opts.Out, "yaml", r.ClusterRole); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(opts.Out, "---"); err != nil {
			return err //nolint:wrapcheck // says all there is to say
		}
		return command.Print(opts.Out, "yaml", r.Role)
	}
	_, err := fmt.Fprintf(opts.Out, "valid, %s\n", command.Counted(len(warnings), "warning"))
	return err //nolint:wrapcheck // says all there is to say
}

// roles are the rights in the whole cluster, and those in the namespace that run is told with --namespace.
func roles(sets []*box.Set) (*rbacv1.ClusterRole, *rbacv1.Role) {
	cluster := &rbacv1.ClusterRole{
		TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "ClusterRole"},
		ObjectMeta: metav1.ObjectMeta{Name: "orkestra"},
		Rules:      box.Rules(sets...),
	}
	own := &rbacv1.Role{
		TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "Role"},
		ObjectMeta: metav1.ObjectMeta{Name: "orkestra", Namespace: command.DefaultNamespace()},
		Rules:      box.OwnRules(),
	}
	return cluster, own
}
