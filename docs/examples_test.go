package docs_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-logr/logr"
	gocmp "github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/orkestra-runtime/orkestra/conditions"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/providers/checkout"
	"github.com/orkestra-runtime/orkestra/runtime/cli"
)

// checkoutNothing lets ork run have its flags for repositories.
func checkoutNothing(cli.CheckoutOptions) (checkout.Fetcher, error) {
	return nil, errors.New("there is none")
}

// startNothing lets ork run have its --embedded.
func startNothing(context.Context, string, logr.Logger) (cli.ControlPlane, error) {
	return nil, errors.New("there is none")
}

// Each condition of the tables has the result that stands beside it.
func TestConditions(t *testing.T) {
	now := func() time.Time { return time.Date(2026, time.March, 4, 10, 30, 15, 0, time.UTC) }
	facts := template.NewFacts(map[string]any{"spec": map[string]any{"name": "shop", "on": true}}, now)
	page := read(t, "katalog.md")
	for _, row := range append(page.tables(t, "conditions")[0].rows, page.tables(t, "times")[0].rows...) {
		text := words(row[0])[0]
		t.Run(text, func(t *testing.T) {
			result, err := load(within("spec.crds.website.operatorBox", "when: ["+text+"]\n"))
			if err != nil {
				t.Fatal(err)
			}
			gate := result.Documents[0].Katalog.Spec.CRDs["website"].OperatorBox.Conditions
			program, errs := conditions.Compile(nil, gate, field.NewPath("operatorBox"))
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			if got := program.Evaluate(facts).Pass; got != (row[1] == "true") {
				t.Errorf("%s is %t, but the table says %s", text, got, row[1])
			}
		})
	}
}

// Each text of a Motif becomes what stands beside it.
func TestInputs(t *testing.T) {
	const head = "apiVersion: orkestra.orkspace.io/v1\nmetadata: {name: a}\n"
	for _, row := range read(t, "motif.md").tables(t, "inputs")[0].rows {
		text, value, want := words(row[0])[0], words(row[1])[0], words(row[2])[0]
		t.Run(text, func(t *testing.T) {
			motif := head + fmt.Sprintf("kind: Motif\ninputs: [{name: a}]\nresources: {configMaps: [{data: {x: %q}}]}\n", text)
			file := filepath.Join(t.TempDir(), "motif.yaml")
			if err := os.WriteFile(file, []byte(motif), 0o600); err != nil {
				t.Fatal(err)
			}
			result, err := load(head + fmt.Sprintf("kind: Katalog\nspec: {crds: {a: {apiTypes: {group: example.com, version: v1, kind: A}, "+
				"imports: [{motif: %q, with: {a: %q}}]}}}\n", file, value))
			if err != nil {
				t.Fatal(err)
			}
			got := result.Documents[0].Katalog.Spec.CRDs["a"].OperatorBox.OnReconcile.ConfigMaps[0].Data["x"]
			if string(got) != want {
				t.Errorf("%s with %s: want %s, got %s", text, value, want, got)
			}
		})
	}
}

// Each template of the table gives what stands beside it.
func TestTemplates(t *testing.T) {
	facts := template.NewFacts(map[string]any{
		"spec":     map[string]any{"name": "shop", "replicas": int64(3), "hosts": []any{"a", "b"}},
		"children": map[string]any{"deployment": map[string]any{"status": map[string]any{}}},
	}, nil)
	for _, row := range read(t, "katalog.md").tables(t, "templates")[0].rows {
		text, result := words(row[0])[0], words(row[1])[0]
		t.Run(text, func(t *testing.T) {
			program, err := template.Compile(text)
			if err != nil {
				t.Fatal(err)
			}
			value, err := program.Value(facts)
			if err != nil {
				t.Fatal(err)
			}
			encoded, err := json.Marshal(value)
			if err != nil {
				t.Fatal(err)
			}
			var got, want any
			if err := errors.Join(json.Unmarshal(encoded, &got), json.Unmarshal([]byte(result), &want)); err != nil {
				t.Fatal(err)
			}
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Errorf("%s: -table, +rendered:\n%s", text, diff)
			}
		})
	}
}
