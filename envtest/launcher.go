package envtest

import (
	"os/exec"
	"runtime"
)

// launcher starts processes from one operating system thread that lives until the launcher is closed.
//
// Linux sends a child its parent-death signal when the thread that started it ends, not the process, and Go ends threads as
// it likes. A goroutine that is locked to its thread keeps that thread.
type launcher struct {
	requests chan func()
}

func newLauncher() *launcher {
	l := &launcher{requests: make(chan func())}
	go func() {
		runtime.LockOSThread()
		// Without the unlock the thread would end with the goroutine.
		defer runtime.UnlockOSThread()
		for request := range l.requests {
			request()
		}
	}()
	return l
}

// start starts the command on the launcher's thread.
func (l *launcher) start(cmd *exec.Cmd) error {
	result := make(chan error, 1)
	l.requests <- func() { result <- cmd.Start() }
	return <-result
}

// close gives the thread back. All processes have ended by then, and start is not called any more.
func (l *launcher) close() { close(l.requests) }
