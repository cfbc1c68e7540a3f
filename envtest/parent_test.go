package envtest_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/orkestra-runtime/orkestra/envtest"
)

// TestParentEnds starts environments in processes of their own and looks for what is left after each.
func TestParentEnds(t *testing.T) {
	needBinaries(t, false)
	if runtime.GOOS != "linux" {
		t.Skip("only Linux ends children with their parent")
	}
	t.Parallel()
	cases := map[string]struct {
		reason string
		child  string
		signal os.Signal
		// removed says that the temporary folder has to be gone.
		removed bool
		// restarted says that another environment has to start on what the ended one left.
		restarted bool
	}{
		"Panic":   {reason: "a panic runs no cleanup of another goroutine", child: "panic"},
		"Killed":  {reason: "SIGKILL lets the process do nothing", child: "wait", signal: syscall.SIGKILL, restarted: true},
		"SIGINT":  {reason: "Main stops the environment at Ctrl-C", child: "signal", signal: syscall.SIGINT, removed: true},
		"SIGTERM": {reason: "Main stops the environment when a runner ends the tests", child: "signal", signal: syscall.SIGTERM, removed: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			dir, state := runParent(t, tc.child, tc.signal)
			eventually(t, 5*time.Second, func(context.Context) error {
				if left := processesOf(t, dir); len(left) > 0 {
					return fmt.Errorf("%s; these processes are left: %v", tc.reason, left)
				}
				return nil
			})
			if status, ok := state.Sys().(syscall.WaitStatus); tc.signal != nil && (!ok || status.Signal() != tc.signal) {
				t.Errorf("%s; want the parent ended by %s, got %s", tc.reason, tc.signal, state)
			}
			if _, err := os.Stat(dir); tc.removed && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s; want the temporary folder removed, got %v", tc.reason, err)
			}
			if tc.restarted {
				start(t, envtest.Options{Dir: dir})
			}
		})
	}
}

// runParent runs the test binary as the parent of an environment, sends the signal when the environment is up, and returns
// the environment's folder and how the parent ended.
func runParent(t *testing.T, child string, signal os.Signal) (string, *os.ProcessState) {
	t.Helper()
	parent := exec.CommandContext(t.Context(), os.Args[0])
	parent.Env = append(os.Environ(), childVariable+"="+child, "TMPDIR="+t.TempDir())
	var stderr strings.Builder
	parent.Stderr = &stderr
	stdout, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stdout)
	if !lines.Scan() {
		_ = parent.Wait()
		t.Fatalf("the parent ended before its environment was up: %s", stderr.String())
	}
	dir := lines.Text()
	if signal != nil {
		if len(processesOf(t, dir)) < 2 {
			t.Fatal("before the signal there are no processes: the test would prove nothing")
		}
		if err := parent.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
	}
	_ = parent.Wait() // the state says it
	return dir, parent.ProcessState
}
