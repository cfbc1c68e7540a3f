package box_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/orkestra-runtime/orkestra/runtime/box"
)

// TestDefect17 reads paths of indexes with positions and with keys that have dots in them.
func TestDefect17(t *testing.T) {
	object := &unstructured.Unstructured{Object: map[string]any{
		"metadata": map[string]any{
			"name":            "web",
			"labels":          map[string]any{"app.kubernetes.io/name": "shop", "tier": "gold"},
			"ownerReferences": []any{map[string]any{"name": "first"}, map[string]any{"name": "second"}},
		},
		"spec": map[string]any{"replicas": int64(3), "on": true, "hosts": []any{"a", "b", map[string]any{}, nil}, "none": nil, "map": map[string]any{}},
	}}
	cases := map[string]struct {
		reason, path string
		want         []string
	}{
		"Key":          {reason: "keys stand after dots", path: ".metadata.name", want: []string{"web"}},
		"NoDot":        {reason: "the dot in front may be left out", path: "metadata.name", want: []string{"web"}},
		"Position":     {reason: "a position leads into a list", path: ".metadata.ownerReferences[0].name", want: []string{"first"}},
		"LastPosition": {reason: "positions count from 0", path: "metadata.ownerReferences[1].name", want: []string{"second"}},
		"Beyond":       {reason: "a list may be shorter", path: ".metadata.ownerReferences[2].name"},
		"Quoted":       {reason: "a key in quotes may have dots and slashes in it", path: ".metadata.labels['app.kubernetes.io/name']", want: []string{"shop"}},
		"DoubleQuoted": {reason: "and in either quotes", path: `.metadata["labels"]["app.kubernetes.io/name"]`, want: []string{"shop"}},
		"Number":       {reason: "a number is found by its text", path: ".spec.replicas", want: []string{"3"}},
		"Bool":         {reason: "so is a boolean", path: ".spec.on", want: []string{"true"}},
		"List":         {reason: "a list is found by each element", path: ".spec.hosts", want: []string{"a", "b"}},
		"Null":         {reason: "nothing is not found", path: ".spec.none"},
		"Map":          {reason: "nor is a map", path: ".spec.map"},
		"Absent":       {reason: "nor what is not there", path: ".spec.a.b.c"},
		"KeyOfList":    {reason: "a list has no keys", path: ".spec.hosts.a"},
		"PositionOfMap": {
			reason: "a map has no positions", path: ".spec.map[0]",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			index, err := box.ParseIndex("i", tc.path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, index.Values(object)); diff != "" {
				t.Errorf("\n%s\n%s: -want, +got:\n%s", tc.reason, tc.path, diff)
			}
		})
	}
}

func TestParseIndexRefuses(t *testing.T) {
	cases := map[string]struct{ reason, path, want string }{
		"Empty":      {reason: "there must be a path", path: " ", want: "the path must begin with a key, such as .metadata.name"},
		"List":       {reason: "an object is no list", path: "[0].a", want: "the path must begin with a key, such as .metadata.name"},
		"TwoDots":    {reason: "a key has a name", path: ".metadata..name", want: `a key is missing at "..name"`},
		"LastDot":    {reason: "also the last one", path: "metadata.", want: `a key is missing at "."`},
		"Open":       {reason: "brackets are closed", path: ".a[1", want: `a bracket is not closed at "[1"`},
		"OpenQuote":  {reason: "so are quotes", path: ".a['b]", want: `a quoted key is not closed at "['b]"`},
		"NoPosition": {reason: "a key in brackets is quoted", path: ".a[b]", want: `"b" is neither a position nor a quoted key`},
		"Negative":   {reason: "positions count from 0", path: ".a[-1]", want: `"-1" is neither a position nor a quoted key`},
		"NoDot":      {reason: "a step begins with a dot or a bracket", path: ".a[0]b", want: `a dot or a bracket is missing at "b"`},
		"Quote":      {reason: "a quote belongs into brackets", path: ".a'b'", want: `a dot or a bracket is missing at "'b'"`},
	}
	const remedy = "; want a path such as .metadata.ownerReferences[0].name or .metadata.labels['app.kubernetes.io/name']"
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := box.ParseIndex("i", tc.path)
			if err == nil || err.Error() != tc.want && err.Error() != tc.want+remedy {
				t.Errorf("\n%s\nParseIndex(%q) = %v, want %s", tc.reason, tc.path, err, tc.want)
			}
		})
	}
}

func FuzzParseIndex(f *testing.F) {
	for _, seed := range []string{".metadata.ownerReferences[0].name", "metadata.labels['a.b/c']", ".a[", "[[]]", ".a['']"} {
		f.Add(seed)
	}
	object := &unstructured.Unstructured{Object: map[string]any{"a": []any{map[string]any{"b": "c"}}}}
	f.Fuzz(func(_ *testing.T, path string) {
		if index, err := box.ParseIndex("i", path); err == nil {
			index.Values(object) // it does not panic
		}
	})
}
