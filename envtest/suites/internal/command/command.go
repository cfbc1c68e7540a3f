package command

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Command is a built ork.
type Command struct{ path string }

// Result is what a finished run left behind.
type Result struct {
	// Code is the exit code, -1 for a process that a signal ended.
	Code     int
	Out, Err string
}

// Process is a run that goes on until it is interrupted.
type Process struct {
	// ended is closed when result is set.
	ended  chan struct{}
	result Result
	log    *buffer
	stop   context.CancelFunc
}

// grace is how long an interrupted process may take to end before it is killed.
const grace = 45 * time.Second

// Build compiles ork into a temporary folder of the test.
func Build(t *testing.T) *Command {
	t.Helper()
	return BuildOf(t, "github.com/orkestra-runtime/orkestra")
}

// BuildOf compiles another program that has the commands of ork.
func BuildOf(t *testing.T, pkg string) *Command {
	t.Helper()
	c := &Command{path: filepath.Join(t.TempDir(), "ork")}
	build := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", c.path, pkg) //nolint:gosec // a folder of the test
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build ork: %v\n%s", err, out)
	}
	return c
}

// Run runs ork to its end. It fails the test when ork cannot be started; what it answers is the caller's to judge.
func (c *Command) Run(t *testing.T, args ...string) Result {
	t.Helper()
	p := c.start(t.Context(), t, args...)
	<-p.ended
	return p.result
}

// Start starts ork. It is interrupted at the end of the test, unless Stop has done so before.
func (c *Command) Start(t *testing.T, args ...string) *Process {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	p := c.start(ctx, t, args...)
	p.stop = cancel
	t.Cleanup(func() { p.Stop() })
	return p
}

func (c *Command) start(ctx context.Context, t *testing.T, args ...string) *Process {
	t.Helper()
	p := &Process{ended: make(chan struct{}), log: &buffer{}}
	var out bytes.Buffer
	process := exec.CommandContext(ctx, c.path, args...) //nolint:gosec // what was built above
	process.Stdout, process.Stderr = &out, p.log
	process.Env = slices.DeleteFunc(os.Environ(), inCluster)
	process.Cancel = func() error { return process.Process.Signal(os.Interrupt) }
	process.WaitDelay = grace
	if err := process.Start(); err != nil {
		t.Fatalf("start ork: %v", err)
	}
	go func() {
		defer close(p.ended)
		_ = process.Wait() // the exit code says more
		p.result = Result{Code: process.ProcessState.ExitCode(), Out: out.String(), Err: p.log.String()}
	}()
	return p
}

// Stop interrupts the process, waits for its end and returns what it left behind.
func (p *Process) Stop() Result {
	p.stop()
	<-p.ended
	return p.result
}

// Log is what the process has written to stderr so far.
func (p *Process) Log() string { return p.log.String() }

// inCluster tells whether a variable would make ork believe that it runs in a pod, as the test itself may.
func inCluster(variable string) bool { return strings.HasPrefix(variable, "KUBERNETES_SERVICE_HOST=") }

// buffer collects what one goroutine writes and others read.
type buffer struct {
	mu   sync.Mutex // guards text
	text bytes.Buffer
}

func (b *buffer) Write(data []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(data)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
