package gocode_test

import (
	"strings"
	"testing"

	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/command"
)

// A program with the commands of ork and a constructor of its own runs the Katalog that names it.
func TestConstructorExample(t *testing.T) {
	program := command.BuildOf(t, "github.com/orkestra-runtime/orkestra/examples/constructor")
	const file = "../../../examples/constructor/katalog.yaml"
	if got := program.Run(t, "validate", "-f", file); got.Out != "valid, 0 warnings\n" {
		t.Errorf("validate:\n%s%s", got.Out, got.Err)
	}
	if testing.Short() {
		t.Skip("the rest starts a control plane")
	}
	got := program.Run(t, "run", "-f", file, "--embedded", "--until-settled=60s", "--metrics-bind-address=0", "--health-probe-bind-address=0")
	if got.Code != 0 || !strings.Contains(got.Out, "summary: hello says hello") {
		t.Errorf("it ends with %d, want 0, and the declared status:\n%s%s", got.Code, got.Out, got.Err)
	}
}
