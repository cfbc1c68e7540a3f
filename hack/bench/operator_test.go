package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	"github.com/orkestra-runtime/orkestra/controllers/builtin"
	"github.com/orkestra-runtime/orkestra/runtime/box"
)

func TestKatalogTakesWorkers(t *testing.T) {
	sets := compiled(t, katalogFile, 7)
	if sets[0].Workers != 7 {
		t.Errorf("want the workers that every operator gets, 7, got %d", sets[0].Workers)
	}
}

func TestManyChildren(t *testing.T) {
	children := compiled(t, manyFile, 3)[0].Effective("").Blocks[0].Children
	if want := manyOfKind * len(manyKinds); len(children) != want {
		t.Errorf("want as many children as the bench waits for, %d, got %d", want, len(children))
	}
}

// compiled writes a Katalog as the bench does, and loads it as ours does.
func compiled(t *testing.T, content []byte, workers int) []*box.Set {
	t.Helper()
	path, err := writeKatalog(content, t.TempDir(), "katalog.yaml", workers)
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := katalog.Load(katalog.Options{}, path)
	if err != nil {
		t.Fatal(err)
	}
	registry, err := builtin.Registry()
	if err != nil {
		t.Fatal(err)
	}
	sets, found := box.CompileKatalog(loaded.Documents[0].Katalog, box.Options{Registry: registry})
	if len(found.Errors) > 0 || len(sets) != 1 {
		t.Fatalf("want one CRD without an error, got %d and %v", len(sets), found.Errors)
	}
	return sets
}

func TestInOrder(t *testing.T) {
	operators := []operator{{name: "a"}, {name: "b"}, {name: "c"}}
	want := [][]string{{"a", "b", "c"}, {"b", "c", "a"}, {"c", "a", "b"}, {"a", "b", "c"}}
	var got [][]string
	for round := range want {
		var names []string
		for _, op := range inOrder(operators, round) {
			names = append(names, op.name)
		}
		got = append(got, names)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("each operator is first in one round of three: -want, +got:\n%s", diff)
	}
}
