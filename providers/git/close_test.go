package git_test

import (
	"os"
	"strings"
	"testing"

	"github.com/orkestra-runtime/orkestra/providers/checkout"
	"github.com/orkestra-runtime/orkestra/providers/git"
)

// Whoever comes late must not have a working copy made in a folder that another process may have by now.
func TestFetchAfterClose(t *testing.T) {
	dir := t.TempDir()
	f, err := git.New(git.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = f.Fetch(t.Context(), checkout.Request{Owner: "a", Repo: "https://git.example.com/a", Branch: "main"})
	if err == nil || !strings.Contains(err.Error(), "fetching has ended") {
		t.Errorf("Fetch() after Close(): %v", err)
	}
	if made, err := os.ReadDir(dir); err != nil || len(made) > 0 {
		t.Errorf("there is %v, %v", made, err)
	}
}
