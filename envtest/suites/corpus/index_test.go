package corpus_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// stages are all that the index may name, in the order in which they are reached. What belongs to the last is never reached.
var stages = []string{"foundation", "language", "resources", "events", "world", "gateway", "later"}

// pack is a line of the index: a folder of Katalogs that belong together.
type pack struct {
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

// readIndex reads the lines of an index, in order.
func readIndex(path string) ([]pack, error) {
	text, err := os.ReadFile(filepath.Clean(path))
	if err != nil {
		return nil, fmt.Errorf("read the index: %w", err)
	}
	var packs []pack
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
		case slices.ContainsFunc(packs, func(p pack) bool { return p.Name == fields[0] }):
			return nil, fmt.Errorf("%s: pack %s stands twice", at, fields[0])
		default:
			packs = append(packs, pack{Name: fields[0], After: fields[1], Path: fields[2], Expect: fields[3]})
		}
	}
	return packs, nil
}

func TestReadIndex(t *testing.T) {
	cases := map[string]struct {
		reason string
		text   string
		want   []pack
		err    string
	}{
		"Packs": {
			reason: "the order is kept, columns that nobody asks for are not",
			text:   "pack\tafter\tpath\texpect\tschema\nb\tfoundation\tx/b\tok\tG3\na\tlater\tx/a\tlater: more\t-\n",
			want: []pack{
				{Name: "b", After: "foundation", Path: "x/b", Expect: "ok"},
				{Name: "a", After: "later", Path: "x/a", Expect: "later: more"},
			},
		},
		"LineEnds": {
			reason: "the index may come from another system",
			text:   "pack\tafter\tpath\texpect\r\na\tfoundation\tx\tok\r\n",
			want:   []pack{{Name: "a", After: "foundation", Path: "x", Expect: "ok"}},
		},
		"Header": {
			reason: "columns in another order would be taken for one another",
			text:   "pack\tpath\tafter\texpect\n",
			err:    "INDEX.tsv:1: the first line must begin with the columns pack, after, path, expect",
		},
		"Short": {
			reason: "a line without tabs is a mistake",
			text:   "pack\tafter\tpath\texpect\na foundation x ok\n",
			err:    "INDEX.tsv:2: 1 columns; want at least pack, after, path, expect, with tabs between them",
		},
		"Stage": {
			reason: "a pack of a stage that is misspelt would never be tested",
			text:   "pack\tafter\tpath\texpect\na\tfoundations\tx\tok\n",
			err: `INDEX.tsv:2: stage "foundations" is unknown; ` +
				"valid: foundation, language, resources, events, world, gateway, later",
		},
		"Twice": {
			reason: "a name is the name of one test",
			text:   "pack\tafter\tpath\texpect\na\tlater\tx\tok\na\tlater\ty\tok\n",
			err:    "INDEX.tsv:3: pack a stands twice",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if err := os.WriteFile("INDEX.tsv", []byte(tc.text), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := readIndex("INDEX.tsv")
			message := ""
			if err != nil {
				message = err.Error()
			}
			if diff := cmp.Diff(tc.err, message); diff != "" {
				t.Errorf("\n%s\nreadIndex(...): -want error, +got error:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nreadIndex(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
