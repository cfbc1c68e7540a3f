package servers

import (
	"os"
	"path/filepath"
)

// folder makes a temporary folder that goes with the test. Other users may pass through it, as a server that runs as one must.
func folder(t T, name string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "orkestra-"+name+"-")
	if err != nil {
		t.Fatalf("make a folder for %s: %v", name, err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // see above
		t.Fatalf("make a folder for %s: %v", name, err)
	}
	return dir
}

// passable fails the test when a folder above dir cannot be passed by other users.
func passable(t T, dir, user string) {
	t.Helper()
	for above := filepath.Dir(dir); ; above = filepath.Dir(above) {
		info, err := os.Stat(above)
		if err != nil {
			t.Fatalf("look at the temporary folder: %v", err)
		}
		if info.Mode().Perm()&0o001 == 0 {
			t.Fatalf("the user %s cannot pass through %s: set TMPDIR to a folder that everybody can reach", user, above)
		}
		if above == filepath.Dir(above) {
			return
		}
	}
}

// write makes a file of the server's.
func write(t T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil { //nolint:gosec // a server that runs as another user reads it
		t.Fatalf("write a server's file: %v", err)
	}
}
