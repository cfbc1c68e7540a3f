package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// stopTimeout is how long an operator may take to end.
const stopTimeout = 30 * time.Second

// process is a running operator.
type process struct {
	name string
	cmd  *exec.Cmd
	log  string
	done chan struct{} // closed when it has ended
	err  error         // how, once done is closed
}

// startProcess runs the operator; its output is appended to a file of the folder.
func startProcess(op operator, logs string) (*process, error) {
	path := filepath.Join(logs, op.name+".log")
	log, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600) //nolint:gosec // a folder that the user chose
	if err != nil {
		return nil, fmt.Errorf("keep the log of %s: %w", op.name, err)
	}
	defer func() { _ = log.Close() }()

	// Not bound to a context: it is to end by SIGTERM, as in a cluster, and stop sees to that.
	cmd := exec.Command(op.argv[0], op.argv[1:]...) //nolint:gosec,noctx // what the bench has just built, ended by stop
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", op.name, err)
	}
	p := &process{name: op.name, cmd: cmd, log: path, done: make(chan struct{})}
	go func() {
		defer close(p.done)
		p.err = cmd.Wait()
	}()
	return p, nil
}

// usage of the process so far.
func (p *process) usage() (usage, error) { return usageOf(p.cmd.Process.Pid) }

// during calls f with a context that also ends when the process does, which is then the error.
func (p *process) during(ctx context.Context, f func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-p.done:
			cancel(fmt.Errorf("%s ended by itself: %w; the end of its log:\n%s", p.name, p.ending(), tail(p.log)))
		case <-ctx.Done():
		}
	}()
	err := f(ctx)
	if cause := context.Cause(ctx); err != nil && cause != nil && !errors.Is(err, cause) {
		return fmt.Errorf("%w: %w", err, cause)
	}
	return err
}

// ending is how the process ended, which may be without an error.
func (p *process) ending() error {
	if p.err == nil {
		return errors.New("exit status 0")
	}
	return p.err
}

// stop asks the process to end and waits until it has. One that does not is killed, which is an error.
func (p *process) stop() error {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
		return nil
	case <-time.After(stopTimeout):
		_ = p.cmd.Process.Kill()
		<-p.done
		return fmt.Errorf("%s did not end within %s of SIGTERM and was killed", p.name, stopTimeout)
	}
}

// tail returns the last lines of a log.
func tail(path string) []byte {
	content, err := os.ReadFile(path) //nolint:gosec // a log that the bench writes
	if err != nil {
		return []byte(err.Error())
	}
	lines := bytes.Split(bytes.TrimSpace(content), []byte("\n"))
	return bytes.Join(lines[max(0, len(lines)-10):], []byte("\n"))
}
