package katalog

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orkestra-runtime/orkestra/internal/corpus"
)

// TestExistingFiles reads Katalogs and Motifs that were written for real. What they use may not be supported yet, but every key must
// be known.
func TestExistingFiles(t *testing.T) {
	dir := corpus.Root()
	if _, err := os.Stat(dir); err != nil {
		t.Logf("there is no corpus (%v); only the files of testdata are read", err)
		dir = filepath.Join("testdata", "valid")
	}
	read := 0
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !isKatalogName(e) {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(data, []byte("kind: Katalog")) && !bytes.Contains(data, []byte("kind: Motif")) {
			return err
		}
		read++
		checkKnown(t, path)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if read == 0 {
		t.Errorf("no Katalog in %s", dir)
	}
}

// TestFirstFiles reads the files of the corpus that need nothing which is not supported: they have no error at all.
func TestFirstFiles(t *testing.T) {
	dir := corpus.Root()
	packs, err := corpus.ReadIndex(filepath.Join(dir, corpus.Index))
	if err != nil {
		t.Logf("there is no index of a corpus (%v); the files of testdata are read", err)
		if _, err := Load(Options{}, filepath.Join("testdata", "valid", "generation-3", "katalog.yaml")); err != nil {
			t.Error(err)
		}
		return
	}
	for _, pack := range packs {
		if pack.After != "foundation" || pack.Expect != "ok" {
			continue
		}
		paths, err := filepath.Glob(filepath.Join(dir, pack.Path, "katalog*.yaml"))
		if err != nil || len(paths) == 0 {
			t.Errorf("%s: no Katalog (%v)", pack.Name, err)
		}
		for _, path := range paths {
			if _, err := Load(Options{}, path); err != nil {
				t.Error(err)
			}
		}
	}
}

// allowed are the errors that are right for an existing file.
var allowed = []string{
	"not supported yet",
	"does not exist", // a file that was not kept
	"no CRD is called",
}

func checkKnown(t *testing.T, path string) {
	t.Helper()
	_, err := Load(Options{Motifs: true}, path)
	findings, ok := errors.AsType[Findings](err)
	if err != nil && !ok {
		t.Errorf("%s: %v", path, err)
	}
	for _, finding := range findings {
		right := false
		for _, text := range allowed {
			right = right || strings.Contains(finding.Message, text)
		}
		if !right {
			t.Error(finding)
		}
	}
}
