package docs_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	"github.com/orkestra-runtime/orkestra/controllers/builtin"
	gatewaycli "github.com/orkestra-runtime/orkestra/gateway/cli"
	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/cli"
	"github.com/orkestra-runtime/orkestra/runtime/simulate/crdschema"
)

// Every YAML text is a Katalog, or a marked part of one, and loads without an error or a warning.
func TestKatalogsLoad(t *testing.T) {
	found := 0
	for _, p := range pages(t) {
		for _, b := range p.blocks("yaml") {
			found++
			t.Run(fmt.Sprintf("%s:%d", filepath.Base(p.name), b.line), func(t *testing.T) {
				text := b.text
				switch {
				case b.file != "":
					isFile(t, b)
					return
				case b.at != "":
					text = within(b.at, b.text)
				case !strings.HasPrefix(text, "apiVersion: orkestra."):
					t.Fatal(`neither a Katalog nor a part of one: put <!-- at: spec.crds.website --> above it, or call it text`)
				}
				result, err := load(text)
				if err != nil {
					t.Fatalf("does not load:\n%v\n%s", err, text)
				}
				if len(result.Warnings) > 0 {
					t.Errorf("warnings:\n%v", result.Warnings)
				}
			})
		}
	}
	if found == 0 {
		t.Error("no YAML in the documents")
	}
}

