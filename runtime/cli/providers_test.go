package cli

import (
	"context"
	"strings"
	"testing"

	"github.com/orkestra-runtime/orkestra/providers"
)

// store is a provider that knows what it has.
type store struct{}

func (store) Name() string                                                { return "store" }
func (store) Reconcile(context.Context, providers.ReconcileRequest) error { return nil }
func (store) Delete(context.Context, providers.DeleteRequest) error       { return nil }
func (store) Kinds() map[string]providers.Kind {
	return map[string]providers.Kind{"bucket": {Required: []string{"name"}, Optional: []string{"secret"}}}
}

func TestLoadProviders(t *testing.T) {
	const lacks = "is a provider that this binary does not have"
	cases := map[string]struct {
		reason, claims, declared string
		purpose                  reading
		err, warning             string
	}{
		"Known":           {reason: "what is there and right is fine", declared: "store: [{bucket: {name: a}}]", purpose: reading{run: true}},
		"Field":           {reason: "a mistake is found with its place", declared: "store: [{bucket: {nam: a}}]", err: `<stdin>:8:30: spec.crds[shop].operatorBox.providers[store][0].bucket.nam: is no field of bucket; did you mean name?`},
		"RunUnclaimed":    {reason: "run refuses what nobody says may be missing", declared: "other: [{x: {}}]", purpose: reading{run: true}, err: lacks},
		"CheckUnclaimed":  {reason: "validate warns of it", declared: "other: [{x: {}}]", purpose: reading{motifs: true}, warning: lacks},
		"RunRequired":     {reason: "run refuses to go without it", claims: "{name: othr, required: true}", declared: "store: [{bucket: {name: a}}]", purpose: reading{run: true}, err: lacks},
		"RunOptional":     {reason: "run warns of what it passes over", claims: "{name: other}", declared: "other: [{x: {}}]", purpose: reading{run: true}, warning: "passed over"},
		"Right":           {reason: "a right that the printed roles have not", declared: `store: [{bucket: {name: a, secret: "{{ .metadata.name }}"}}]`, purpose: reading{motifs: true, rights: true}, warning: "names a Secret that only the resource tells"},
		"RightNotPrinted": {reason: "is no matter where no roles are printed", declared: `store: [{bucket: {name: a, secret: "{{ .metadata.name }}"}}]`, purpose: reading{motifs: true}},
	}
	registry, err := providers.NewRegistry(store{})
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			text := `apiVersion: orkestra.orkspace.io/v1
kind: Katalog
metadata: {name: test}
providers: [` + tc.claims + `]
spec:
  crds:
    shop: {apiTypes: {group: a.example.com, version: v1, kind: Shop}, operatorBox: {providers: {
      ` + tc.declared + `}}}
`
			l, err := load(Options{In: strings.NewReader(text), Providers: registry}, []string{"-"}, tc.purpose)
			said := ""
			if err != nil {
				said = err.Error()
			}
			if (said != "") != (tc.err != "") || !strings.Contains(said, tc.err) {
				t.Errorf("\n%s\nload(...): %q, want %q", tc.reason, said, tc.err)
			}
			warned := ""
			if len(l.warnings) > 0 {
				warned = l.warnings.Error()
			}
			if (warned != "") != (tc.warning != "") || !strings.Contains(warned, tc.warning) {
				t.Errorf("\n%s\nload(...) warns %q, want %q", tc.reason, warned, tc.warning)
			}
		})
	}
}
