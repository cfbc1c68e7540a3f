package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orkestra-runtime/orkestra/internal/golden"
)

// What a person reads of eval, on stdout and stderr, and a program.
func TestEval(t *testing.T) {
	cases := map[string]struct {
		dir  string
		args []string
		code int
	}{
		"rules":     {dir: "rules", code: 1},
		"json":      {dir: "rules", args: []string{"-o", "json"}, code: 1},
		"yaml":      {dir: "off", args: []string{"-o", "yaml"}},
		"update":    {dir: "update", args: []string{"--old", "old.yaml"}, code: 1},
		"off":       {dir: "off"},
		"calls":     {dir: "calls"},
		"sensitive": {dir: "sensitive", args: []string{"-o", "yaml"}, code: 1},
		// A resource is converted to the version that the rules are about, if it is served.
		"versions":        {dir: "versions", code: 1},
		"versions-json":   {dir: "versions", args: []string{"-o", "json"}, code: 1},
		"versions-update": {dir: "versions", args: []string{"--old", "old.yaml"}, code: 1},
		"unknown":         {dir: "unknown", code: 1},
		"strategies":      {dir: "strategies", code: 1},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Chdir(filepath.Join("testdata", "eval", tc.dir))
			t.Setenv("KUBECONFIG", "/nowhere") // it needs none
			got := ork(t, "", append([]string{"gate", "eval", "-f", "katalog.yaml", "--cr", "cr.yaml"}, tc.args...)...)
			if got.Code != tc.code {
				t.Errorf("exit code %d, want %d", got.Code, tc.code)
			}
			golden.Compare(t, name+".golden", got.Out+"-- stderr --\n"+got.Err)
		})
	}
}

func TestEvalUsage(t *testing.T) {
	const katalog, cr = "testdata/eval/off/katalog.yaml", "testdata/eval/off/cr.yaml"
	file := func(text string) string {
		name := filepath.Join(t.TempDir(), "cr.yaml")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	cases := map[string]struct {
		reason string
		in     string
		args   []string
		code   int
		says   string
	}{
		"NoKatalog":  {reason: "wrong usage", args: []string{"--cr", cr}, code: 2, says: "no Katalog: name one with -f"},
		"NoResource": {reason: "wrong usage", args: []string{"-f", katalog}, code: 2, says: "no resources: name a file of them with --cr"},
		"Output":     {reason: "wrong usage", args: []string{"-f", katalog, "--cr", cr, "-o", "text"}, code: 2, says: `unknown output "text"; valid: yaml, json`},
		"TwoInputs":  {reason: "there is one standard input", args: []string{"-f", "-", "--cr", "-"}, code: 2, says: "the standard input can be one file only"},
		"Wrong": {
			reason: "a wrong Katalog evaluates nothing", args: []string{"-f", "testdata/gate/invalid.yaml", "--cr", cr},
			code: 1, says: `error: testdata/gate/invalid.yaml:16:45: spec.crds[site].validation.rules[0].max: "many" is not a number`,
		},
		"Missing": {reason: "names the file", args: []string{"-f", katalog, "--cr", "missing.yaml"}, code: 1, says: "read the resources: open missing.yaml"},
		"Empty":   {reason: "nothing to look at is hardly meant", args: []string{"-f", katalog, "--cr", file("---\n")}, code: 1, says: "holds no resource"},
		"NoKind":  {reason: "names the document", args: []string{"-f", katalog, "--cr", file("a: b\n")}, code: 1, says: "cr.yaml:1:1: not a Kubernetes object: it needs apiVersion and kind"},
		"NoMap":   {reason: "no YAML panics", args: []string{"-f", katalog, "--cr", file("- a\n")}, code: 1, says: "cr.yaml:1:1: not a Kubernetes object: it needs apiVersion and kind, and is a list"},
		"Name": {
			reason: "all that is no resource is told at once", args: []string{"-f", katalog, "--cr", file("---\napiVersion: v1\nkind: A\nmetadata: {name: 5}\n---\napiVersion: v1\nkind: A\nmetadata: []\n")}, code: 1,
			says: "cr.yaml:8:11: metadata: want a map, got a list",
		},
		"NoItems": {
			reason: "a list of a kind of the Katalog", args: []string{"-f", katalog, "--cr", file("apiVersion: example.com/v1\nkind: SiteList\nmetadata: {name: a}\n")}, code: 1,
			says: "cr.yaml:1:1: a SiteList is a list of the kind Site, and this one has no items",
		},
		"NoYAML": {reason: "no text panics", args: []string{"-f", katalog, "--cr", file("a: [\n")}, code: 1, says: "cr.yaml:2:1: not valid YAML"},
		"Stdin":  {reason: "- is the standard input", in: "apiVersion: v1\nkind: Other\nmetadata: {name: a}\n", args: []string{"-f", katalog, "--cr", "-"}, says: "Other a, CREATE: allowed"},
		"Old": {
			reason: "what it was belongs to what it is", args: []string{"-f", katalog, "--cr", cr, "--old", "testdata/eval/update/old.yaml"},
			code: 1, says: "--old has resources that --cr has not: Site updated",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := ork(t, tc.in, append([]string{"gate", "eval"}, tc.args...)...)
			said := got.Err
			if tc.code == 0 {
				said = got.Out
			}
			if got.Code != tc.code || !strings.Contains(said, tc.says) {
				t.Errorf("%s\nexit code %d, want %d; want %q in\n%s", tc.reason, got.Code, tc.code, tc.says, said)
			}
		})
	}
}
