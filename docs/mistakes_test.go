package docs_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	gatewaycli "github.com/orkestra-runtime/orkestra/gateway/cli"
	"github.com/orkestra-runtime/orkestra/internal/corpus"
	"github.com/orkestra-runtime/orkestra/internal/golden"
	"github.com/orkestra-runtime/orkestra/providers/checkout"
	clients "github.com/orkestra-runtime/orkestra/providers/external/all"
	"github.com/orkestra-runtime/orkestra/providers/image"
	"github.com/orkestra-runtime/orkestra/runtime/cli"
)

// The planted mistakes are files of testdata/mistakes, a folder for each section of the page. The first line of a file says what kind of
// mistake it has. A comment with ^ below a line says what is found at the character above it, and one at the top of the file
//
//	# want line:column error: text
//
// what is found where a comment would be a part of a text. A file that another one names stands in parts, under the name of the file that
// has the mistake.
const mistakes = "testdata/mistakes"

// found is one finding: where it is, whether it is an error or a warning, and what it says.
type found struct {
	File         string
	Line, Column int
	Level, Says  string
}

// mistake is a file with what should be found in it.
type mistake struct {
	group, name, title string
	want               []found
	line               string // the first line with a finding
}

var (
	below = regexp.MustCompile(`^#( *)\^ (error|warning): (.+)$`)
	above = regexp.MustCompile(`^# want (\d+):(\d+) (error|warning): (.+)$`)
)

// planted reads all mistakes, in the order of their names.
func planted(t *testing.T) []mistake {
	t.Helper()
	files, err := filepath.Glob(mistakes + "/*/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no planted mistake: %v", err)
	}
	all := make([]mistake, 0, len(files))
	for _, file := range files {
		lines := read(t, file).lines
		title, ok := strings.CutPrefix(lines[0], "# ")
		if !ok {
			t.Errorf("%s: the first line does not say what is wrong", file)
		}
		one := mistake{group: filepath.Base(filepath.Dir(file)), name: filepath.Base(file), title: title}
		one.expect(one.name, lines)
		part := filepath.Join("parts", one.name)
		if _, err := os.Stat(filepath.Join(filepath.Dir(file), part)); !errors.Is(err, fs.ErrNotExist) {
			one.expect(part, read(t, filepath.Join(filepath.Dir(file), part)).lines)
		}
		if len(one.want) == 0 {
			t.Errorf("%s: nothing in it is wrong", file)
		}
		all = append(all, one)
	}
	return all
}

// expect reads what should be found in a file.
func (m *mistake) expect(file string, lines []string) {
	for i, line := range lines {
		one := found{File: file}
		if match := above.FindStringSubmatch(line); match != nil {
			one.Line, _ = strconv.Atoi(match[1])
			one.Column, _ = strconv.Atoi(match[2])
			one.Level, one.Says = match[3], match[4]
		} else if match := below.FindStringSubmatch(line); match != nil {
			one.Line, one.Column = i, 2+len(match[1])
			one.Level, one.Says = match[2], match[3]
		} else {
			continue
		}
		m.want = append(m.want, one)
		if m.line == "" {
			m.line = strings.TrimSpace(lines[one.Line-1])
		}
	}
}

// validate runs ork validate in the current folder.
func validate(t *testing.T, file string) []found {
	t.Helper()
	type finding struct {
		File    string `json:"file"`
		Line    int    `json:"line"`
		Column  int    `json:"column"`
		Message string `json:"message"`
	}
	var printed struct {
		Errors   []finding `json:"errors"`
		Warnings []finding `json:"warnings"`
	}
	var out strings.Builder
	opts := cli.Options{ // nothing is fetched or built to validate
		Out: &out, Err: &out, External: clients.Registry, Check: gatewaycli.Check,
		Checkouts: func(cli.CheckoutOptions) (checkout.Fetcher, error) { return nil, errors.ErrUnsupported },
		Builders:  func(cli.Daemons) (map[orkv1.DockerBuilder]image.Builder, error) { return nil, errors.ErrUnsupported },
	}
	root := cli.Root(opts, cli.Commands(opts)...)
	root.SetArgs([]string{"validate", "-o", "json", "-f", file})
	runErr := root.ExecuteContext(t.Context())
	if err := json.Unmarshal([]byte(out.String()), &printed); err != nil {
		t.Fatalf("%v\n%v\n%s", err, runErr, out.String())
	}
	var all []found
	for level, findings := range map[string][]finding{"error": printed.Errors, "warning": printed.Warnings} {
		for _, f := range findings {
			all = append(all, found{File: f.File, Line: f.Line, Column: f.Column, Level: level, Says: f.Message})
		}
	}
	return all
}

