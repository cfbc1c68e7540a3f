package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	resource = "../../conditions/notes/testdata/website.yaml"
	page     = "../../docs/functions.md"
)

func TestGenerate(t *testing.T) {
	out := filepath.Join(t.TempDir(), "functions.md")
	if err := run(resource, out); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("run make generate; -want, +got:\n%s", diff)
	}
	if err := run(filepath.Join(t.TempDir(), "none.yaml"), out); err == nil {
		t.Error("without the roots of the examples there is no page")
	}
}

func TestCode(t *testing.T) {
	for text, want := range map[string]string{
		"a":       "`a`",
		"a | b":   "`a \\| b`",
		"a `b` c": "`` a `b` c ``",
	} {
		if got := code(text); got != want {
			t.Errorf("code(%q): got %s, want %s", text, got, want)
		}
	}
}
