package daemon_test

import (
	"testing"

	"github.com/orkestra-runtime/orkestra/providers/docker/daemon"
)

func TestAddress(t *testing.T) {
	for _, right := range []string{"tcp://buildkit:1234", "tcp://[::1]:1234", "unix:///run/buildkit/buildkitd.sock"} {
		if _, err := daemon.Address("daemon", right); err != nil {
			t.Errorf("Address(%s): %v", right, err)
		}
	}
	for _, wrong := range []string{"", "buildkit:1234", "tcp://buildkit", "unix://run/x", "unix://", "ssh://host", "docker-container://x", "npipe:////./pipe/x", "tcp://%zz"} {
		if _, err := daemon.Address("daemon", wrong); err == nil {
			t.Errorf("Address(%s): want an error", wrong)
		}
	}
}