// Everything that is planted is found where it is, and nothing else.
func TestMistakes(t *testing.T) {
	all := planted(t)
	if len(all) < 60 {
		t.Errorf("%d kinds of mistakes", len(all))
	}
	titles := map[string]string{}
	for _, one := range all {
		id := one.group + "/" + one.name
		if other := titles[one.group+one.title]; other != "" {
			t.Errorf("%s and %s are the same kind", id, other)
		}
		titles[one.group+one.title] = id
		t.Run(id, func(t *testing.T) {
			t.Chdir(filepath.Join(mistakes, one.group))
			got := validate(t, one.name)
			order := func(a, b found) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) }
			slices.SortFunc(got, order)
			slices.SortFunc(one.want, order)
			for i := range min(len(got), len(one.want)) {
				if strings.HasPrefix(got[i].Says, one.want[i].Says) { // which leaves out the value and long lists
					got[i].Says = one.want[i].Says
				}
			}
			if diff := gocmp.Diff(one.want, got); diff != "" {
				t.Errorf("%s: -planted, +found:\n%s", one.title, diff)
			}
		})
	}
}

// The tables of the page are made of the files; -update writes them.
func TestMistakesPage(t *testing.T) {
	rows := map[string][]string{}
	for _, one := range planted(t) {
		said := one.want[0].Says
		if one.want[0].Level == "warning" {
			said = "warning: " + said
		}
		rows[one.group] = append(rows[one.group], fmt.Sprintf("| %s | %#q | %s |", cell(one.title), cell(one.line), cell(said)))
	}
	page := read(t, "mistakes.md")
	var out []string
	for i := 0; i < len(page.lines); i++ {
		out = append(out, page.lines[i])
		kind, group := mark(page.lines[i])
		if kind != "mistakes" {
			continue
		}
		if len(rows[group]) == 0 {
			t.Errorf("mistakes.md:%d: there is no mistake in %s", i+1, group)
		}
		out = append(append(out, "| mistake | line | what is said |", "|---|---|---|"), rows[group]...)
		delete(rows, group)
		for i+1 < len(page.lines) && strings.HasPrefix(page.lines[i+1], "|") {
			i++
		}
	}
	for group := range rows {
		t.Errorf("mistakes.md has no table for the mistakes in %s", group)
	}
	golden.Compare(t, "mistakes.md", strings.Join(out, "\n"))
}

// cell is a text in a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// What is right has no findings: the examples, and the files of a corpus but for features that are not there yet and files that were
// not kept.
func TestNoMistakes(t *testing.T) {
	examples, err := filepath.Glob("../examples/*/katalog.yaml")
	if err != nil || len(examples) == 0 {
		t.Fatalf("no example: %v", err)
	}
	for _, file := range examples {
		t.Run(filepath.Base(filepath.Dir(file)), func(t *testing.T) {
			t.Chdir(filepath.Dir(file))
			_, err := os.Stat("main.go")
			for _, one := range validate(t, ".") {
				lacks := strings.HasPrefix(one.Says, "is Go code that this binary does not have") ||
					strings.HasPrefix(one.Says, "is a provider that this binary does not have")
				if program := err == nil; program && lacks {
					continue // it is run by that program
				}
				t.Errorf("%+v", one)
			}
		})
	}
	dir := corpus.Root()
	packs, err := corpus.ReadIndex(filepath.Join(dir, corpus.Index))
	if err != nil {
		t.Logf("the examples alone: %v", err)
		return
	}
	for _, pack := range packs {
		if pack.Expect != "ok" || pack.After != "foundation" && pack.After != "language" {
			continue
		}
		t.Run(pack.Name, func(t *testing.T) {
			files, err := filepath.Glob(filepath.Join(dir, pack.Path, "katalog*.yaml"))
			if err != nil || len(files) == 0 {
				t.Fatalf("no Katalog: %v", err)
			}
			for _, file := range files {
				for _, one := range validate(t, file) {
					if one.Level == "error" && one.Says != "not supported yet" && !strings.HasSuffix(one.Says, "does not exist") {
						t.Errorf("%+v", one)
					}
				}
			}
		})
	}
}
