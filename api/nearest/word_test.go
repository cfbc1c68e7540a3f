package nearest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWord(t *testing.T) {
	known := []string{"default", "equals", "gt", "image", "lt", "toLower"}
	cases := map[string]struct{ reason, word, want string }{
		"OneEdit":    {reason: "a missing letter is found", word: "defalt", want: "default"},
		"Case":       {reason: "case is no difference", word: "tolower", want: "toLower"},
		"Equally":    {reason: "of two equally near words the first in the alphabet is named", word: "ft", want: "gt"},
		"Short":      {reason: "a word of two letters may differ in one", word: "!=", want: ""},
		"Swapped":    {reason: "two swapped letters are one edit", word: "euqals", want: "equals"},
		"SwappedIn5": {reason: "and so they are found in a word of five letters", word: "imgae", want: "image"},
		"Far":        {reason: "a word like none of them gives nothing", word: "somethingElse", want: ""},
		"VeryLong":   {reason: "a word longer than any is not compared", word: strings.Repeat("a", 1<<20), want: ""},
		"EmptyWord":  {reason: "no word is near to nothing", word: "", want: ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Word(tc.word, known)); diff != "" {
				t.Errorf("\n%s\nWord(%q): -want, +got:\n%s", tc.reason, tc.word, diff)
			}
		})
	}
}
