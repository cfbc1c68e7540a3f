package conditions_test

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions"
	"github.com/orkestra-runtime/orkestra/conditions/conditionstest"
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

// BenchmarkPeriods has a time that stays within one window, and one at which each evaluation is beyond what is known.
func BenchmarkPeriods(b *testing.B) {
	for name, c := range map[string]orkv1.Condition{
		"Time":      {Time: &orkv1.TimeWindow{After: "08:00", Before: "18:00"}},
		"DayOfWeek": {DayOfWeek: &orkv1.DayOfWeek{Weekday: new(true)}},
		"Cron":      open("0 8 * * 1-5", 10*time.Hour),
		"CronDense": open("* * * * *", time.Hour),
		"CronLeap":  open("0 0 29 2 *", time.Hour),
	} {
		program, errs := conditions.Compile(nil, when(c), field.NewPath("box"))
		if len(errs) > 0 {
			b.Fatal(errs.ToAggregate())
		}
		for moves, step := range map[string]time.Duration{"Still": 0, "Moving": 20 * 24 * time.Hour} {
			b.Run(name+moves, func(b *testing.B) {
				now := conditionstest.Now()
				facts := template.NewFacts(nil, func() time.Time { return now })
				b.ReportAllocs()
				for b.Loop() {
					program.Evaluate(facts)
					if now = now.Add(step); now.Year() > 2100 {
						now = conditionstest.Now()
					}
				}
			})
		}
	}
}
