package entry_test

import (
	"testing"

	"github.com/orkestra-runtime/orkestra/api/katalog"
	"github.com/orkestra-runtime/orkestra/conditions/roots"
	"github.com/orkestra-runtime/orkestra/gateway/entry"
)

// TestGuardsProvenance shows where the annotations that tell how a resource was delivered are guarded.
func TestGuardsProvenance(t *testing.T) {
	cases := map[string]struct {
		reason, text string
		want         bool
	}{
		"Served":  {"who takes intents guards them", "gateway: {api: {enabled: true}}", true},
		"Off":     {"unless that is not wanted", "gateway: {api: {enabled: true}}\nsecurity: {provenance: {enforce: false}}", false},
		"Unsaid":  {"a block that says nothing changes nothing", "gateway: {api: {enabled: true}}\nsecurity: {provenance: {}}", true},
		"Unasked": {"an API that takes nothing needs no guard", "gateway: {api: {enabled: false}}", false},
		"Alone":   {"nor does a gateway without one", "gateway: {enabled: true}", false},
		"On":      {"unless that is wanted", "gateway: {enabled: true}\nsecurity: {provenance: {enforce: true}}", true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			loaded, err := katalog.Parse(katalog.Options{Gateway: true}, "katalog.yaml", []byte("apiVersion: orkestra.orkspace.io/v1\nkind: Katalog\nmetadata: {name: shop}\n"+
				tc.text+"\nspec: {crds: {site: {apiTypes: {group: example.com, version: v1, kind: Site}}}}"))
			if err != nil {
				t.Fatal(err)
			}
			all, errs := entry.Compile(loaded.Documents[0].Katalog, func(string) map[string]*roots.Props { return nil })
			if len(errs) > 0 || len(all) != 1 || all[0].GuardsProvenance != tc.want {
				t.Errorf("\n%s\nCompile(...): %v, %v, want it guarded: %t", tc.reason, all, errs, tc.want)
			}
		})
	}
}