// isFile checks that a file holds the text of a block, and loads. It may be a Motif.
func isFile(t *testing.T, b block) {
	t.Helper()
	text, err := os.ReadFile(b.file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(string(text), b.text); diff != "" {
		t.Errorf("-%s, +page:\n%s", b.file, diff)
	}
	var out strings.Builder
	opts := cli.Options{Out: &out, Err: &out}
	root := cli.Root(opts, cli.Commands(opts)...)
	root.SetArgs([]string{"validate", "-f", b.file})
	if err := root.ExecuteContext(t.Context()); err != nil || out.String() != "valid, 0 warnings\n" {
		t.Errorf("%v\n%s", err, out.String())
	}
}

// within puts a part of a Katalog below a dotted path.
func within(path, part string) string {
	var b strings.Builder
	b.WriteString("apiVersion: orkestra.orkspace.io/v1\nkind: Katalog\nmetadata: {name: website}\n")
	indent := ""
	for key := range strings.SplitSeq(path, ".") {
		b.WriteString(indent + key + ":\n")
		indent += "  "
		if key == "website" {
			b.WriteString(indent + "crdFile: crd.yaml\n")
		}
	}
	for line := range strings.Lines(part) {
		b.WriteString(indent + line)
	}
	return b.String()
}

// load reads a Katalog as if it stood in the folder of the website example, whose files it may name.
func load(text string) (*katalog.Result, error) {
	registry, err := builtin.Registry()
	if err != nil {
		return nil, err
	}
	return katalog.Parse(katalog.Options{Check: func(document *katalog.Document) (errs, warnings field.ErrorList) {
		_, found := box.CompileKatalog(document.Katalog, box.Options{Registry: registry}) // without the example's schema
		return found.Errors, nil                                                          // a snippet speaks of fields and children that stand elsewhere
	}}, "../examples/website/katalog.yaml", []byte(text))
}

// Each pair of spellings gives the same Katalog, and the first a warning where the table says so.
func TestSpellings(t *testing.T) {
	parse := func(t *testing.T, entry string) *katalog.Result {
		t.Helper()
		text := fmt.Sprintf("apiVersion: orkestra.orkspace.io/v1\nkind: Katalog\nmetadata: {name: a}\nspec:\n  crds:\n    a:\n"+
			"      apiTypes: {group: example.com, version: v1, kind: A}\n      %s\n", entry)
		result, err := load(text)
		if err != nil {
			t.Fatalf("%s: %v", entry, err)
		}
		return result
	}
	for _, row := range read(t, "katalog.md").tables(t, "spellings")[0].rows {
		also, means := words(row[0])[0], words(row[1])[0]
		t.Run(also, func(t *testing.T) {
			got, want := parse(t, also), parse(t, means)
			if diff := gocmp.Diff(want.Documents[0].Katalog, got.Documents[0].Katalog); diff != "" {
				t.Errorf("%s does not mean %s: -want, +got:\n%s", also, means, diff)
			}
			if warns := len(got.Warnings) > 0; warns != (row[2] == "yes") {
				t.Errorf("warnings %v, but the table says %s", got.Warnings, row[2])
			}
			if len(want.Warnings) > 0 {
				t.Errorf("the right spelling warns: %v", want.Warnings)
			}
		})
	}
}

// What validate and simulate print on a page is what they print.
func TestConsole(t *testing.T) {
	t.Chdir("..") // the pages show commands as given at the top of the checkout
	found := 0
	for _, b := range read(t, "docs/running.md").blocks("console") {
		command, printed, _ := strings.Cut(b.text, "\n")
		arguments, ok := strings.CutPrefix(command, "$ ork ")
		if !ok || !slices.ContainsFunc([]string{"validate ", "simulate ", "gate eval "}, func(prefix string) bool { return strings.HasPrefix(arguments, prefix) }) {
			continue // what is printed elsewhere differs from run to run
		}
		found++
		var out strings.Builder
		opts := cli.Options{Out: &out, Err: &out, Define: crdschema.New}
		commands := append(cli.Commands(opts), gatewaycli.Commands(gatewaycli.Options{Out: &out, Err: &out})...)
		root := cli.Root(opts, commands...)
		root.SetArgs(strings.Fields(arguments))
		if _, message := cli.ExitCode(root.ExecuteContext(t.Context())); message != "" {
			fmt.Fprintln(&out, "ork: "+message)
		}
		if diff := gocmp.Diff(printed, out.String()); diff != "" {
			t.Errorf("running.md:%d: %s: -page, +printed:\n%s", b.line, command, diff)
		}
	}
	if found == 0 {
		t.Error("no page shows what ork validate, ork simulate or ork gate eval prints")
	}
}

// The Go code of the library page is the body of a function of the example, which compiles.
func TestGoCode(t *testing.T) {
	example := strings.Join(read(t, "../runtime/engine/example_test.go").lines, "\n")
	code := read(t, "library.md").blocks("go")
	if len(code) == 0 {
		t.Error("the page shows no code")
	}
	for _, b := range code {
		var body strings.Builder
		for line := range strings.Lines(b.text) {
			if line != "\n" {
				body.WriteString("\t")
			}
			body.WriteString(line)
		}
		if !strings.Contains(example, "error {\n"+body.String()+"}\n") {
			t.Errorf("library.md:%d: the code is not that of the example", b.line)
		}
	}
}

// link finds the target of a relative link.
var link = regexp.MustCompile(`\]\(([^)#:]*)(#[^)]+)?\)`)

// Every relative link leads to a file, and one with an anchor to a heading.
func TestLinks(t *testing.T) {
	for _, p := range pages(t) {
		for i, line := range p.lines {
			for _, found := range link.FindAllStringSubmatch(line, -1) {
				target := filepath.Join(filepath.Dir(p.name), cmp.Or(found[1], filepath.Base(p.name)))
				if _, err := os.Stat(target); err != nil {
					t.Errorf("%s:%d: %v", p.name, i+1, err)
					continue
				}
				if found[2] != "" && !slices.Contains(read(t, target).anchors(), found[2]) {
					t.Errorf("%s:%d: %s has no heading %s", p.name, i+1, target, found[2])
				}
			}
		}
	}
}

// anchors are the headings as links name them.
func (p page) anchors() []string {
	var all []string
	for _, line := range p.lines {
		if title := strings.TrimLeft(line, "#"); title != line {
			title = strings.ToLower(strings.TrimSpace(title))
			title = regexp.MustCompile(`[^a-z0-9 _-]`).ReplaceAllString(title, "")
			all = append(all, "#"+strings.ReplaceAll(title, " ", "-"))
		}
	}
	return all
}
