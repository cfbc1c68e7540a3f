package conditions_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

func BenchmarkWhenThree(b *testing.B) {
	program, errs := conditions.Compile(nil, orkv1.Conditions{When: []orkv1.Condition{
		{Field: "spec.enabled", Equals: new(orkv1.Template("true"))},
		{Field: "spec.replicas", GreaterThan: new(orkv1.Template("2"))},
		{Field: "status.phase", In: new(orkv1.Template("Ready,Running"))},
	}}, field.NewPath("box"))
	if len(errs) > 0 {
		b.Fatal(errs.ToAggregate())
	}
	for name, replicas := range map[string]int64{"Pass": 3, "Fail": 1} {
		b.Run(name, func(b *testing.B) {
			facts := template.NewFacts(map[string]any{
				"spec":   map[string]any{"enabled": true, "replicas": replicas},
				"status": map[string]any{"phase": "Running"},
			}, nil)
			b.ReportAllocs()
			for b.Loop() {
				program.Evaluate(facts)
			}
		})
	}
}
