package reconciler

import (
	"testing"

	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// Everything that a Katalog says is parsed when it is loaded.
func TestReconcileParsesNothing(t *testing.T) {
	loaded := template.Parsed()
	h := newHarness(t, `{
  when: [{field: "{{ len .spec.regions }}", greaterThan: "0"}, {cel: "spec.version != ''"}],
  onReconcile: {
    configMaps: [{forEach: {field: spec.regions, as: region}, name: "w-{{ .region }}", data: {region: "{{ .region | toUpper }}"},
      when: [{cel: "region != 'x'"}, {field: spec.version, regex: "^[0-9]+$"}, {cron: "* * * * *", duration: 1m}]}]},
  status: {fields: [{path: phase, value: "{{ if eq .spec.version \"1\" }}first{{ end }}", when: [{field: spec.version, in: "1,{{ .spec.version }}"}]}]}}`,
		map[string]any{"version": "1", "regions": []any{"eu", "us"}})
	if template.Parsed() < loaded+6 {
		t.Fatalf("loading parsed %d texts: nobody counts", template.Parsed()-loaded)
	}
	before := template.Parsed()
	if _, requests := h.cycle(t); len(requests) != 3 {
		t.Fatalf("the cycle asks for %v, want two children and a status", requests)
	}
	h.cycle(t)
	if got := template.Parsed() - before; got != 0 {
		t.Errorf("two cycles parsed %d texts, want none", got)
	}
}
