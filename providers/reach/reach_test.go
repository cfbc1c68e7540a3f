package reach_test

import (
	"testing"

	"github.com/orkestra-runtime/orkestra/providers/reach"
)

func TestAllow(t *testing.T) {
	for _, wrong := range []string{"", "http://example.com", "example.com:80", "10.0.0.0/99", "*.example.com"} {
		if _, err := reach.New(reach.Options{Allow: []string{wrong}}); err == nil {
			t.Errorf("New(Allow: %q): want an error", wrong)
		}
	}
	for _, right := range []string{"example.com", "10.0.0.1", "[::1]", "fd00::/8", "LOCALHOST"} {
		if _, err := reach.New(reach.Options{Allow: []string{right}}); err != nil {
			t.Errorf("New(Allow: %q): %v", right, err)
		}
	}
}
