package rules_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/rules"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

func text(s string) *orkv1.Template { return new(orkv1.Template(s)) }

func set(value any) *orkv1.JSON { return &orkv1.JSON{Value: value} }

// object is a resource as the API server gives it.
func object() map[string]any {
	return map[string]any{
		"apiVersion": "example.com/v1",
		"kind":       "Shop",
		"metadata":   map[string]any{"name": "shop", "labels": map[string]any{"app": "shop"}},
		"spec": map[string]any{
			"replicas": int64(7), "zero": int64(0), "off": false, "image": "docker.io/nginx", "empty": "", "null": nil,
			"plan": "gold", "word": "many", "list": []any{"a"}, "none": []any{}, "map": map[string]any{"cpu": "1"},
		},
	}
}

// factsOf are the Facts of an object, as the reconciler makes them.
func factsOf(object map[string]any) template.Facts {
	roots := map[string]any{}
	for _, name := range []string{"apiVersion", "kind", "metadata", "spec", "status"} {
		roots[name] = object[name]
	}
	return template.NewFacts(roots, nil)
}

// known is what a schema tells of fields.
type known map[string]template.Shape

func (k known) Check(path template.Path) *template.Misread {
	if _, ok := k[path.String()]; ok || path[0] != "spec" {
		return nil
	}
	return &template.Misread{Problem: path.String() + " is not in the schema", Key: len(path) - 1}
}

func (k known) Shape(path template.Path) template.Shape { return k[path.String()] }

var schema = known{
	"spec.name":     {Type: "string"},
	"spec.tier":     {Type: "string", Enum: []string{"gold", "silver"}},
	"spec.replicas": {Type: "number"},
	"spec.on":       {Type: "bool"},
	"spec.list":     {Type: "slice"},
	"spec.map":      {Type: "map"},
	"spec.any":      {},
}

func validation(tb testing.TB, declared ...orkv1.ValidationRule) *rules.Validation {
	tb.Helper()
	compiled, errs := rules.CompileValidation(nil, &orkv1.Validation{Rules: declared}, field.NewPath("validation"))
	if len(errs) > 0 {
		tb.Fatal(errs.ToAggregate())
	}
	return compiled
}

func mutation(tb testing.TB, l *template.Language, declared ...orkv1.MutationRule) *rules.Mutation {
	tb.Helper()
	compiled, errs := rules.CompileMutation(l, &orkv1.Mutation{Rules: declared}, field.NewPath("mutation"))
	if len(errs) > 0 {
		tb.Fatal(errs.ToAggregate())
	}
	return compiled
}
