package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// page is one document. A line <!-- kind: argument --> in it says what the table or the code below it is.
type page struct {
	name  string
	lines []string
}

// pages are all documents that users read.
func pages(t *testing.T) []page {
	t.Helper()
	names, err := filepath.Glob("*.md")
	if err != nil || len(names) == 0 {
		t.Fatalf("no document: %v", err)
	}
	var all []page
	for _, name := range append(names, "../README.md", "../CONTRIBUTING.md") {
		all = append(all, read(t, name))
	}
	return all
}

func read(t *testing.T, name string) page {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return page{name: name, lines: strings.Split(string(text), "\n")}
}

// marker finds <!-- kind: argument -->.
var marker = regexp.MustCompile(`<!-- ([a-z]+)(?:: (.+?))? -->`)

// mark reads the marker of a line; "" when it has none.
func mark(line string) (kind, argument string) {
	if found := marker.FindStringSubmatch(line); len(found) == 3 {
		return found[1], found[2]
	}
	return "", ""
}

// code finds what stands between backticks.
var code = regexp.MustCompile("`([^`]+)`")

// words are the texts between backticks in a cell or a line.
func words(cell string) []string {
	var all []string
	for _, found := range code.FindAllStringSubmatch(cell, -1) {
		all = append(all, found[1])
	}
	return all
}

// table is a table with a marker.
type table struct {
	argument string
	rows     [][]string
}

// tables are those of one kind, without their headings. There is at least one.
func (p page) tables(t *testing.T, kind string) []table {
	t.Helper()
	var found []table
	for i, line := range p.lines {
		is, argument := mark(line)
		if is != kind {
			continue
		}
		one := table{argument: argument}
		for _, row := range p.lines[min(i+3, len(p.lines)):] {
			if !strings.HasPrefix(row, "|") {
				break
			}
			one.rows = append(one.rows, cells(row))
		}
		if len(one.rows) == 0 {
			t.Errorf("%s:%d: no table follows the marker", p.name, i+1)
		}
		found = append(found, one)
	}
	if len(found) == 0 {
		t.Fatalf("%s: no table is marked %s", p.name, kind)
	}
	return found
}

// cells splits a row at its pipes, other than those of a pipeline, which are written with a backslash.
func cells(row string) []string {
	const pipe = "\x00"
	row = strings.ReplaceAll(row, `\|`, pipe)
	row = strings.TrimSuffix(strings.TrimPrefix(row, "|"), "|")
	parts := strings.Split(row, "|")
	for i := range parts {
		parts[i] = strings.TrimSpace(strings.ReplaceAll(parts[i], pipe, "|"))
	}
	return parts
}

// firstColumn collects the words of the first cells of the tables of a kind.
func (p page) firstColumn(t *testing.T, kind string) []string {
	t.Helper()
	var all []string
	for _, one := range p.tables(t, kind) {
		for _, row := range one.rows {
			all = append(all, words(row[0])...)
		}
	}
	return all
}

// block is a fenced text.
type block struct {
	line     int
	language string
	// at is the path of the marker above the fence, file the name of a file with the same text.
	at, file string
	text     string
}

func (p page) blocks(language string) []block {
	var found []block
	for i := 0; i < len(p.lines); i++ {
		if p.lines[i] != "```"+language {
			continue
		}
		one := block{line: i + 2, language: language}
		switch kind, argument := mark(p.lines[max(0, i-1)]); kind {
		case "at":
			one.at = argument
		case "file":
			one.file = argument
		}
		for i++; i < len(p.lines) && p.lines[i] != "```"; i++ {
			one.text += p.lines[i] + "\n"
		}
		found = append(found, one)
	}
	return found
}
