package entry_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

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

// TestChildren shows of which kinds children are whose definitions are protected with the entry's own.
func TestChildren(t *testing.T) {
	const text = `apiVersion: orkestra.orkspace.io/v1
kind: Katalog
metadata: {name: shop}
gateway: {enabled: true, api: {enabled: true}}
spec:
  crds:
    site:
      apiTypes: {group: example.com, version: v1, kind: Site}
      serve:
        enabled: true
        namespace: shop
        target:
          site: {primary: true}
          small:
            operatorBox: {onReconcile: {custom: [{apiVersion: b.example.com/v1, kind: OfTarget, metadata: {name: a}}]}}
      operatorBox:
        onCreate: {custom: [{apiVersion: a.example.com/v1, kind: Made, metadata: {name: a}}]}
        onReconcile:
          custom:
          - {apiVersion: a.example.com/v1, kind: Kept, metadata: {name: a}}
          - {apiVersion: a.example.com/v2, kind: Kept, metadata: {name: b}}
          - {apiVersion: v1, kind: ConfigMap, metadata: {name: c}}
          - {apiVersion: apps/v1, kind: Deployment, metadata: {name: d}}
        onDelete: {custom: [{apiVersion: a.example.com/v1, kind: Last, metadata: {name: a}}]}
`
	loaded, err := katalog.Parse(katalog.Options{Gateway: true}, "katalog.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	all, errs := entry.Compile(loaded.Documents[0].Katalog, func(string) map[string]*roots.Props { return nil })
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	got := make([]string, 0, len(all[0].Children))
	for _, kind := range all[0].Children {
		got = append(got, kind.String())
	}
	if diff := cmp.Diff([]string{"Kept.a.example.com", "Last.a.example.com", "Made.a.example.com", "OfTarget.b.example.com"}, got); diff != "" {
		t.Errorf("each once, those of Kubernetes not: -want, +got:\n%s", diff)
	}
}
