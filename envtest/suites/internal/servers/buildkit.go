package servers

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// BuildKit is a buildkitd that takes only clients with a certificate. It keeps what it has built over a Stop. It runs as root, for it mounts
// what it builds.
type BuildKit struct {
	*process
	// Address is host:port, URL what a client is told.
	Address, URL string
	// TLSDir has ca.pem, cert.pem and key.pem of a client.
	TLSDir string
}

// Stranger is a folder as TLSDir is, of a client that the daemon does not know.
func (b *BuildKit) Stranger(t T) string {
	t.Helper()
	dir := folder(t, "stranger")
	client := filepath.Join(dir, "client")
	issue(t, filepath.Join(dir, "daemon"), client)
	authority, err := os.ReadFile(filepath.Join(b.TLSDir, "ca.pem"))
	if err != nil {
		t.Fatalf("read the daemon's authority: %v", err)
	}
	write(t, filepath.Join(client, "ca.pem"), string(authority))
	return client
}

// StartBuildKit starts a buildkitd that reaches registries, each host:port, without TLS.
func StartBuildKit(t T, registries ...string) *BuildKit {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Fatalf("buildkitd mounts what it builds, and this test needs the real one; run it as root")
	}
	address, dir := local(reserve(t)), folder(t, "buildkit")
	b := &BuildKit{Address: address, URL: "tcp://" + address, TLSDir: filepath.Join(dir, "client")}
	daemon := filepath.Join(dir, "daemon")
	issue(t, daemon, b.TLSDir)
	var config strings.Builder
	fmt.Fprintf(&config, `root = %q
[grpc]
  address = [ "tcp://%s" ]
  [grpc.tls]
    cert = %q
    key = %q
    ca = %q
[otel]
  socketPath = %q
[worker.oci]
  enabled = true
  snapshotter = "native"
  binary = %q
[worker.containerd]
  enabled = false
`, filepath.Join(dir, "root"), address, filepath.Join(daemon, "cert.pem"), filepath.Join(daemon, "key.pem"), filepath.Join(daemon, "ca.pem"),
		filepath.Join(dir, "otel.sock"), installed(t, "runc", "runc", "/usr/sbin"))
	for _, one := range registries {
		fmt.Fprintf(&config, "[registry.%q]\n  http = true\n", one)
	}
	write(t, filepath.Join(dir, "buildkitd.toml"), config.String())
	b.process = &process{
		t: t, binary: built(t, "buildkitd"), dir: dir, quit: syscall.SIGTERM, ready: listens(address),
		args: []string{"--config", filepath.Join(dir, "buildkitd.toml")},
	}
	b.launch()
	return b
}
