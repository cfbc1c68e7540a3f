package corpus

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadIndex(t *testing.T) {
	cases := map[string]struct {
		reason string
		text   string
		want   []Pack
		err    string
	}{
		"Packs": {
			reason: "the order is kept, columns that nobody asks for are not",
			text:   "pack\tafter\tpath\texpect\tschema\nb\tfoundation\tx/b\tok\tG3\na\tlater\tx/a\tlater: more\t-\n",
			want: []Pack{
				{Name: "b", After: "foundation", Path: "x/b", Expect: "ok"},
				{Name: "a", After: "later", Path: "x/a", Expect: "later: more"},
			},
		},
		"LineEnds": {
			reason: "the index may come from another system",
			text:   "pack\tafter\tpath\texpect\r\na\tfoundation\tx\tok\r\n",
			want:   []Pack{{Name: "a", After: "foundation", Path: "x", Expect: "ok"}},
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
			got, err := ReadIndex("INDEX.tsv")
			message := ""
			if err != nil {
				message = err.Error()
			}
			if diff := cmp.Diff(tc.err, message); diff != "" {
				t.Errorf("\n%s\nReadIndex(...): -want error, +got error:\n%s", tc.reason, diff)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nReadIndex(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
