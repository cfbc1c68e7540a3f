//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package envtest

import "syscall"

// childAttributes puts a child into a process group of its own, so that Ctrl-C at a terminal reaches only the parent, which
// stops the children in order. These systems can't tie a child's life to its parent's: a parent that is killed leaves its
// children, and they keep the folder locked.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
