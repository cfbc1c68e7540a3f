package envtest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/orkestra-runtime/orkestra/envtest"
)

// childVariable, when it is set, makes the test binary the parent of an environment that comes to the end it names.
const childVariable = "ORKESTRA_ENVTEST_CHILD"

func TestMain(m *testing.M) {
	if end := os.Getenv(childVariable); end != "" {
		runChild(end)
		return
	}
	m.Run()
}

// runner is a *testing.M for Main.
type runner func() int

func (r runner) Run() int { return r() }

// runChild starts an environment, writes its folder to stdout and ends as it is told to.
func runChild(end string) {
	if end == "signal" {
		var env *envtest.Environment
		envtest.Main(runner(func() int {
			announce(env)
			select {}
		}), envtest.Options{}, func(e *envtest.Environment) { env = e })
		return
	}
	env, err := envtest.Start(context.Background(), envtest.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	announce(env)
	if end == "panic" {
		panic("as the test asked for")
	}
	select {}
}

func announce(env *envtest.Environment) {
	fmt.Fprintln(os.Stdout, filepath.Dir(env.Kubeconfig()))
}

// needBinaries skips what takes real processes in short mode, and fails when there are none to run.
func needBinaries(t *testing.T, controllers bool) {
	t.Helper()
	if testing.Short() {
		t.Skip("starts real processes")
	}
	if _, err := envtest.Assets(controllers); err != nil {
		t.Fatal(err)
	}
}

// start starts an environment that is stopped with the test, unless the test has stopped it already.
func start(t *testing.T, opts envtest.Options) *envtest.Environment {
	t.Helper()
	begin := time.Now()
	env, err := envtest.Start(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("started in %s", time.Since(begin).Round(time.Millisecond))
	t.Cleanup(func() { stop(t, env) })
	return env
}

// stop stops the environment and checks that none of its processes is left.
func stop(t *testing.T, env *envtest.Environment) {
	t.Helper()
	begin := time.Now()
	if err := env.Stop(); err != nil {
		t.Errorf("Stop(): %v", err)
	}
	t.Logf("stopped in %s", time.Since(begin).Round(time.Millisecond))
	if left := processesOf(t, filepath.Dir(env.Kubeconfig())); len(left) > 0 {
		t.Errorf("after Stop these processes are left: %v", left)
	}
}

// processesOf returns the processes that were started with the folder in their arguments. It knows only Linux.
func processesOf(t *testing.T, dir string) []string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Log("processes are not looked for on " + runtime.GOOS)
		return nil
	}
	paths, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, path := range paths {
		arguments, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		if strings.Contains(string(arguments), dir+"/") {
			name, _, _ := strings.Cut(string(arguments), "\x00")
			found = append(found, filepath.Base(name)+" "+filepath.Dir(path))
		}
	}
	return found
}

// eventually waits until check returns nil, and fails the test with its last error.
func eventually(t *testing.T, limit time.Duration, check func(context.Context) error) {
	t.Helper()
	last := errors.New("not checked")
	err := wait.PollUntilContextTimeout(t.Context(), 20*time.Millisecond, limit, true, func(ctx context.Context) (bool, error) {
		last = check(ctx)
		return last == nil, nil
	})
	if err != nil {
		t.Fatalf("not within %s: %v", limit, last)
	}
}
