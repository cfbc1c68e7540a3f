package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/orkestra-runtime/orkestra/config/schema"
	"github.com/orkestra-runtime/orkestra/internal/command"
)

func generateCommand(opts Options) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "generate",
		Short: "Prints what others need to work with Katalogs",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return command.Usage(fmt.Errorf("generate what? valid: rbac, schema"))
		},
	}
	cmd.AddCommand(generateSchemaCommand(opts), generateRBACCommand(opts))
	return cmd
}

func generateSchemaCommand(opts Options) *cobra.Command {
	schemas := map[string][]byte{"Katalog": schema.Katalog, "Motif": schema.Motif}
	var kind string
	cmd := &cobra.Command{
		Use:   "schema",
		Short: "Prints the JSON schema by which an editor completes and checks Katalogs",
		Args:  command.NoArguments,
		RunE: func(*cobra.Command, []string) error {
			text, ok := schemas[kind]
			if !ok {
				return command.Usage(fmt.Errorf("there is no schema of the kind %q; valid: Katalog, Motif", kind))
			}
			_, err := opts.Out.Write(text)
			return err //nolint:wrapcheck // says all there is to say
		},
	}
	cmd.Flags().StringVar(&kind, "kind", "Katalog", "of which kind of file: Katalog or Motif")
	return cmd
}
