package envtest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestReservePort(t *testing.T) {
	seen := map[int]bool{}
	var last int
	for range 500 {
		socket, port, err := reservePort(0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = socket.Close() })
		if seen[port] {
			t.Fatalf("port %d was given twice while it was held", port)
		}
		seen[port], last = true, port
	}
	if _, _, err := reservePort(last); err == nil {
		t.Errorf("port %d is held, and was given to who asked for it", last)
	}
}

func TestFolderPort(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	socket, first, err := f.reservePort()
	if err != nil {
		t.Fatal(err)
	}

	if _, _, err := f.reservePort(); err == nil || !strings.Contains(err.Error(), "remove "+filepath.Join(dir, "port")) {
		t.Errorf("a port that is taken: want an error that says what to do, got %v", err)
	}
	if err := socket.Close(); err != nil {
		t.Fatal(err)
	}
	socket, second, err := f.reservePort()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = socket.Close() }()
	if first != second {
		t.Errorf("the folder had port %d and then %d", first, second)
	}

	for _, text := range []string{"", "0", "-1", "65536", "http"} {
		if err := os.WriteFile(filepath.Join(dir, "port"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := f.reservePort(); err == nil || !strings.Contains(err.Error(), "which is no port: remove the file") {
			t.Errorf("port file with %q: want an error that says what to do, got %v", text, err)
		}
	}
}

func TestSweep(t *testing.T) {
	parent := t.TempDir()
	begin := time.Now()
	folderOf := func(name string, age time.Duration) string {
		dir := filepath.Join(parent, name)
		f := open(t, dir)
		if name != temporaryPrefix+"live" {
			if err := f.lock.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chtimes(filepath.Join(dir, "lock"), begin.Add(-age), begin.Add(-age)); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	abandoned := folderOf(temporaryPrefix+"abandoned", time.Hour)
	kept := []string{folderOf(temporaryPrefix+"live", time.Hour), folderOf(temporaryPrefix+"fresh", time.Second), folderOf("other", time.Hour)}

	sweep(parent, begin.Add(-time.Minute))
	if _, err := os.Stat(abandoned); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an abandoned folder is to be removed, got %v", err)
	}
	for _, dir := range kept {
		if _, err := os.Stat(dir); err != nil {
			t.Errorf("a folder that is live, fresh or not ours is to be kept: %v", err)
		}
	}
}

func TestLoadCredentialsBroken(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir)
	if _, err := loadCredentials(f, "https://127.0.0.1:1"); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "pki", "ca.crt")
	if err := os.WriteFile(path, []byte("torn"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := loadCredentials(f, "https://127.0.0.1:1"); err == nil || !strings.Contains(err.Error(), "remove "+path) {
		t.Errorf("a broken authority: want an error that says what to do, got %v", err)
	}
}

// open opens a folder that is closed with the test.
func open(t *testing.T, dir string) *folder {
	t.Helper()
	f, err := openFolder(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.close() })
	return f
}
