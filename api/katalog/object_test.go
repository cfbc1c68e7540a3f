package katalog

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestObjects(t *testing.T) {
	const head = "apiVersion: example.com/v1\nkind: Site\n"
	cases := map[string]struct {
		reason, text string
		want         []string // the places and names
		err          string
	}{
		"Documents": {reason: "empty documents are none", text: head + "metadata: {name: a}\n---\n---\n" + head + "metadata: {generateName: b-}\n", want: []string{"o.yaml:1:1 a", "o.yaml:6:1 "}},
		"List":      {reason: "a list is what it holds", text: "apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: A, metadata: {name: a}}]\n", want: []string{"o.yaml:3:9 a"}},
		"SiteList": {
			reason: "also one of one kind", text: "apiVersion: v1\nkind: SiteList\nitems: [{apiVersion: v1, kind: Site, metadata: {name: a}}]\n", want: []string{"o.yaml:3:9 a"},
		},
		"AllowList": {reason: "a kind may end so", text: "apiVersion: v1\nkind: AllowList\nmetadata: {name: a}\n", want: []string{"o.yaml:1:1 a"}},
		"Items":     {reason: "a resource may have items", text: head + "metadata: {name: a}\nitems: [1]\n", want: []string{"o.yaml:1:1 a"}},
		"Empty":     {reason: "no text, no object", text: "---\n"},
		"Date":      {reason: "YAML takes a date for a time, the API server for a text", text: head + "metadata: {name: a, labels: {day: 2026-01-01}}\n", want: []string{"o.yaml:1:1 a"}},
		"NoItems":   {reason: "a list without items", text: "apiVersion: v1\nkind: List\n", err: "o.yaml:1:1: the List has no items"},
		"ItemsMap":  {reason: "items that are no list", text: "apiVersion: v1\nkind: List\nitems: {}\n", err: "o.yaml:3:8: items: want a list, got a map"},
		"Item":      {reason: "an item that is no object", text: "apiVersion: v1\nkind: SiteList\nitems: [{metadata: {name: a}}, 5]\n", err: "o.yaml:3:9: not a Kubernetes object: it needs apiVersion and kind\no.yaml:3:32: not a Kubernetes object: it needs apiVersion and kind, and is the number 5"},
		"Name":      {reason: "a number is no name", text: head + "metadata: {name: 5}\n", err: "o.yaml:3:18: metadata.name: want a text, got the number 5; put it in quotes"},
		"Namespace": {reason: "nor a list a namespace", text: head + "metadata: {name: a, namespace: [b]}\n", err: "o.yaml:3:32: metadata.namespace: want a text, got a list"},
		"Metadata":  {reason: "nor a list metadata", text: head + "metadata: []\n", err: "o.yaml:3:11: metadata: want a map, got a list"},
		"Labels":    {reason: "a label is a text", text: head + "metadata: {name: a, labels: {a: true}}\n", err: "o.yaml:3:33: metadata.labels.a: want a text, got the boolean true; put it in quotes"},
		"Kind":      {reason: "so is a kind", text: "apiVersion: 1\nkind: Site\nmetadata: {name: a}\n", err: "o.yaml:1:13: apiVersion: want a text, got the number 1; put it in quotes"},
		"NoName":    {reason: "what is stored has a name", text: head, err: "o.yaml:1:1: the Site needs metadata.name"},
		"NoKind":    {reason: "and a kind", text: "a: b\n", err: "o.yaml:1:1: not a Kubernetes object: it needs apiVersion and kind"},
		"Twice":     {reason: "a key stands once", text: head + "metadata: {name: a}\nkind: Other\n", err: "o.yaml:4:1: the key \"kind\" stands twice in one map; the first is in line 2"},
		"Syntax":    {reason: "no text panics", text: "a: [\n", err: "o.yaml:2:1: not valid YAML: did not find expected node content"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			objects, err := Objects("o.yaml", []byte(tc.text))
			said := ""
			if err != nil {
				said = err.Error()
			}
			if diff := cmp.Diff(tc.err, said); diff != "" {
				t.Errorf("\n%s\nObjects(...): -want, +got:\n%s", tc.reason, diff)
			}
			var got []string
			for _, one := range objects {
				got = append(got, one.At.String()+" "+one.Value.GetName())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nObjects(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
