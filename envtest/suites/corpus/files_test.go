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
	// crds are files with definitions, resources those with what the Katalog operates.
	crds, resources []string
}

// katalogFiles finds the Katalogs of a pack, but not those of a folder below it that is a pack of its own.
func katalogFiles(root string, one corpus.Pack, all []corpus.Pack) ([]katalogFile, error) {
	var files []katalogFile
	folder := filepath.Join(root, one.Path)
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
		file.resources, err = filepath.Glob(filepath.Join(filepath.Dir(path), "cr*.yaml"))
		file.resources = slices.DeleteFunc(file.resources, func(path string) bool { return slices.Contains(file.crds, path) })
		files = append(files, file)
		return err
	})
	if err == nil && len(files) == 0 {
		err = errors.New("there is no Katalog")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", folder, err)
	}
	return files, nil
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
		files, err := katalogFiles("testdata", one, packs)
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
	if _, err := katalogFiles("testdata", corpus.Pack{Path: "outer/nothing"}, packs); err == nil {
		t.Error("a pack without a Katalog would be passed by in silence")
	}
}
