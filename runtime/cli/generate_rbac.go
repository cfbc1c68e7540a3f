package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/runtime"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/internal/command"
)

// The programs that rights are printed for.
const (
	forRuntime = "runtime"
	forGateway = "gateway"
)

func generateRBACCommand(opts Options) *cobra.Command {
	var files, programs []string
	var namespace string
	cmd := &cobra.Command{
		Use:   "rbac -f KATALOG",
		Short: "Prints the rights that running Katalogs needs, of the operator and of the gateway",
		Args:  command.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, one := range programs {
				if one != forRuntime && one != forGateway {
					return command.Usage(fmt.Errorf("there is no program %q; valid: %s, %s", one, forRuntime, forGateway))
				}
			}
			l, err := loadInterruptibly(cmd.Context(), opts, files, reading{rights: true, gateway: opts.GatewayRights != nil})
			if err != nil {
				return err
			}
			command.PrintWarnings(cmd, l.warnings)
			var objects []runtime.Object
			if slices.Contains(programs, forRuntime) {
				cluster, own := roles(l.sets)
				own.Namespace = namespace
				objects = append(objects, cluster, own)
			}
			if slices.Contains(programs, forGateway) {
				granted, err := gatewayRights(opts, l, namespace)
				if err != nil {
					return err
				}
				objects = append(objects, granted...)
			}
			for i, one := range objects {
				if i > 0 {
					if _, err := fmt.Fprintln(opts.Out, "---"); err != nil {
						return err //nolint:wrapcheck // says all there is to say
					}
				}
				if err := command.Print(opts.Out, "yaml", one); err != nil {
					return err
				}
			}
			return nil
		},
	}
	command.FilesFlag(cmd, &files)
	cmd.Flags().StringSliceVar(&programs, "for", []string{forRuntime, forGateway},
		"of which programs: "+strings.Join([]string{forRuntime, forGateway}, ", ")+"; of the gateway only where a Katalog has one")
	cmd.Flags().StringVarP(&namespace, "namespace", "n", "orkestra-system", "where they run")
	return cmd
}

// gatewayRights are those of the gateway of the Katalogs that have one.
func gatewayRights(opts Options, l *loaded, namespace string) ([]runtime.Object, error) {
	var served []*orkv1.Katalog
	for _, one := range l.documents {
		if g := one.Katalog.Gateway; g != nil && (g.Enabled == nil || *g.Enabled) {
			served = append(served, one.Katalog)
		}
	}
	if len(served) == 0 || opts.GatewayRights == nil {
		return nil, nil
	}
	return opts.GatewayRights(served, namespace)
}
