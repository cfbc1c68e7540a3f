package rules_test

import (
	"testing"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/rules"
)

func BenchmarkValidationTen(b *testing.B) {
	v := validation(
		b,
		orkv1.ValidationRule{Condition: orkv1.Condition{Field: "spec.image"}, Message: "an image is needed"},
		orkv1.ValidationRule{Condition: orkv1.Condition{Field: "spec.image", Prefix: text("docker.io/")}, Message: "from our registry"},
		orkv1.ValidationRule{Condition: orkv1.Condition{Field: "spec.replicas", Min: text("1")}, Message: "at least one"},
		orkv1.ValidationRule{Condition: orkv1.Condition{Field: "spec.replicas", Max: text("10")}, Message: "at most ten"},
		orkv1.ValidationRule{Condition: orkv1.Condition{Field: "spec.plan", In: text("gold,silver")}, Message: "a plan there is"},
		orkv1.ValidationRule{Condition: orkv1.Condition{Field: "spec.image", Regex: text("^[a-z./]+$")}, Message: "no tag"},
		orkv1.ValidationRule{Condition: orkv1.Condition{Field: "{{ len .spec.list }}", Equals: text("1")}, Message: "one"},
		orkv1.ValidationRule{
			Condition:  orkv1.Condition{Field: "spec.word"},
			Conditions: orkv1.Conditions{When: []orkv1.Condition{{Field: "spec.plan", Equals: text("gold")}}}, Message: "gold has a word",
		},
		orkv1.ValidationRule{Condition: orkv1.Condition{Field: "spec.map", Operator: "typeMap"}, Message: "a map"},
		orkv1.ValidationRule{Condition: orkv1.Condition{Field: "metadata.labels.app", Equals: text("shop")}, Message: "of the shop"},
	)
	facts := factsOf(object())
	b.ReportAllocs()
	for b.Loop() {
		if result := v.Check(facts, rules.Reconcile); len(result.Denied) > 0 {
			b.Fatal(result.Err())
		}
	}
}

func BenchmarkMutation(b *testing.B) {
	for name, plan := range map[string]string{"Change": "iron", "NoChange": "gold"} {
		b.Run(name, func(b *testing.B) {
			m := mutation(
				b, nil,
				orkv1.MutationRule{Field: "spec.replicas", Default: set(int64(1)), ValueType: "int"},
				orkv1.MutationRule{Field: "spec.plan", Override: set(plan)},
				orkv1.MutationRule{Field: "spec.image", Default: set("{{ .spec.plan }}")},
			)
			given := object()
			facts := factsOf(given)
			b.ReportAllocs()
			for b.Loop() {
				m.Apply(facts, given, rules.Reconcile)
			}
		})
	}
}
