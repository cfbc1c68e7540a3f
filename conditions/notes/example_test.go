package notes_test

import (
	"os"
	"testing"

	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/orkestra-runtime/orkestra/conditions/notes"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

func website(t *testing.T) map[string]any {
	t.Helper()
	text, err := os.ReadFile("testdata/website.yaml")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := yaml.YAMLToJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	var roots map[string]any
	if err := json.Unmarshal(raw, &roots); err != nil {
		t.Fatal(err)
	}
	return roots
}

func TestExamples(t *testing.T) {
	facts := template.NewFacts(website(t), notes.ExampleTime)
	for _, function := range notes.Functions() {
		t.Run(function.Name, func(t *testing.T) {
			if len(function.Examples) == 0 {
				t.Error("no example shows it")
			}
			for _, example := range function.Examples {
				program, err := template.Compile(example.Template)
				if err != nil {
					t.Fatalf("%s: %v", example.Template, err)
				}
				got, err := program.Text(facts)
				if err != nil {
					t.Fatal(err)
				}
				switch {
				case !function.Random:
					if got != example.Result {
						t.Errorf("%s gives\n%q, and the example says\n%q", example.Template, got, example.Result)
					}
				case got == example.Result || len(got) != len(example.Result):
					t.Errorf("%s gives %q, which should differ from %q in all but its length", example.Template, got, example.Result)
				}
			}
		})
	}
}

// TestDescriptions keeps what people read in step with the code.
func TestDescriptions(t *testing.T) {
	described := map[string]notes.Function{}
	for _, function := range notes.Functions() {
		if _, twice := described[function.Name]; twice {
			t.Errorf("%s is there twice", function.Name)
		}
		described[function.Name] = function
	}
	results := map[string]bool{"any": true, "bool": true, "list": true, "map": true, "number": true, "text": true}
	for name, function := range described {
		if function.Doc == "" || function.Family == "" || !results[function.Result] {
			t.Errorf("%s: its description is not complete: %+v", name, function)
		}
		if of := function.AliasOf; of != "" && (described[of].Name == "" || described[of].Signature != function.Signature) {
			t.Errorf("%s is an alias of %s, which takes something else", name, of)
		}
		if function.Code == nil {
			continue
		}
		least, most := arity(function)
		if saysLeast, saysMost := signed(function.Signature); saysLeast != least || saysMost != most {
			t.Errorf("%s: the signature %q is that of %d to %d arguments; the code takes %d to %d", name, function.Signature, saysLeast, saysMost, least, most)
		}
	}
}
