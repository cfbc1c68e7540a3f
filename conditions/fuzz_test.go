package conditions_test

import (
	"encoding/json"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// FuzzEvaluate evaluates any comparison on any object: nothing panics, the same question has the same answer, and negate
// gives the opposite one.
func FuzzEvaluate(f *testing.F) {
	for _, seed := range [][5]string{
		{"spec.a", "equals", "1", "", `{"spec":{"a":1}}`},
		{"spec.a", "gt", "1", "int", `{"spec":{"a":"9e999"}}`},
		{"spec.a", "between", "1,2", "float", `{"spec":{"a":[1]}}`},
		{"{{ .spec.a }}", "in", "{{ .spec.list }}", "bool", `{"spec":{"a":null,"list":[null,{},"x"]}}`},
		{"{{ range .spec }}{{ . }}{{ end }}", "regex", "{{ .spec.re }}", "", `{"spec":{"re":"(a{1000}){1000}"}}`},
		{".a.b", "typeOf", "map", "", `{"a":{"b":{"c":[[[[]]]]}}}`},
		{"a", "notBetween", "{{ .a }}", "", `{"a":"1,2"}`},
		{"a", "exists", "", "", `[]`},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3], seed[4])
	}
	f.Fuzz(func(t *testing.T, subject, operator, value, valueType, object string) {
		var roots map[string]any
		if err := json.Unmarshal([]byte(object), &roots); err != nil {
			return
		}
		c := orkv1.Condition{Field: orkv1.Template(subject), Operator: operator, ValueType: valueType}
		if value != "" {
			c.Value = new(orkv1.Template(value))
		}
		program, errs := conditions.Compile(nil, orkv1.Conditions{When: []orkv1.Condition{c}}, field.NewPath("gate"))
		if len(errs) > 0 {
			return
		}
		facts := template.NewFacts(roots, nil)
		first := program.Evaluate(facts)
		if first.Pass != (first.Reason == "") {
			t.Fatalf("a reason belongs to a failure: %+v", first)
		}
		if second := program.Evaluate(facts); second != first {
			t.Fatalf("%+v and then %+v", first, second)
		}
		c.Negate = true
		negated, _ := conditions.Compile(nil, orkv1.Conditions{When: []orkv1.Condition{c}}, field.NewPath("gate"))
		if negated.Evaluate(facts).Pass == first.Pass {
			t.Fatal("negate does not give the opposite")
		}
	})
}
