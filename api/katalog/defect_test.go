package katalog

import (
	"strings"
	"testing"
)

// The CRD of these cases, whose entry and box follow.
const entryOf = "apiVersion: orkestra.orkspace.io/v1\nkind: Katalog\nmetadata: {name: k}\nspec: {crds: {site: {apiTypes: {group: example.com, version: v1, kind: Site}, %}}}\n"

// Defect 95: what Katalogs no longer write like this stops them only with a message that says what to write, and what still loads says so too.
func TestDefect95Deprecated(t *testing.T) {
	cases := map[string]struct {
		reason, entry string
		warns         bool
		want          string
	}{
		"Resources":  {reason: "a key with another name loads, and is told", entry: "operatorBox: {reconciler: {hooks: {location: a, function: B, resources: []}}}", warns: true, want: "managedResources"},
		"CrossLabel": {reason: "a key with another name", entry: "operatorBox: {cross: [{labels: {a: b}, as: a}]}", want: "labelSelector"},
		"CrossType":  {reason: "a key with another name", entry: "operatorBox: {cross: [{crd: site, source: {host: 'http://a', type: cr}}]}", want: "protocol"},
		"Workers":    {reason: "an older place loads, and is told", entry: "workers: 2", warns: true, want: "operatorBox.reconciler.workers"},
		"AnyOf":      {reason: "an older spelling loads", entry: "operatorBox: {anyOf: [{field: spec.a, equals: b}]}"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			result, err := Parse(Options{}, "k.yaml", []byte(strings.Replace(entryOf, "%", tc.entry, 1)))
			text := ""
			switch {
			case err != nil && (tc.warns || tc.want == ""):
				t.Fatalf("\n%s\nParse(...): %v, want it to load", tc.reason, err)
			case err != nil:
				text = err.Error()
			case tc.warns:
				for _, one := range result.Warnings {
					text += one.String() + "\n"
				}
			case tc.want != "":
				t.Fatalf("\n%s\nParse(...): want an error", tc.reason)
			}
			if !strings.Contains(text, tc.want) || tc.want != "" && !strings.HasPrefix(text, "k.yaml:4:") {
				t.Errorf("\n%s\nParse(...): %q, want a position and %q", tc.reason, text, tc.want)
			}
		})
	}
}

// Defect 100: a delay is a plain text of the Katalog, no resource chooses it, and it is bounded.
func TestDefect100Sleep(t *testing.T) {
	for _, at := range []string{"configMaps: [{name: a, sleep: %}]", "external: [{name: a, url: 'http://a', sleep: %}]"} {
		for sleep, want := range map[string]string{"5m": "", "301s": "must be from 0s to 5m, got ", "'{{ .spec.sleep }}'": "sleep"} {
			box := "operatorBox: {onReconcile: {" + strings.Replace(at, "%", sleep, 1) + "}}"
			_, err := Parse(Options{}, "k.yaml", []byte(strings.Replace(entryOf, "%", box, 1)))
			if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", box, err, want)
			}
		}
	}
}
