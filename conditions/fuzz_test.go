package conditions_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions"
	"github.com/orkestra-runtime/orkestra/conditions/conditionstest"
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
		{"spec.a", "unique", "", "", `{"spec":{"a":[1]}}`},
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
		facts := template.NewFacts(roots, nil).WithUnique(conditionstest.IsUnique)
		first := program.Evaluate(facts)
		if first.Pass != (first.Reason == "") {
			t.Fatalf("a reason belongs to a failure: %+v", first)
		}
		if second := program.Evaluate(facts); second.Reason != first.Reason {
			t.Fatalf("%+v and then %+v", first, second)
		}
		c.Negate = true
		negated, _ := conditions.Compile(nil, orkv1.Conditions{When: []orkv1.Condition{c}}, field.NewPath("gate"))
		if negated.Evaluate(facts).Pass == first.Pass {
			t.Fatal("negate does not give the opposite")
		}
	})
}

// FuzzPeriods evaluates any statement about the time at any time: nothing panics, the same question has the same answer, negate
// gives the opposite one, and what is told of the next change is right.
func FuzzPeriods(f *testing.F) {
	f.Add("08:00", "18:00", "", "", int64(0), int64(1_772_620_215))
	f.Add("22:00", "", "", "", int64(0), int64(-1))
	f.Add("", "", "Monday,sunday", "", int64(0), int64(1<<33))
	f.Add("", "", "", "0 8 * * 1-5", int64(time.Hour), int64(1_772_620_215))
	f.Add("", "", "", "0 0 29 2 *", int64(1<<60), int64(4_100_000_000))
	f.Add("", "", "", "@weekly", int64(0), int64(-1<<33))
	f.Add("", "", "", "*/7,3-9/2 ? 1 jan sun", int64(1), int64(0))
	f.Fuzz(func(t *testing.T, after, before, days, expression string, length, unix int64) {
		if unix < -1<<34 || unix > 1<<34 || len(expression) > 100 { // about 500 years
			return
		}
		c := orkv1.Condition{Cron: expression}
		if after != "" || before != "" {
			c.Time = &orkv1.TimeWindow{After: after, Before: before}
		}
		if days != "" {
			c.DayOfWeek = &orkv1.DayOfWeek{In: strings.Split(days, ",")}
		}
		if length != 0 {
			c.Duration = &orkv1.Duration{Duration: time.Duration(length)}
		}
		program, errs := conditions.Compile(nil, when(c), field.NewPath("gate"))
		if len(errs) > 0 {
			return
		}
		now := time.Unix(unix, 0)
		pass, edge := evaluate(program, now)
		if !edge.IsZero() {
			if !edge.After(now) {
				t.Fatalf("the edge %v is over at %v", edge, now)
			}
			if before, _ := evaluate(program, edge.Add(-1)); before != pass {
				t.Fatalf("%t at %v, and %t before the edge %v", pass, now, before, edge)
			}
		}
		if again, second := evaluate(program, now); again != pass || !second.Equal(edge) && c.Cron == "" {
			t.Fatalf("%t until %v and then %t until %v", pass, edge, again, second)
		}
		if opposite, _ := evaluate(compile(t, when(negated(c))), now); opposite == pass {
			t.Fatal("negate does not give the opposite")
		}
	})
}
