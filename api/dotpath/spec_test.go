package dotpath_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orkestra-runtime/orkestra/api/dotpath"
)

func TestBelowSpec(t *testing.T) {
	cases := map[string]struct {
		reason, text string
		want         []string
		err          string
	}{
		"Below":     {reason: "spec need not be said", text: "storage.size", want: []string{"storage", "size"}},
		"Spec":      {reason: "and may be", text: "spec.storage.size", want: []string{"storage", "size"}},
		"SpecKey":   {reason: "also before a bracket", text: `spec["a.b"]`, want: []string{"a.b"}},
		"Twice":     {reason: "a field of the spec may have that name", text: "spec.spec", want: []string{"spec"}},
		"Metadata":  {reason: "and those of other parts, if spec is said", text: "spec.metadata.name", want: []string{"metadata", "name"}},
		"Brackets":  {reason: "a key with dots is one", text: `m["a.b/c"]`, want: []string{"m", "a.b/c"}},
		"Number":    {reason: "in quotes a number is a key", text: `m["0"]`, want: []string{"m", "0"}},
		"Itself":    {reason: "the spec is no field", text: "spec", err: "is the spec itself: name a field below it"},
		"Name":      {reason: "an intent names a resource in another way", text: "metadata.name", err: "metadata.name is not below spec"},
		"Status":    {reason: "the status is the operator's", text: "status.phase", err: "or write spec.status.phase for a field of that name"},
		"Position":  {reason: "SetNestedField knows no lists", text: "tags[0]", err: `the path "tags[0]" leads into a list`},
		"Every":     {reason: "nor all of their elements", text: "tags[].name", err: "leads into a list"},
		"FirstDot":  {reason: "a dot at the start is no part of a path below something", text: ".a", err: `the path ".a" begins with a dot`},
		"LastDot":   {reason: "nor one at the end", text: "a.", err: "is not keys separated by dots"},
		"EmptyPart": {reason: "nor a key without a name", text: "spec..a", err: "is not keys separated by dots"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := dotpath.BelowSpec(tc.text)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nBelowSpec(%q): -want, +got:\n%s", tc.reason, tc.text, diff)
			}
			if (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Errorf("\n%s\nBelowSpec(%q): error %v, want one with %q", tc.reason, tc.text, err, tc.err)
			}
		})
	}
}

func TestOfField(t *testing.T) {
	cases := map[string]struct {
		reason, key, path string
		want              []string
		err               string
	}{
		"Path":   {reason: "the path is where it stands", key: "size", path: "storage.size", want: []string{"storage", "size"}},
		"Key":    {reason: "else the key, whatever it is called", key: "status", want: []string{"status"}},
		"Dots":   {reason: "which may be a path", key: "spec.storage.size", want: []string{"storage", "size"}},
		"NoPath": {reason: "or none", key: "my size", err: "is not keys separated by dots"},
		"Empty":  {reason: "a path of white space is none", key: "size", path: " ", want: []string{"size"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := dotpath.OfField(tc.key, tc.path)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nOfField(%q, %q): -want, +got:\n%s", tc.reason, tc.key, tc.path, diff)
			}
			if (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Errorf("\n%s\nOfField(%q, %q): error %v, want one with %q", tc.reason, tc.key, tc.path, err, tc.err)
			}
		})
	}
}
