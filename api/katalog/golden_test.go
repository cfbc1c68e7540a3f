package katalog

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orkestra-runtime/orkestra/internal/golden"
)

// TestInvalid compares what a user sees. A case is a directory with a katalog.yaml, or with a file paths that lists what to
// load.
func TestInvalid(t *testing.T) {
	for _, name := range cases(t, "testdata/invalid") {
		t.Run(name, func(t *testing.T) {
			t.Chdir(filepath.Join("testdata", "invalid", name))
			result, err := Load(Options{}, casePaths(t)...)
			findings, ok := errors.AsType[Findings](err)
			if !ok {
				t.Fatalf("Load(...): want Findings, got error %v and result %v", err, result)
			}
			golden.Compare(t, "errors.golden", findings.Error()+"\n")
		})
	}
}

// TestLater compares the same for what is not supported yet, as if it were.
func TestLater(t *testing.T) {
	for _, name := range cases(t, "testdata/later") {
		t.Run(name, func(t *testing.T) {
			t.Chdir(filepath.Join("testdata", "later", name))
			l := newLoader(Options{})
			l.notSupported = nil
			for _, path := range casePaths(t) {
				l.path(path)
			}
			result, err := l.finish()
			if err == nil {
				golden.Compare(t, "out.golden", render(t, result))
				return
			}
			golden.Compare(t, "errors.golden", err.Error()+"\n")
		})
	}
}

// TestValid compares the warnings and the canonical document.
func TestValid(t *testing.T) {
	for _, name := range cases(t, "testdata/valid") {
		t.Run(name, func(t *testing.T) {
			t.Chdir(filepath.Join("testdata", "valid", name))
			result, err := Load(Options{}, casePaths(t)...)
			if err != nil {
				t.Fatalf("Load(...):\n%v", err)
			}
			golden.Compare(t, "out.golden", render(t, result))
		})
	}
}

func cases(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	if len(names) == 0 {
		t.Fatalf("no case in %s", dir)
	}
	return names
}

func casePaths(t *testing.T) []string {
	t.Helper()
	list, err := os.ReadFile("paths")
	if errors.Is(err, os.ErrNotExist) {
		return []string{"katalog.yaml"}
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(list))
}
