//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package envtest

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"
)

// errInUse says that another process holds a lock.
var errInUse = errors.New("in use")

var errSystem = fmt.Errorf("a control plane can't be run on %s: use Linux, macOS or a BSD: %w", runtime.GOOS, errors.ErrUnsupported)

func childAttributes() *syscall.SysProcAttr { return nil }

func lockFile(string) (*os.File, error) { return nil, errSystem }

func reservePort(int) (*os.File, int, error) { return nil, 0, errSystem }
