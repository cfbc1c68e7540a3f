package envtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	// stopGrace is how long a process may take to end by itself before it is killed.
	stopGrace = 20 * time.Second

	pollInterval = 50 * time.Millisecond

	// Of a failed process's log, an error carries the last lines of the last bytes.
	logTailLines = 15
	logTailBytes = 16 << 10
)

// command says how to run one part of the control plane.
type command struct {
	binary string
	args   []string
	// dir is the working folder.
	dir string
	// log is the file that the output is appended to.
	log string
}

func (c command) name() string { return filepath.Base(c.binary) }

// process is a command that was started.
type process struct {
	command
	cmd      *exec.Cmd
	stopping atomic.Bool
	// done is closed when the process has ended.
	done chan struct{}
}

// start runs the command on the launcher's thread. The child gets a copy of the lock and an environment of its own,
// because variables such as ETCD_NAME and files such as ~/.kwok/kwok.yaml would change what it does.
func (c command) start(l *launcher, lock *os.File, log logr.Logger) (*process, error) {
	output, err := os.OpenFile(c.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the log of %s: %w", c.name(), err)
	}
	// The child has its own copy from here on.
	defer func() { _ = output.Close() }()

	// Its life is bound by Stop, not by the context of the start.
	cmd := exec.Command(c.binary, c.args...) //nolint:gosec,noctx // running the caller's binaries is the purpose
	cmd.Dir = c.dir
	cmd.Env = []string{"HOME=" + c.dir, "TMPDIR=" + os.TempDir(), "PATH=" + os.Getenv("PATH")}
	cmd.Stdout, cmd.Stderr = output, output
	cmd.ExtraFiles = []*os.File{lock}
	cmd.SysProcAttr = childAttributes()
	if err := l.start(cmd); err != nil {
		return nil, fmt.Errorf("start %s: %w", c.name(), err)
	}

	p := &process{command: c, cmd: cmd, done: make(chan struct{})}
	go func() {
		// Wait's error says no more than the state that failure reports.
		_ = cmd.Wait()
		if !p.stopping.Load() {
			log.Info("process ended by itself", "name", p.name(), "state", cmd.ProcessState.String())
		}
		close(p.done)
	}()
	return p, nil
}

// stop ends the process and returns when it is gone. A graceful stop asks it to end first, and kills it when it has not
// within stopGrace.
func (p *process) stop(graceful bool) {
	p.stopping.Store(true)
	if graceful {
		// Of a signal to a process that has ended there is nothing to report, here and below.
		_ = p.cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-p.done:
			return
		case <-time.After(stopGrace):
		}
	}
	_ = p.cmd.Process.Kill()
	<-p.done
}

// failure describes a process that has ended by itself, or returns nil.
func (p *process) failure() error {
	select {
	case <-p.done:
		return fmt.Errorf("%s ended (%s); the last lines of its log:\n%s", p.name(), p.cmd.ProcessState, p.logTail())
	default:
		return nil
	}
}

// logTail returns the last lines of the log.
func (p *process) logTail() []byte {
	file, err := os.Open(p.log)
	if err != nil {
		return []byte(err.Error())
	}
	defer func() { _ = file.Close() }()
	if info, err := file.Stat(); err == nil && info.Size() > logTailBytes {
		_, _ = file.Seek(-logTailBytes, io.SeekEnd)
	}
	text, err := io.ReadAll(file)
	if err != nil {
		return []byte(err.Error())
	}
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	return bytes.Join(lines[max(0, len(lines)-logTailLines):], []byte("\n"))
}

// await polls ready until it returns nil. It fails when one of the processes ends, and at the end of ctx with ready's last
// error and the log of subject, the process that keeps us waiting.
func await(ctx context.Context, what string, processes []*process, subject *process, ready func(context.Context) error) error {
	last := errors.New("it was not asked")
	err := wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		for _, p := range processes {
			if err := p.failure(); err != nil {
				return false, err
			}
		}
		// An attempt that the end of ctx cuts short does not say what was wrong.
		if err := ready(ctx); err == nil || ctx.Err() == nil {
			last = err
		}
		return last == nil, nil
	})
	if err == nil || ctx.Err() == nil {
		return err
	}
	return fmt.Errorf("%s: %w; last: %w; the last lines of the log of %s:\n%s", what, context.Cause(ctx), last, subject.name(), subject.logTail())
}
