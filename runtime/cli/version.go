package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/orkestra-runtime/orkestra/internal/command"
)

// version is what the binary is made of.
type version struct {
	Ork               string `json:"ork"`
	Commit            string `json:"commit,omitempty"`
	Kubernetes        string `json:"kubernetes"`
	ControllerRuntime string `json:"controllerRuntime"`
	Go                string `json:"go"`
}

func versionCommand(opts Options) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Prints the versions of ork, of the Kubernetes libraries and of Go",
		Args:  command.NoArguments,
		RunE: func(_ *cobra.Command, _ []string) error {
			v := versionOf()
			if output != "" {
				return command.Print(opts.Out, output, v)
			}
			_, err := fmt.Fprintf(opts.Out, "ork                %s\nKubernetes         %s\ncontroller-runtime %s\nGo                 %s\n",
				v.Ork, v.Kubernetes, v.ControllerRuntime, v.Go)
			return err //nolint:wrapcheck // says all there is to say
		},
	}
	command.OutputFlag(cmd, &output)
	return cmd
}

func versionOf() version {
	v := version{Ork: "unknown", Go: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	v.Ork = info.Main.Version
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			v.Commit = setting.Value
		}
	}
	for _, module := range info.Deps {
		switch module.Path {
		case "k8s.io/client-go":
			v.Kubernetes = module.Version
		case "sigs.k8s.io/controller-runtime":
			v.ControllerRuntime = module.Version
		}
	}
	return v
}
