package simulate_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	"github.com/orkestra-runtime/orkestra/internal/corpus"
	"github.com/orkestra-runtime/orkestra/internal/golden"
	"github.com/orkestra-runtime/orkestra/runtime/simulate"
	"github.com/orkestra-runtime/orkestra/runtime/simulate/crdschema"
)

// Each folder of cases comes out as its files expect. With -update they are written anew.
func TestCases(t *testing.T) {
	for _, folder := range []string{"testdata/cases", "testdata/profiles", "../../examples/website/tests", "../../examples/targets/tests"} {
		suite := simulate.Suite{Folder: folder, Define: crdschema.New, Update: flag.Lookup("update").Value.String() == "true"}
		cases, err := suite.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range cases {
			t.Run(one.Name, func(t *testing.T) {
				if !one.Passed() {
					t.Errorf("%v\n%s", one.Err, one.Diff)
				}
			})
		}
	}
}

// Each example comes to what its golden file says.
func TestExamples(t *testing.T) {
	const folder = "../../examples"
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		seen++
		t.Run(entry.Name(), func(t *testing.T) {
			documents, err := simulate.Load(filepath.Join(folder, entry.Name()))
			if err != nil {
				t.Fatal(err)
			}
			compare(t, filepath.Join("testdata", "examples", entry.Name()+".yaml"), simulate.Scene{}, documents)
		})
	}
	if seen < 5 {
		t.Errorf("%s holds %d examples, want at least 5", folder, seen)
	}
}

// compare simulates twice, which must come to the same, and compares with a golden file.
func compare(t *testing.T, file string, scene simulate.Scene, documents []*katalog.Document) {
	t.Helper()
	got, err := simulated(t.Context(), scene, documents)
	if err != nil {
		t.Fatal(err)
	}
	again, err := simulated(t.Context(), scene, documents)
	if err != nil {
		t.Fatal(err)
	}
	if got != again {
		t.Errorf("two simulations of one scene differ:\n%s\n%s", got, again)
	}
	golden.Compare(t, file, got)
}

func simulated(ctx context.Context, scene simulate.Scene, documents []*katalog.Document) (string, error) {
	scene.Now = simulate.CaseTime()
	opts, err := scene.Options(documents)
	if err != nil {
		return "", err
	}
	opts.Define = crdschema.New
	result, err := simulate.Run(ctx, opts)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	err = result.Print(&out)
	return out.String(), err
}

// stages are those of the corpus whose packs are simulated.
var stages = []string{"foundation", "language", "resources", "events"}

// TestCorpus simulates Katalogs that others wrote, which are not part of the repository. What they need that is not supported yet
// lets them be skipped; from then on they need a golden file.
func TestCorpus(t *testing.T) {
	root := corpus.Root()
	all, err := corpus.ReadIndex(filepath.Join(root, corpus.Index))
	if err != nil {
		t.Skipf("there is no corpus: neither ../shared/corpus beside the repository nor ORKESTRA_CORPUS: %v", err)
	}
	packs := 0
	for _, one := range all {
		if !slices.Contains(stages, one.After) || one.Expect != "ok" {
			continue
		}
		packs++
		t.Run(one.Name, func(t *testing.T) { pack(t, root, one) })
	}
	if packs == 0 {
		t.Errorf("the index has no pack of the stages %v", stages)
	}
}

// pack simulates each Katalog of a pack with the definitions and resources beside it.
func pack(t *testing.T, root string, one corpus.Pack) {
	t.Helper()
	added := t.TempDir()
	if _, err := corpus.Beside(root, added, one); err != nil {
		t.Fatal(err)
	}
	var files, objects []string
	for _, folder := range []string{filepath.Join(root, one.Path), added} {
		for pattern, into := range map[string]*[]string{"*katalog*.yaml": &files, "cr*.yaml": &objects, corpus.Before: &objects} {
			found, err := filepath.Glob(filepath.Join(folder, pattern))
			if err != nil {
				t.Fatal(err)
			}
			*into = append(*into, found...)
		}
	}
	if len(files) == 0 {
		t.Fatalf("there is no Katalog in %s", one.Path)
	}
	slices.Sort(objects)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			documents, err := simulate.Load(file)
			if findings, wrong := errors.AsType[katalog.Findings](err); wrong && lacksFiles(findings) {
				t.Logf("the corpus does not hold all files of it, and that is what is said: %v", err)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			compare(t, filepath.Join("testdata", "corpus", one.Name, filepath.Base(file)), simulate.Scene{Objects: objects}, documents)
		})
	}
}

// lacksFiles tells whether all that is wrong is that files are missing.
func lacksFiles(findings katalog.Findings) bool {
	return !slices.ContainsFunc(findings, func(f katalog.Finding) bool { return !strings.HasSuffix(f.Message, "does not exist") })
}
