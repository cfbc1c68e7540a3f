// Package corpus finds Katalogs that others wrote, which tests run and which are not part of the repository.
package corpus

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Root is the folder named by ORKESTRA_CORPUS, or else shared/corpus beside the checkout that the test runs in. It need not be there.
func Root() string {
	if named := os.Getenv("ORKESTRA_CORPUS"); named != "" {
		return named
	}
	checkout := "."
	for range 8 { // no package is as deep
		if _, err := os.Stat(filepath.Join(checkout, "go.mod")); err == nil {
			break
		}
		checkout = filepath.Join("..", checkout)
	}
	return filepath.Join(checkout, "..", "shared", "corpus")
}

// Index is the file in Root that lists the packs.
const Index = "INDEX.tsv"

// stages are all that the index may name, in the order in which they are reached. What belongs to the last is never reached.
var stages = []string{"foundation", "language", "resources", "events", "world", "gateway", "later"}

// Pack is a line of the index: a folder of Katalogs that belong together.
type Pack struct {
	Name string
	// After is the stage from which on the pack must work.
	After string
	// Path of the folder, relative to the index.
	Path string
	// Expect is "ok", or the error that is right.
	Expect string
}

// columns head the index. More may follow.
var columns = []string{"pack", "after", "path", "expect"}

// ReadIndex reads the lines of an index, in order.
func ReadIndex(path string) ([]Pack, error) {
	text, err := os.ReadFile(filepath.Clean(path))
	if err != nil {
		return nil, fmt.Errorf("read the index: %w", err)
	}
	var packs []Pack
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		fields := strings.Split(strings.TrimRight(line, "\r"), "\t")
		at := fmt.Sprintf("%s:%d", path, i+1)
		switch {
		case len(fields) < len(columns):
			return nil, fmt.Errorf("%s: %d columns; want at least %s, with tabs between them", at, len(fields), strings.Join(columns, ", "))
		case i == 0:
			if !slices.Equal(fields[:len(columns)], columns) {
				return nil, fmt.Errorf("%s: the first line must begin with the columns %s", at, strings.Join(columns, ", "))
			}
		case !slices.Contains(stages, fields[1]):
			return nil, fmt.Errorf("%s: stage %q is unknown; valid: %s", at, fields[1], strings.Join(stages, ", "))
		case slices.ContainsFunc(packs, func(p Pack) bool { return p.Name == fields[0] }):
			return nil, fmt.Errorf("%s: pack %s stands twice", at, fields[0])
		default:
			packs = append(packs, Pack{Name: fields[0], After: fields[1], Path: fields[2], Expect: fields[3]})
		}
	}
	return packs, nil
}
