package envtest

import "syscall"

// childAttributes puts a child into a process group of its own, so that Ctrl-C at a terminal reaches only the parent, which
// stops the children in order, and has the kernel kill the child when the thread that started it ends.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
