package examples_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orkestra-runtime/orkestra/envtest"
	"github.com/orkestra-runtime/orkestra/envtest/suites/internal/command"
	"github.com/orkestra-runtime/orkestra/internal/golden"
)

// folder holds the examples.
const folder = "../../../examples"

// quietly keeps the runs from taking ports that a person may need.
var quietly = []string{"--metrics-bind-address=0", "--health-probe-bind-address=0"}

// names lists the examples that consist of Katalogs alone.
func names(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		_, err := os.Stat(filepath.Join(folder, entry.Name(), "main.go"))
		if program := err == nil; entry.IsDir() && !program { // ork alone does not run those
			names = append(names, entry.Name())
		}
	}
	if len(names) < 5 {
		t.Fatalf("%s holds the examples %v: want at least five", folder, names)
	}
	return names
}

func TestExamples(t *testing.T) {
	ork := command.Build(t)
	t.Run("validate", func(t *testing.T) {
		for _, name := range names(t) {
			t.Run(name, func(t *testing.T) { validate(t, ork, name) })
		}
	})
	t.Run("half", func(t *testing.T) { validateHalf(t, ork) })
	if testing.Short() {
		t.Skip("the rest starts control planes")
	}
	// What make demo does.
	t.Run("embedded", func(t *testing.T) {
		const name = "website"
		run := append([]string{"run", "-f", filepath.Join(folder, name, "katalog.yaml"), "--embedded", "--until-settled=60s"}, quietly...)
		golden.Compare(t, filepath.Join("testdata", name+".txt"), settle(t, ork, run...).String())
	})
	t.Run("settle", func(t *testing.T) {
		env := start(t)
		for _, name := range names(t) {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				settleAndDelete(t, ork, env, name)
			})
		}
	})
}

// start starts the control plane that the examples share.
func start(t *testing.T) *envtest.Environment {
	t.Helper()
	// The garbage collector looks for new kinds every 30 seconds. Those that are there before it starts, it knows at once.
	crds, err := filepath.Glob(filepath.Join(folder, "*", "*crd.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	env, err := envtest.Start(t.Context(), envtest.Options{Controllers: true, CRDPaths: crds})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := env.Stop(); err != nil {
			t.Error(err)
		}
	})
	return env
}

func validate(t *testing.T, ork *command.Command, name string) {
	t.Helper()
	got := ork.Run(t, "validate", "-f", filepath.Join(folder, name))
	want := command.Result{Out: "valid, 0 warnings\n"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("an example has neither errors nor warnings: -want, +got:\n%s", diff)
	}
}

// validateHalf leaves out one of two Katalogs that belong together.
func validateHalf(t *testing.T, ork *command.Command) {
	t.Helper()
	path := filepath.Join(folder, "fan-out", "katalog.yaml")
	got := ork.Run(t, "validate", "-f", path)
	const message = "spec.crds[shop].dependsOn[storefront]: no CRD is called storefront"
	if got.Code != 1 || !strings.Contains(got.Out, path+":12:31: "+message) {
		t.Errorf("ork validate ends with %d, want 1, and tells where and what:\n%s%s", got.Code, got.Out, got.Err)
	}
}

// settleAndDelete runs an example as its README says, then once more without an end, in which a person tries things and in the end
// deletes the resources.
func settleAndDelete(t *testing.T, ork *command.Command, env *envtest.Environment, name string) {
	t.Helper()
	run := append([]string{"run", "-f", filepath.Join(folder, name), "--kubeconfig", env.Kubeconfig()}, quietly...)
	settled := settle(t, ork, append(run, "--until-settled=60s")...)
	golden.Compare(t, filepath.Join("testdata", name+".txt"), settled.String())
	c := newCluster(t, env.Config())
	c.has(t, settled.objects())

	operator := ork.Start(t, run...)
	c.awaitApplied(t, operator, settled.roots())
	if len(stories[name]) == 0 {
		t.Error("the example has no story: a README tells what to try, and a test that it is true")
	}
	c.tell(t, stories[name])
	c.deleteRoots(t, settled)
	if end := operator.Stop(); end.Code != 0 {
		t.Errorf("ork ends with %d after an interrupt; want 0\n%s", end.Code, end.Err)
	}
}

// settle runs ork until everything is settled, and returns what it printed.
func settle(t *testing.T, ork *command.Command, args ...string) printed {
	t.Helper()
	result := ork.Run(t, args...)
	if result.Code != 0 {
		t.Fatalf("ork %v ends with %d; want 0\n%s", args, result.Code, result.Err)
	}
	return read(t, result.Out)
}
