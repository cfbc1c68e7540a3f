//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package envtest

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// errInUse says that another process holds a lock.
var errInUse = errors.New("in use")

// lockFile takes an exclusive lock that lasts until every copy of the returned file is closed, those of child processes
// included. It returns errInUse when another holder is alive.
func lockFile(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600) //nolint:gosec // the path is the environment's own
	if err != nil {
		return nil, err
	}
	err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err == nil {
		return file, nil
	}
	_ = file.Close()
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, errInUse
	}
	return nil, fmt.Errorf("lock %s: %w", path, err)
}

// reservePort binds a port on 127.0.0.1 without listening, and returns it with the socket that holds it. Port 0 lets the
// kernel choose. As long as the socket is open, nobody is given the port but a server of the same user that binds it with
// SO_REUSEPORT; so there is no moment between choosing a port and serving on it, nor during a restart, at which another
// process can take it.
func reservePort(port int) (*os.File, int, error) {
	if port != 0 {
		// Another environment holds its port with SO_REUSEPORT as well, and that alone would not keep us out.
		probe, err := bindLoopback(port, unix.SO_REUSEADDR)
		if err != nil {
			return nil, 0, err
		}
		if err := unix.Close(probe); err != nil {
			return nil, 0, os.NewSyscallError("close", err)
		}
	}
	fd, err := bindLoopback(port, unix.SO_REUSEPORT)
	if err != nil {
		return nil, 0, err
	}
	socket := os.NewFile(uintptr(fd), "port")
	name, err := unix.Getsockname(fd)
	if err != nil {
		return nil, 0, errors.Join(os.NewSyscallError("getsockname", err), socket.Close())
	}
	address, ok := name.(*unix.SockaddrInet4)
	if !ok {
		return nil, 0, errors.Join(fmt.Errorf("reserve a port: the socket has a %T", name), socket.Close())
	}
	return socket, address.Port, nil
}

// bindLoopback returns a TCP socket that is bound to the port and does not listen.
func bindLoopback(port, option int) (int, error) {
	// The lock keeps a child that is started meanwhile from inheriting the socket.
	syscall.ForkLock.RLock()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err == nil {
		unix.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return 0, os.NewSyscallError("socket", err)
	}
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, option, 1); err != nil {
		return 0, errors.Join(os.NewSyscallError("setsockopt", err), unix.Close(fd))
	}
	if err := unix.Bind(fd, &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return 0, errors.Join(os.NewSyscallError("bind", err), unix.Close(fd))
	}
	return fd, nil
}
