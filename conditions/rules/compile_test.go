package rules_test

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/rules"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/internal/golden"
)

// TestCompileErrors shows what an author reads of wrong rules.
func TestCompileErrors(t *testing.T) {
	l := template.NewLanguage(nil, schema)
	_, errs := rules.CompileValidation(l, &orkv1.Validation{Rules: []orkv1.ValidationRule{
		{},
		{Condition: orkv1.Condition{Field: "spec.nmae"}},
		{Condition: orkv1.Condition{Field: "spec.tier", Equals: text("iron")}},
		{Condition: orkv1.Condition{Field: "spec.replicas", Max: text("many")}},
		{Condition: orkv1.Condition{Field: "spec.replicas", Max: text("1"), Min: text("2")}},
		{Condition: orkv1.Condition{Field: "spec.name", Regex: text("(")}},
		{Condition: orkv1.Condition{Field: "spec.name", Operator: "exist"}},
		{Condition: orkv1.Condition{Field: "spec.name"}, Message: "{{ .spec.name"},
		{Condition: orkv1.Condition{Field: "spec.name"}, Conditions: orkv1.Conditions{When: []orkv1.Condition{{}}}},
		{Condition: orkv1.Condition{Field: " spec.name "}, Link: "name"},
		{Condition: orkv1.Condition{Field: "spec.name"}, Link: "{{ .metadata.name }}"},
		{Condition: orkv1.Condition{
			Field: "spec.name", Time: &orkv1.TimeWindow{After: "08:00"}, DayOfWeek: &orkv1.DayOfWeek{}, Cron: "* * * * *",
			Duration: &orkv1.Duration{}, Notify: &orkv1.Notify{}, Source: &orkv1.CrossSource{},
		}},
	}}, field.NewPath("validation"))
	_, found := rules.CompileMutation(l, &orkv1.Mutation{Rules: []orkv1.MutationRule{
		{},
		{Field: "spec.name"},
		{Field: "spec.name", Default: set(nil)},
		{Field: "spec", Override: set(map[string]any{})},
		{Field: "replicas", Default: set(int64(1))},
		{Field: "status.phase", Default: set("x")},
		{Field: "metadata.name", Override: set("x")},
		{Field: "metadata.labels", Override: set(map[string]any{})},
		{Field: "metadata.labels.example.com/tier", Default: set("gold")},
		{Field: `metadata.labels["a"].b`, Default: set("gold")},
		{Field: "metadata.labels.tier", Default: set(int64(1)), ValueType: "int"},
		{Field: "metadata.labels.tier", Default: set([]any{"x"})},
		{Field: "spec..a", Default: set("x")},
		{Field: "spec.list[0]", Default: set("x")},
		{Field: `spec["a`, Default: set("x")},
		{Field: `spec["a"]b`, Default: set("x")},
		{Field: "spec.a b", Default: set("x")},
		{Field: orkv1.Template("spec" + strings.Repeat(".a", 32)), Default: set("x")},
		{Field: "{{ .spec.name", Default: set("{{ nosuch }}")},
		{Field: "spec.any", Default: set("x"), ValueType: "text"},
		{Field: "spec.any", Default: set("x"), ValueType: "int"},
		{Field: "spec.any", Default: set("1.5"), ValueType: "integer"},
		{Field: "spec.any", Default: set(" "), ValueType: "float"},
		{Field: "spec.any", Default: set("maybe"), ValueType: "bool"},
		{Field: "spec.any", Override: set([]any{"x"}), ValueType: "string"},
		{Field: "spec.name", Default: set(int64(1)), ValueType: "int"},
		{Field: "spec.replicas", Default: set("{{ .spec.name }}"), ValueType: "string"},
		{Field: "spec.list", Default: set("1"), ValueType: "int"},
		{Field: "spec.replicas", Default: set("many")},
		{Field: "spec.on", Default: set(int64(2))},
		{Field: "spec.list", Default: set("x")},
		{Field: "spec.list", Default: set(map[string]any{})},
		{Field: "spec.name", Override: set([]any{"x"})},
		{Field: "spec.tier", Default: set("iron")},
		{Field: "spec.map", Override: set(map[string]any{"a": []any{"{{ .spec.nmae }}"}})},
		{Field: "spec.any", Default: set("x"), Conditions: orkv1.Conditions{Or: []orkv1.Condition{{Field: "spec.nmae"}}}},
		{Field: "spec.pruned", Default: set("a warning alone")},
	}}, field.NewPath("mutation"))
	errs = append(errs, found...)
	_, found = rules.CompileNormalize(l, &orkv1.Normalize{Spec: map[string]orkv1.Template{
		"a..b": "x", "name": "{{ .spec.nmae }}", ".map.a": "x", "map.a": "y",
	}}, field.NewPath("normalize"))
	errs = append(errs, found...)
	var out strings.Builder
	for _, err := range errs {
		fmt.Fprintln(&out, err)
	}
	for _, warning := range l.Warnings() {
		fmt.Fprintln(&out, "warning:", warning)
	}
	golden.Compare(t, "testdata/compile_errors.golden", out.String())
}

// TestKnownFields compiles what a schema allows.
func TestKnownFields(t *testing.T) {
	l := template.NewLanguage(nil, schema)
	_, errs := rules.CompileMutation(l, &orkv1.Mutation{Rules: []orkv1.MutationRule{
		{Field: "spec.tier", Default: set("gold")},
		{Field: "spec.name", Default: set(int64(2))},
		{Field: "spec.replicas", Default: set("2")},
		{Field: "spec.replicas", Default: set(int64(2)), ValueType: "int"},
		{Field: "spec.replicas", Default: set(2.5), ValueType: "number"},
		{Field: "spec.on", Default: set("true")},
		{Field: "spec.on", Default: set(true), ValueType: "boolean"},
		{Field: "spec.list", Override: set([]any{"{{ .spec.name }}"})},
		{Field: "spec.map", Override: set(map[string]any{"a": int64(1)})},
		{Field: "spec.list", Override: set("{{ .spec.any }}")},
		{Field: "spec.any", Override: set(map[string]any{})},
		{Field: "metadata.labels.tier", Default: set("gold")},
		{Field: "spec.{{ .spec.name }}", Default: set("gold")},
	}}, field.NewPath("mutation"))
	if len(errs) > 0 || len(l.Warnings()) > 0 {
		t.Errorf("want no errors and no warnings: got %v, %v", errs, l.Warnings())
	}
}
