package corpus_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/orkestra-runtime/orkestra/internal/corpus"
)

// katalogFile is a file with a Katalog, and what stands beside it.
type katalogFile struct {
	path string
	// crds are files with definitions, resources those with what the Katalog operates, before those with what must be there first, and
	// made those with what Go code makes.
	crds, resources, before, made []string
}

// katalogFiles finds the Katalogs of a pack, but not those of a folder below it that is a pack of its own. What the tests add to the pack
// is written into the folder named added.
func katalogFiles(root, added string, one corpus.Pack, all []corpus.Pack) ([]katalogFile, error) {
	folder := filepath.Join(root, one.Path)
	files, err := katalogsBelow(root, folder, all)
	if err != nil {
		return nil, err
	}
	adds, err := corpus.Beside(root, added, one)
	if err != nil {
		return nil, err
	}
	if adds {
		more, err := katalogsBelow(root, added, all)
		if err != nil {
			return nil, err
		}
		for i := range files {
			resources, err := filepath.Glob(filepath.Join(added, "cr-*.yaml"))
			if err != nil {
				return nil, err
			}
			files[i].resources = append(files[i].resources, resources...)
		}
		files = append(files, more...)
		for i := range files {
			for name, into := range map[string]*[]string{corpus.Before: &files[i].before, corpus.Made: &files[i].made} {
				if *into, err = filepath.Glob(filepath.Join(added, name)); err != nil {
					return nil, err
				}
			}
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: there is no Katalog", folder)
	}
	return files, nil
}

func katalogsBelow(root, folder string, all []corpus.Pack) ([]katalogFile, error) {
	var files []katalogFile
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != folder && slices.ContainsFunc(all, func(p corpus.Pack) bool { return filepath.Join(root, p.Path) == path }):
			return fs.SkipDir
		case entry.IsDir() || filepath.Ext(path) != ".yaml":
			return nil
		}
		objects, err := readObjects(path)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(objects, func(o *unstructured.Unstructured) bool { return o.GetKind() == "Katalog" }) {
			return nil
		}
		file := katalogFile{path: path}
		if file.crds, err = filepath.Glob(filepath.Join(filepath.Dir(path), "crd*.yaml")); err != nil {
			return err
		}
		file.crds = withNamed(file.crds, path, objects)
		file.resources, err = filepath.Glob(filepath.Join(filepath.Dir(path), "cr*.yaml"))
		file.resources = slices.DeleteFunc(file.resources, func(path string) bool { return slices.Contains(file.crds, path) })
		files = append(files, file)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", folder, err)
	}
	return files, nil
}

// withNamed adds the definitions that a Katalog names as the crdFile of an entry.
func withNamed(crds []string, katalog string, objects []*unstructured.Unstructured) []string {
	for _, object := range objects {
		entries, _, _ := unstructured.NestedMap(object.Object, "spec", "crds")
		for _, entry := range entries {
			fields, _ := entry.(map[string]any)
			name, _ := fields["crdFile"].(string)
			if file := filepath.Join(filepath.Dir(katalog), name); name != "" && !slices.Contains(crds, file) {
				crds = append(crds, file)
			}
		}
	}
	slices.Sort(crds)
	return crds
}

// readObjects reads all documents of a file.
func readObjects(path string) ([]*unstructured.Unstructured, error) {
	text, err := os.ReadFile(filepath.Clean(path))
	if err != nil {
		return nil, err
	}
	var objects []*unstructured.Unstructured
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
	for {
		object := &unstructured.Unstructured{}
		switch err := decoder.Decode(&object.Object); {
		case errors.Is(err, io.EOF):
			return objects, nil
		case err != nil:
			return nil, fmt.Errorf("%s: %w", path, err)
		case len(object.Object) > 0:
			objects = append(objects, object)
		}
	}
}

func TestKatalogFiles(t *testing.T) {
	packs, err := corpus.ReadIndex("testdata/INDEX.tsv")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for _, one := range packs {
		files, err := katalogFiles("testdata", t.TempDir(), one, packs)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			beside := slices.Concat(file.crds, file.resources)
			for i := range beside {
				beside[i] = filepath.Base(beside[i])
			}
			got[one.Name] = append(got[one.Name], filepath.Base(file.path)+": "+strings.Join(beside, " "))
		}
	}
	want := map[string][]string{
		"outer": {"katalog.yaml: crd.yaml cr-one.yaml cr.yaml", "second.yaml: crd.yaml cr-one.yaml cr.yaml"},
		"inner": {"katalog.yaml: "},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("a folder that is a pack of its own does not belong to the pack around it: -want, +got:\n%s", diff)
	}
	if _, err := katalogFiles("testdata", t.TempDir(), corpus.Pack{Path: "outer/nothing"}, packs); err == nil {
		t.Error("a pack without a Katalog would be passed by in silence")
	}
}
