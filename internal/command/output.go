package command

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"
)

// OutputFlag adds -o. An unknown format is an error of usage, before anything is done.
func OutputFlag(cmd *cobra.Command, output *string) {
	cmd.Flags().StringVarP(output, "output", "o", "", "print as yaml or json")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		switch *output {
		case "", "yaml", "json":
			return nil
		default:
			return Usage(fmt.Errorf("unknown output %q; valid: yaml, json", *output))
		}
	}
}

// Print prints a value as json, or as yaml.
func Print(out io.Writer, format string, value any) error {
	var text []byte
	var err error
	if format == "json" {
		text, err = json.MarshalIndent(value, "", "  ")
		text = append(text, '\n')
	} else {
		text, err = yaml.Marshal(value)
	}
	if err != nil {
		return fmt.Errorf("encode the output: %w", err)
	}
	_, err = out.Write(text)
	return err //nolint:wrapcheck // says all there is to say
}
