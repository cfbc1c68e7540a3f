package servers

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Podman is podman's service, which speaks the Docker Engine API. It keeps its images over a Stop.
type Podman struct {
	*process
	// URL is what a client is told, Socket the path in it.
	URL, Socket string
}

// StartPodman starts a service that reaches registries, each host:port, without TLS.
func StartPodman(t T, registries ...string) *Podman {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Fatalf("podman mounts what it builds here, and this test needs the real one; run it as root")
	}
	dir := folder(t, "podman")
	p := &Podman{Socket: filepath.Join(dir, "podman.sock")}
	p.URL = "unix://" + p.Socket
	var config strings.Builder
	for _, one := range registries {
		fmt.Fprintf(&config, "[[registry]]\nlocation = %q\ninsecure = true\n", one)
	}
	write(t, filepath.Join(dir, "registries.conf"), config.String())
	p.process = &process{
		t: t, binary: installed(t, "podman", "podman"), dir: dir, quit: syscall.SIGTERM, ready: unixListens(p.Socket),
		env: []string{"CONTAINERS_REGISTRIES_CONF=" + filepath.Join(dir, "registries.conf"), "TMPDIR=" + dir},
		args: []string{
			"--root", filepath.Join(dir, "root"), "--runroot", filepath.Join(dir, "run"), "--storage-driver", "vfs",
			"--cgroup-manager=cgroupfs", "--runtime", installed(t, "runc", "runc", "/usr/sbin"), "system", "service", "--time=0", p.URL,
		},
	}
	installed(t, "buildah", "buildah")
	p.launch()
	return p
}
