package docs_test

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/notes"
	"github.com/orkestra-runtime/orkestra/controllers/builtin"
	"github.com/orkestra-runtime/orkestra/runtime/box"
	"github.com/orkestra-runtime/orkestra/runtime/cli"
	"github.com/orkestra-runtime/orkestra/runtime/engine"
	"github.com/orkestra-runtime/orkestra/runtime/metrics"
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
	return katalog.Parse(katalog.Options{Check: func(k *orkv1.Katalog) field.ErrorList {
		_, errs := box.CompileKatalog(k, registry)
		return errs
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

// The lists of names are complete and name nothing that is not there.
func TestLists(t *testing.T) {
	reference, running := read(t, "katalog.md"), read(t, "running.md")
	commands := cli.Commands(cli.Options{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard, StartControlPlane: startNothing})
	cases := map[string]struct {
		reason    string
		got, want []string
	}{
		"Functions": {
			reason: "a template may call these functions",
			got:    reference.firstColumn(t, "functions"),
			want:   append(keys(notes.Functions()), "and", "or", "not"),
		},
		"Operators": {
			reason: "operator takes these names",
			got:    reference.firstColumn(t, "operators"),
			want:   operators(t),
		},
		"Reasons": {
			reason: "these are the reasons of conditions",
			got:    reference.firstColumn(t, "reasons"),
			want:   constants(t, "../api/v1/reason.go", "Reason"),
		},
		"Metrics": {
			reason: "these series exist from the start",
			got:    running.firstColumn(t, "metrics"),
			want:   series(t),
		},
		"EngineOptions": {
			reason: "engine.Options has these fields",
			got:    read(t, "library.md").firstColumn(t, "options"),
			want:   fieldNames(reflect.TypeFor[engine.Options]()),
		},
		"RunFlags":      {reason: "ork run has these flags", got: flagsOf(t, running, "run"), want: flagNames(t, commands, "run")},
		"ValidateFlags": {reason: "ork validate has these flags", got: flagsOf(t, running, "validate"), want: flagNames(t, commands, "validate")},
		"VersionFlags":  {reason: "ork version has these flags", got: flagsOf(t, running, "version"), want: flagNames(t, commands, "version")},
		"Commands":      {reason: "ork has these commands", got: commandsOf(t, running), want: commandNames(commands)},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			slices.Sort(tc.got)
			slices.Sort(tc.want)
			if diff := gocmp.Diff(tc.want, tc.got); diff != "" {
				t.Errorf("\n%s\n-code, +documents:\n%s", tc.reason, diff)
			}
		})
	}
}

func keys(m map[string]any) []string {
	all := make([]string, 0, len(m))
	for key := range m {
		all = append(all, key)
	}
	return all
}

func fieldNames(t reflect.Type) []string {
	var all []string
	for f := range t.Fields() {
		all = append(all, f.Name)
	}
	return all
}

// operators reads them from the error of one that does not exist, which lists all.
func operators(t *testing.T) []string {
	t.Helper()
	_, err := load(within("spec.crds.website.operatorBox", "when: [{field: spec.a, operator: none, value: b}]\n"))
	_, list, found := strings.Cut(fmt.Sprint(err), "(valid: ")
	if !found {
		t.Fatalf("no list of operators in: %v", err)
	}
	list, _, _ = strings.Cut(list, ")")
	return strings.Split(list, ", ")
}

// constants are the values of the constants of a file whose names have a prefix.
func constants(t *testing.T, file, prefix string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(spec.Names[0].Name, prefix) {
			return true
		}
		value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, value)
		return true
	})
	return all
}

func series(t *testing.T) []string {
	t.Helper()
	registry := prometheus.NewRegistry()
	recorder, err := metrics.New(registry)
	if err != nil {
		t.Fatal(err)
	}
	recorder.CRD("website")
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, family := range families {
		all = append(all, family.GetName())
	}
	return all
}

func flagsOf(t *testing.T, p page, command string) []string {
	t.Helper()
	var all []string
	for _, one := range p.tables(t, "flags") {
		if one.argument != command {
			continue
		}
		for _, row := range one.rows {
			for _, word := range words(row[0]) {
				if name, long := strings.CutPrefix(word, "--"); long {
					name, _, _ = strings.Cut(name, "=")
					all = append(all, name)
				}
			}
		}
	}
	return all
}

func flagNames(t *testing.T, commands []*cobra.Command, name string) []string {
	t.Helper()
	var all []string
	for _, command := range commands {
		if command.Name() == name {
			command.Flags().VisitAll(func(f *pflag.Flag) { all = append(all, f.Name) })
		}
	}
	return all
}

func commandsOf(t *testing.T, p page) []string {
	t.Helper()
	var all []string
	for _, one := range p.tables(t, "flags") {
		all = append(all, one.argument)
	}
	return all
}

func commandNames(commands []*cobra.Command) []string {
	var all []string
	for _, command := range commands {
		all = append(all, command.Name())
	}
	return all
}

// What validate prints on a page is what it prints.
func TestConsole(t *testing.T) {
	t.Chdir("..") // the pages show commands as given at the top of the checkout
	found := 0
	for _, b := range read(t, "docs/running.md").blocks("console") {
		command, printed, _ := strings.Cut(b.text, "\n")
		arguments, ok := strings.CutPrefix(command, "$ ork ")
		if !ok || !strings.HasPrefix(arguments, "validate ") {
			continue // what is printed elsewhere differs from run to run
		}
		found++
		var out strings.Builder
		opts := cli.Options{Out: &out, Err: &out}
		root := cli.Root(opts, cli.Commands(opts)...)
		root.SetArgs(strings.Fields(arguments))
		if _, message := cli.ExitCode(root.ExecuteContext(t.Context())); message != "" {
			fmt.Fprintln(&out, "ork: "+message)
		}
		if diff := gocmp.Diff(printed, out.String()); diff != "" {
			t.Errorf("running.md:%d: %s: -page, +printed:\n%s", b.line, command, diff)
		}
	}
	if found == 0 {
		t.Error("no page shows what ork validate prints")
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
