package cli

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/orkestra-runtime/orkestra/api/katalog"
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
	var namespace, output string
	cmd := &cobra.Command{
		Use:   "rbac -f KATALOG",
		Short: "Prints the rights that running Katalogs needs, of the operator and of the gateway",
		Long: `Prints the rights that running Katalogs needs, of the operator and of the gateway, ready to be applied. With --output they are written
into a file, and beside it, for each other cluster that the gateway applies to, what it needs there, into gateway-CLUSTER-rbac.yaml.`,
		Args: command.NoArguments,
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
			granted := &GatewayRights{}
			if slices.Contains(programs, forGateway) {
				if granted, err = gatewayRights(opts, l, namespace); err != nil {
					return err
				}
			}
			objects = append(objects, granted.Own...)
			if err := protect(objects, l); err != nil {
				return err
			}
			if output == "-" {
				if len(granted.Clusters) > 0 {
					cmd.PrintErrln("what the gateway needs in other clusters is written with --output FILE: " + strings.Join(slices.Sorted(maps.Keys(granted.Clusters)), ", "))
				}
				return printObjects(opts.Out, objects)
			}
			if slices.ContainsFunc(files, func(file string) bool { return filepath.Clean(file) == filepath.Clean(output) }) {
				return command.Usage(fmt.Errorf("--output %s is a Katalog, which would be lost", output))
			}
			return writeRights(cmd, output, objects, granted)
		},
	}
	command.FilesFlag(cmd, &files)
	cmd.Flags().StringSliceVar(&programs, "for", []string{forRuntime, forGateway},
		"of which programs: "+strings.Join([]string{forRuntime, forGateway}, ", ")+"; of the gateway only where a Katalog has one")
	cmd.Flags().StringVarP(&namespace, "namespace", "n", "orkestra-system", "where they run")
	cmd.Flags().StringVarP(&output, "output", "o", "-", "the file that they are written into; - for the terminal")
	return cmd
}

// protect gives the objects the label that protects them from deletion, if a Katalog has that on: without their rights the programs do nothing.
func protect(objects []runtime.Object, l *loaded) error {
	if !slices.ContainsFunc(l.documents, func(one *katalog.Document) bool {
		return one.Katalog.Security != nil && one.Katalog.Security.DeletionProtection.On()
	}) {
		return nil
	}
	for _, one := range objects {
		object, err := meta.Accessor(one)
		if err != nil {
			return fmt.Errorf("protect %T: %w", one, err)
		}
		labels := maps.Clone(object.GetLabels())
		if labels == nil {
			labels = map[string]string{}
		}
		labels[orkv1.LabelDeletionProtection] = "true"
		object.SetLabels(labels)
	}
	return nil
}

// writeRights writes the rights into a file, and those in other clusters beside it.
func writeRights(cmd *cobra.Command, output string, objects []runtime.Object, granted *GatewayRights) error {
	all := map[string][]runtime.Object{output: objects}
	for cluster, needed := range granted.Clusters {
		beside := filepath.Join(filepath.Dir(output), "gateway-"+cluster+"-rbac.yaml")
		if beside == filepath.Clean(output) {
			return command.Usage(fmt.Errorf("--output %s is the file of what the gateway needs in the cluster %s: name another one", output, cluster)) //nolint:wrapcheck // says what to do
		}
		all[beside] = needed
	}
	for _, crd := range granted.Chosen {
		cmd.PrintErrln("warning: an intent for " + crd + " chooses its cluster: its rights are in the file of each")
	}
	for _, file := range slices.Sorted(maps.Keys(all)) {
		var text bytes.Buffer
		if err := printObjects(&text, all[file]); err != nil {
			return err
		}
		if err := os.WriteFile(file, text.Bytes(), 0o644); err != nil { //nolint:gosec // rights are no secret
			return err //nolint:wrapcheck // names the file
		}
		cmd.PrintErrln("wrote " + file)
	}
	return nil
}

// printObjects writes objects as documents of one file.
func printObjects(w io.Writer, objects []runtime.Object) error {
	for i, one := range objects {
		if i > 0 {
			if _, err := fmt.Fprintln(w, "---"); err != nil {
				return err //nolint:wrapcheck // says all there is to say
			}
		}
		if err := command.Print(w, "yaml", one); err != nil {
			return err //nolint:wrapcheck // says all there is to say
		}
	}
	return nil
}

// gatewayRights are those of the gateway of the Katalogs that have one.
func gatewayRights(opts Options, l *loaded, namespace string) (*GatewayRights, error) {
	var served []*orkv1.Katalog
	for _, one := range l.documents {
		if g := one.Katalog.Gateway; g != nil && (g.Enabled == nil || *g.Enabled) {
			served = append(served, one.Katalog)
		}
	}
	if len(served) == 0 || opts.GatewayRights == nil {
		return &GatewayRights{}, nil
	}
	return opts.GatewayRights(served, namespace)
}
