package servers

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"slices"
)

// installed finds a program of a Debian package, in the path or in one of the folders.
func installed(t T, program, debian string, folders ...string) string {
	t.Helper()
	if path, err := exec.LookPath(program); err == nil {
		return path
	}
	for _, one := range folders {
		found, _ := filepath.Glob(filepath.Join(one, program)) // the pattern is one of ours
		if len(found) > 0 {
			return slices.Max(found)
		}
	}
	t.Fatalf("%s is not installed, and this test needs the real server; run: apt-get install -y --no-install-recommends %s", program, debian)
	return ""
}

// built finds a server that hack/servers pins.
func built(t T, name string) string {
	t.Helper()
	// The tests run in folders of their own; go knows whose they are.
	module, err := exec.Command("go", "env", "GOMOD").Output() //nolint:noctx // it reads a variable
	if err != nil {
		t.Fatalf("find the repository: %v", err)
	}
	tool := filepath.Join(filepath.Dir(string(bytes.TrimSpace(module))), "hack", "tool.sh")
	found, err := exec.Command(tool, "--cached", name).Output() //nolint:gosec,noctx // a script of the repository, which looks for a file
	if err != nil {
		t.Fatalf("%s is not built, and this test needs the real server; run: make servers", name)
	}
	return string(bytes.TrimSpace(found))
}
