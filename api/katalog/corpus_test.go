package katalog

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestExistingFiles reads Katalogs that were written for real, from the directory in ORKESTRA_CORPUS or, if that is not
// set, beside the checkout. What they use may not be supported yet, but every key must be known.
func TestExistingFiles(t *testing.T) {
	dir := os.Getenv("ORKESTRA_CORPUS")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "corpus")
	}
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
		if err != nil || !bytes.Contains(data, []byte("kind: Katalog")) {
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

// allowed are the errors that are right for an existing file.
var allowed = []string{
	"not supported yet",
	"does not exist", // a file that was not kept
	"no CRD is called",
}

func checkKnown(t *testing.T, path string) {
	t.Helper()
	_, err := Load(Options{}, path)
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
