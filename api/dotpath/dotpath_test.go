package dotpath_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orkestra-runtime/orkestra/api/dotpath"
)

func TestParse(t *testing.T) {
	const noKeys = "is not keys separated by dots, or in brackets and quotes"
	cases := map[string]struct {
		reason, text string
		want         []string
		err          string
	}{
		"Keys":       {reason: "dots separate keys", text: " .spec.replicas ", want: []string{"spec", "replicas"}},
		"Brackets":   {reason: "a key may hold dots and slashes", text: `spec.m["a.b/c"].d`, want: []string{"spec", "m", "a.b/c", "d"}},
		"OtherQuote": {reason: "either quote, of which the other is a part of the key", text: `m['a"b']`, want: []string{"m", `a"b`}},
		"First":      {reason: "also the first key", text: `["a.b"]`, want: []string{"a.b"}},
		"Bracket":    {reason: "a bracket without its quote does not end a key", text: `m["a]b"]`, want: []string{"m", "a]b"}},
		"Empty":      {reason: "no key at all", text: " . ", err: "the path is empty"},
		"NoKey":      {reason: "between two dots is none", text: "a..b", err: noKeys},
		"LastDot":    {reason: "nor behind the last one", text: "a.", err: noKeys},
		"Position":   {reason: "there are no positions in lists", text: "tags[0]", err: noKeys},
		"Open":       {reason: "what is opened is closed", text: `m["a`, err: noKeys},
		"Behind":     {reason: "a dot stands behind a bracket", text: `m["a"]b`, err: noKeys},
		"Space":      {reason: "white space needs brackets", text: "a b", err: noKeys},
		"Deep":       {reason: "a path ends somewhere", text: "a" + strings.Repeat(".a", 32), err: "more than 32 keys"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := dotpath.Parse(tc.text)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nParse(%q): -want, +got:\n%s", tc.reason, tc.text, diff)
			}
			if (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Errorf("\n%s\nParse(%q): error %v, want one with %q", tc.reason, tc.text, err, tc.err)
			}
		})
	}
}

func TestWrite(t *testing.T) {
	cases := map[string]struct {
		reason string
		path   []string
		want   string
		plain  bool
	}{
		"Plain":  {"nothing needs brackets", []string{"spec", "replicas"}, "spec.replicas", true},
		"Dots":   {"which would be two keys", []string{"m", "a.b", "c"}, `m["a.b"].c`, false},
		"Slash":  {"a slash is easier to read in brackets", []string{"m", "a/b"}, `m["a/b"]`, true},
		"Quote":  {"the other quote", []string{"m", `a"b`}, `m['a"b']`, false},
		"Escape": {"nothing is escaped", []string{"m", `a\.b`}, `m["a\.b"]`, false},
		"First":  {"also the first key", []string{"a.b"}, `["a.b"]`, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := dotpath.Write(tc.path); got != tc.want {
				t.Errorf("\n%s\nWrite(%q) = %s, want %s", tc.reason, tc.path, got, tc.want)
			}
			if got := dotpath.Plain(tc.path); got != tc.plain {
				t.Errorf("\n%s\nPlain(%q) = %t", tc.reason, tc.path, got)
			}
		})
	}
}

// FuzzParse shows that what is read and written is read as the same again, and that errors are short.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"spec.a", `m["a.b/c"].d`, `m['a"b']`, "a..b", "tags[0]", `["\x80"]`, " . ", `m["a\.b"]`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		path, err := dotpath.Parse(text)
		if err != nil {
			if len(err.Error()) > 2048 {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
			return
		}
		again, err := dotpath.Parse(dotpath.Write(path))
		if diff := cmp.Diff(path, again); err != nil || diff != "" {
			t.Errorf("%q is written as %q: %v\n%s", text, dotpath.Write(path), err, diff)
		}
		if plain := dotpath.Plain(path); plain {
			if again, err := dotpath.Parse(strings.Join(path, ".")); err != nil || !cmp.Equal(path, again) {
				t.Errorf("%q stands without brackets, and is read as %q: %v", path, again, err)
			}
		}
	})
}
