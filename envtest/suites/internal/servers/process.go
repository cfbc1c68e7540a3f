package servers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

const (
	// startTimeout is how long a server may take to be there, stopTimeout how long to end before it is killed.
	startTimeout = 60 * time.Second
	stopTimeout  = 10 * time.Second
	pollInterval = 20 * time.Millisecond
	// askTimeout is how long asking a server whether it is there may take.
	askTimeout = 2 * time.Second
)

// process is a server that runs as a process of its own. It is not safe for concurrent use.
type process struct {
	t      T
	binary string
	args   []string
	// env are variables besides PATH and HOME.
	env []string
	// dir is the working folder; the output goes to a file there.
	dir string
	// as is the user that it runs as, nil for the test's.
	as *syscall.Credential
	// quit is the signal that has it end.
	quit syscall.Signal
	// ready tells whether it is there.
	ready func(context.Context) error

	running *exec.Cmd
	ended   chan struct{}
}

// launch starts the server for the first time, and stops it when the test ends.
func (p *process) launch() {
	p.t.Helper()
	p.t.Cleanup(p.Stop)
	p.Start()
}

// Start starts the server where it was, with what it has stored, and waits until it is there. One that runs is left alone.
func (p *process) Start() {
	p.t.Helper()
	if p.running != nil {
		return
	}
	output, err := os.OpenFile(p.log(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		p.t.Fatalf("open the log of %s: %v", p.name(), err)
	}
	defer func() { _ = output.Close() }()    // the process has its own
	cmd := exec.Command(p.binary, p.args...) //nolint:gosec,noctx // it lives until it is stopped
	cmd.Dir, cmd.Stdout, cmd.Stderr = p.dir, output, output
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.dir}, p.env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL, Credential: p.as}
	started, ended := make(chan error), make(chan struct{})
	go func() {
		// The kernel ends a child with the thread that started it.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(ended)
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // the log says more
		}
	}()
	if err := <-started; err != nil {
		p.t.Fatalf("start %s: %v", p.name(), err)
	}
	p.running, p.ended = cmd, ended
	if err := p.await(); err != nil {
		p.Stop()
		p.t.Fatalf("%s does not start: %v; the end of its log:\n%s", p.name(), err, p.tail())
	}
}

// Stop ends the server and returns when it is gone. What it has stored stays for Start.
func (p *process) Stop() {
	if p.running == nil {
		return
	}
	_ = p.running.Process.Signal(p.quit) // one that has ended already is as good
	select {
	case <-p.ended:
	case <-time.After(stopTimeout):
		_ = p.running.Process.Kill()
		<-p.ended
	}
	p.running = nil
}

// await waits until the server is there.
func (p *process) await() error {
	return poll(startTimeout, func(ctx context.Context) error {
		select {
		case <-p.ended:
			return errEnded
		default:
			return p.ready(ctx)
		}
	})
}

// errEnded is a server that has ended by itself.
var errEnded = errors.New("it ended")

// poll asks until the answer is nil, or for as long as it may take.
func poll(timeout time.Duration, ask func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		err := askOnce(ctx, ask)
		if err == nil || errors.Is(err, errEnded) {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("not in %s: %w", timeout, err)
		case <-tick.C:
		}
	}
}

func askOnce(ctx context.Context, ask func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	return ask(ctx)
}

func (p *process) name() string { return filepath.Base(p.binary) }

func (p *process) log() string { return filepath.Join(p.dir, "server.log") }

// tail is the end of the log.
func (p *process) tail() []byte {
	const most = 20
	text, err := os.ReadFile(p.log())
	if err != nil {
		return []byte(err.Error())
	}
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	return bytes.Join(lines[max(0, len(lines)-most):], []byte("\n"))
}

// listens is ready for a server that serves as soon as it listens.
func listens(address string) func(context.Context) error {
	return func(ctx context.Context) error {
		connection, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err != nil {
			return err
		}
		return connection.Close()
	}
}
