package simulate_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orkestra-runtime/orkestra/runtime/simulate"
	"github.com/orkestra-runtime/orkestra/runtime/simulate/crdschema"
)

// What is wrong with a scene is told with its file and what to do.
func TestSceneErrors(t *testing.T) {
	const shop = "apiVersion: example.com/v1\nkind: Shop\nmetadata: {name: a, labels: {tier: web}}\nspec: {version: '1'}\n"
	const other = "---\napiVersion: example.com/v1\nkind: Shop\nmetadata: {name: b, labels: {tier: web}}\nspec: {version: '1'}\n"
	cases := map[string]struct {
		reason                    string
		cr, children, old, extern string
		want                      string
	}{
		"NotYAML":    {reason: "the document is named", cr: shop + "---\na: [\n", want: "cr.yaml: document 2: "},
		"Twice":      {reason: "a key that stands twice is a mistake", cr: shop + "spec: {}\n", want: `key "spec" already set`},
		"NoObject":   {reason: "an object has a kind", cr: "a: b\n", want: "cr.yaml: document 1: not a Kubernetes object: it needs apiVersion and kind"},
		"NoName":     {reason: "and a name", cr: "apiVersion: v1\nkind: Pod\n", want: "the Pod needs metadata.name"},
		"Text":       {reason: "a text is no object", cr: "hello\n", want: "not a Kubernetes object"},
		"Empty":      {reason: "an empty file is hardly meant", cr: "# nothing\n", want: "cr.yaml holds no object"},
		"NoResource": {reason: "there must be something to simulate", cr: "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n", want: "there is no resource to simulate: name one of the kinds Shop, Stage with --cr"},
		"Duplicate":  {reason: "one of two would be lost", cr: shop + "---\n" + shop, want: "Shop default/a is there twice"},
		"Old":        {reason: "an old state belongs to a resource", cr: shop, old: strings.Replace(shop, "name: a", "name: c", 1), want: "Shop default/c is an old state of none of the resources"},
		"OldInvalid": {reason: "it was valid once", cr: shop, old: strings.Replace(shop, "'1'", "1", 1), want: "the old state of Shop default/a: "},
		"Whose": {
			reason: "of several resources a child must say whose it is", cr: shop + other,
			children: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n",
			want:     "ConfigMap x does not say whose child it is, and there are 2 resources; give it the annotation orkestra.konductor.io/owner: Shop.example.com/default/a",
		},
		"Root":     {reason: "only what a cycle asks the world for is given", cr: shop, extern: "spec: {}\n", want: "spec can't be given here; valid: cross, docker, external, git"},
		"Stub":     {reason: "a stub answers a call", cr: shop, extern: "external: {whether: {}}\n", want: "external.whether: no Katalog declares an external call of that name"},
		"RootText": {reason: "roots are maps", cr: shop, extern: "external: no\n", want: "external is not a map of names and values"},
	}
	documents, err := simulate.Load("testdata/cases/katalog.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			write := func(name, text string) string {
				if text == "" {
					return ""
				}
				file := filepath.Join(folder, name)
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				return file
			}
			scene := simulate.Scene{
				Objects: []string{write("cr.yaml", tc.cr)}, Children: write("children.yaml", tc.children), Old: write("old.yaml", tc.old),
				External: write("external.yaml", tc.extern),
			}
			opts, err := scene.Options(documents)
			if err == nil {
				opts.Define = crdschema.New
				_, err = simulate.Run(t.Context(), opts)
			}
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%s: got error %v, want one with %q", tc.reason, err, tc.want)
			}
		})
	}
}

// A case that can't be run, or is not as expected, says so.
func TestSuiteFails(t *testing.T) {
	copied := func(t *testing.T, from string, files ...string) string {
		t.Helper()
		folder := filepath.Join(t.TempDir(), "case")
		if err := os.Mkdir(folder, 0o750); err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(filepath.Join(from, file))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(folder, file), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return folder
	}
	const website, example = "../../examples/website", "../../examples/website/tests/new"
	run := func(t *testing.T, suite simulate.Suite) simulate.Case {
		t.Helper()
		suite.Define = crdschema.New
		cases, err := suite.Run(t.Context())
		if err != nil || len(cases) != 1 {
			t.Fatalf("Run(...) = %v, %v, want one case", cases, err)
		}
		return cases[0]
	}
	katalogs := []string{filepath.Join(website, "katalog.yaml")}

	t.Run("Nothing expected", func(t *testing.T) {
		folder := copied(t, example, "cr.yaml")
		if got := run(t, simulate.Suite{Folder: folder, Katalogs: katalogs}); got.Passed() || !strings.Contains(got.Err.Error(), "write it with --update") {
			t.Errorf("a case without expectations fails with the remedy, got %v", got.Err)
		}
		if got := run(t, simulate.Suite{Folder: folder, Katalogs: katalogs, Update: true}); !got.Updated || !got.Passed() {
			t.Errorf("they are written when that is asked for, got %+v", got)
		}
		if got := run(t, simulate.Suite{Folder: folder, Katalogs: katalogs}); !got.Passed() {
			t.Errorf("then it passes, got %+v", got)
		}
	})
	t.Run("Other", func(t *testing.T) {
		folder := copied(t, example, "cr.yaml")
		if err := os.WriteFile(filepath.Join(folder, "expected.yaml"), []byte("# Website default/hello\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		got := run(t, simulate.Suite{Folder: folder, Katalogs: katalogs})
		if got.Passed() || !strings.Contains(got.Diff, "+# created Deployment default/hello\n") {
			t.Errorf("a case that is not as expected shows what differs:\n%s", got.Diff)
		}
	})
	t.Run("No Katalog", func(t *testing.T) {
		if got := run(t, simulate.Suite{Folder: copied(t, example, "cr.yaml")}); got.Err == nil || !strings.Contains(got.Err.Error(), "name a Katalog with -f") {
			t.Errorf("a case needs a Katalog, got %v", got.Err)
		}
	})
	t.Run("Settings", func(t *testing.T) {
		folder := copied(t, example, "cr.yaml")
		if err := os.WriteFile(filepath.Join(folder, "case.yaml"), []byte("delete: true\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := run(t, simulate.Suite{Folder: folder, Katalogs: katalogs}); got.Err == nil || !strings.Contains(got.Err.Error(), "valid: target, now") {
			t.Errorf("a setting that does not exist is named, got %v", got.Err)
		}
	})
	t.Run("Nothing", func(t *testing.T) {
		if _, err := (&simulate.Suite{Folder: t.TempDir()}).Run(t.Context()); err == nil || !strings.Contains(err.Error(), "holds no case") {
			t.Errorf("an empty folder is an error, got %v", err)
		}
	})
}
