package cli

import (
	"path/filepath"
	"testing"

	"github.com/orkestra-runtime/orkestra/internal/golden"
)

// What the loader finds and what the compilers of templates and conditions find is for one reader, who mends the file once.
func TestLoadReportsAllAtOnce(t *testing.T) {
	for _, dir := range folders(t, "testdata/load") {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Chdir(dir)
			_, err := load(Options{}, []string{"katalog.yaml"}, reading{})
			if err == nil {
				t.Fatal("the Katalog is wrong and loads")
			}
			golden.Compare(t, "errors.golden", err.Error()+"\n")
		})
	}
}

// Whatever the loader rejects is compiled all the same, to find the rest: that must not end in a panic, nor take back an error.
func TestLoadSurvivesWhatTheLoaderRejects(t *testing.T) {
	for _, dir := range folders(t, "../../api/katalog/testdata/invalid") {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			if l, err := load(Options{}, []string{dir}, reading{}); err == nil {
				t.Errorf("%s loads: %+v", dir, l)
			}
		})
	}
}

// A condition on an input with a constant value is settled before anything is compiled.
func TestLoadSettlesConstantConditions(t *testing.T) {
	l, err := load(Options{}, []string{"../../docs/testdata/motif/katalog.yaml"}, reading{})
	if err != nil {
		t.Fatal(err)
	}
	services := l.documents[0].Katalog.Spec.CRDs["shop"].OperatorBox.OnReconcile.Services
	if len(services) != 1 || len(services[0].When) != 0 {
		t.Errorf("want the one Service that is exposed, without conditions; got %+v", services)
	}
}

func folders(t *testing.T, root string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(root, "*"))
	if err != nil || len(all) == 0 {
		t.Fatalf("no case in %s: %v", root, err)
	}
	return all
}
