package spelling

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNearest(t *testing.T) {
	known := []string{"default", "equals", "gt", "lt", "toLower"}
	cases := map[string]struct{ reason, word, want string }{
		"OneEdit":   {reason: "a missing letter is found", word: "defalt", want: "default"},
		"Case":      {reason: "case is no difference", word: "tolower", want: "toLower"},
		"Equally":   {reason: "of two equally near words the first in the alphabet is named", word: "ft", want: "gt"},
		"Short":     {reason: "a word of two letters may differ in one", word: "!=", want: ""},
		"Swapped":   {reason: "two swapped letters are two edits", word: "eqauls", want: "equals"},
		"Far":       {reason: "a word like none of them gives nothing", word: "somethingElse", want: ""},
		"VeryLong":  {reason: "a word longer than any is not compared", word: strings.Repeat("a", 1<<20), want: ""},
		"EmptyWord": {reason: "no word is near to nothing", word: "", want: ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Nearest(tc.word, known)); diff != "" {
				t.Errorf("\n%s\nNearest(%q): -want, +got:\n%s", tc.reason, tc.word, diff)
			}
		})
	}
}
