package servers

import (
	"net"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// reserve finds a free port of 127.0.0.1 and keeps it until the test ends: bound, but not listened to. A server that sets SO_REUSEADDR, as
// all of these do, can listen there, the kernel gives the port to nobody else, and who connects while the server is stopped is refused.
func reserve(t T) int {
	t.Helper()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatalf("find a free port: %v", os.NewSyscallError("socket", err))
	}
	t.Cleanup(func() { _ = unix.Close(fd) })
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1); err != nil {
		t.Fatalf("find a free port: %v", os.NewSyscallError("setsockopt", err))
	}
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatalf("find a free port: %v", os.NewSyscallError("bind", err))
	}
	name, err := unix.Getsockname(fd)
	if err != nil {
		t.Fatalf("find a free port: %v", os.NewSyscallError("getsockname", err))
	}
	address, ok := name.(*unix.SockaddrInet4)
	if !ok {
		t.Fatalf("find a free port: the socket has a %T", name)
	}
	return address.Port
}

// local is the address of a port.
func local(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }
