package conditions_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions"
	"github.com/orkestra-runtime/orkestra/conditions/conditionstest"
	"github.com/orkestra-runtime/orkestra/conditions/template"
	"github.com/orkestra-runtime/orkestra/internal/golden"
)

func TestEvaluate(t *testing.T) {
	yes := orkv1.Condition{Field: "metadata.name", Equals: text("shop")}
	no := orkv1.Condition{Field: "metadata.name", Equals: text("x")}
	pass := conditions.Verdict{Pass: true}
	failed := conditions.Verdict{Reason: `when: "metadata.name" = "shop", want "x"`}
	none := conditions.Verdict{Reason: "or: no condition satisfied"}
	cases := map[string]struct {
		reason   string
		when, or []orkv1.Condition
		want     conditions.Verdict
	}{
		"Nothing":     {reason: "a gate without conditions passes", want: pass},
		"AllWhen":     {reason: "every condition of when must hold", when: []orkv1.Condition{yes, yes}, want: pass},
		"OneWhen":     {reason: "one that does not is enough to fail", when: []orkv1.Condition{yes, no}, want: failed},
		"AnyOr":       {reason: "one of or is enough", or: []orkv1.Condition{no, yes}, want: pass},
		"NoOr":        {reason: "none of or fails", or: []orkv1.Condition{no, no}, want: none},
		"WhenAndOr":   {reason: "both lists must pass", when: []orkv1.Condition{yes}, or: []orkv1.Condition{no, yes}, want: pass},
		"WhenNotOr":   {reason: "or alone can't open the gate", when: []orkv1.Condition{no}, or: []orkv1.Condition{yes}, want: failed},
		"OrNotWhen":   {reason: "nor can when", when: []orkv1.Condition{yes}, or: []orkv1.Condition{no}, want: none},
		"FirstOfWhen": {reason: "the reason names the first that failed", when: []orkv1.Condition{no, {Field: "spec.absent"}}, want: failed},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := compile(t, orkv1.Conditions{When: tc.when, Or: tc.or}).Evaluate(conditionstest.Facts())
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nEvaluate(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestReasons shows what an operator reads of a closed gate.
func TestReasons(t *testing.T) {
	var out strings.Builder
	for _, c := range []orkv1.Condition{
		{Field: "spec.enabled", Equals: text("false")},
		{Field: ".spec.absent", Equals: text("x")},
		{Field: "spec.replicas", Equals: text("{{ .spec.digits }}")},
		{Field: "spec.enabled", Equals: text("true"), Negate: true},
		{Field: "spec.image", NotEquals: text("nginx:1.27")},
		{Field: "spec.replicas", Min: text("5")},
		{Field: "spec.replicas", Between: text("5, 9")},
		{Field: "status.phase", In: text("Failed,Pending")},
		{Field: "spec.image", Regex: text("^x")},
		{Field: "spec.absent", Exists: new(true)},
		{Field: "spec.zero", NotExists: new(true)},
		{Field: "spec.list", Operator: "typeMap"},
		{Field: "spec.list", Operator: "typeOf", Value: text("map")},
		{Field: "{{ .status.phase | toLower }}", Equals: text("failed")},
		{Field: "{{ .status.phase | toInt }}", Equals: text("1")},
		{Field: "spec.replicas", Max: text("{{ .status.phase }}")},
		{Field: "spec.replicas", Between: text("{{ .status.phase }}")},
		{Field: "spec.replicas", Equals: text("{{ toInt .status.phase }}")},
		{Field: "spec.replicas", Equals: text(strings.Repeat("long ", 50))},
		{Field: "spec.host", Operator: "unique"},
		{Field: "spec.image", Operator: "unique", Negate: true},
		{Time: &orkv1.TimeWindow{After: "22:00", Before: "6:00"}},
		{Time: &orkv1.TimeWindow{Before: "18:00"}, Negate: true},
		{DayOfWeek: &orkv1.DayOfWeek{Weekend: new(false)}, Negate: true},
		{DayOfWeek: &orkv1.DayOfWeek{In: []string{"sunday", "saturday"}}},
		{DayOfWeek: &orkv1.DayOfWeek{NotIn: []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}}},
		{Cron: "0 8 * * *", Duration: &orkv1.Duration{Duration: 90 * time.Minute}},
		{Cron: "@daily", Negate: true},
	} {
		verdict := compile(t, orkv1.Conditions{When: []orkv1.Condition{c}}).Evaluate(conditionstest.Facts())
		if verdict.Pass {
			t.Errorf("%+v: want it to fail", c)
		}
		fmt.Fprintln(&out, verdict.Reason)
	}
	golden.Compare(t, "testdata/reasons.golden", out.String())
}

// TestCompileErrors shows what an author reads of wrong conditions.
func TestCompileErrors(t *testing.T) {
	_, errs := conditions.Compile(nil, orkv1.Conditions{
		When: []orkv1.Condition{
			{},
			{Field: " ", Equals: text("x")},
			{Field: "spec..a", Equals: text("x")},
			{Field: "spec.list[0]", Equals: text("x")},
			{Field: "{{ .spec.a", Equals: text("x")},
			{Field: "{{ defalt .a 1 }}", Equals: text("{{ nosuchthing }}")},
			{Field: "spec.a", Operator: "equal", Value: text("x")},
			{Field: "spec.a", Operator: "!=", Value: text("x")},
			{Field: "spec.a", Operator: "equals"},
			{Field: "spec.a", Operator: "exists", Value: text("true")},
			{Field: "spec.a", Equals: text("x"), In: text("x,y")},
			{Field: "spec.a", Equals: text("x"), Value: text("y")},
			{Field: "spec.a", Equals: text("x"), Operator: "gt", Value: text("1"), Exists: new(true)},
			{Field: "spec.a", Exists: new(false)},
			{Field: "spec.a", NotExists: new(false)},
			{Field: "spec.a", GreaterThan: text("many")},
			{Field: "spec.a", LessThan: text(" ")},
			{Field: "spec.a", Min: text("NaN")},
			{Field: "spec.a", Min: text("1.5"), ValueType: "int"},
			{Field: "spec.a", Max: text("1"), ValueType: "bool"},
			{Field: "spec.a", Equals: text("maybe"), ValueType: "bool"},
			{Field: "spec.a", In: text("1,two"), ValueType: "int"},
			{Field: "spec.a", Equals: text("1"), ValueType: "number"},
			{Field: "spec.a", Regex: text("(")},
			{Field: "spec.a", Operator: "typeOf", Value: text("list")},
		},
		Or: []orkv1.Condition{
			{Field: "spec.a", Between: text("1")},
			{Field: "spec.a", Between: text("1,2,3")},
			{Field: "spec.a", Between: text("1,")},
			{Field: "spec.a", NotBetween: text("one,2")},
			{Field: "spec.a", Between: text("5,1")},
			{CEL: "spec.replicas >", Field: "spec.a", Equals: text("b")},
			{Field: "spec.a", Equals: text("x"), Notify: &orkv1.Notify{}, Source: &orkv1.CrossSource{}},
			{Field: "{{ .spec.a }}", Operator: "unique"},
			{Field: "children.deployment.spec", Operator: "unique"},
			{Field: "spec", Operator: "unique"},
			{Field: "spec.a", Operator: "unique", Value: text("x")},
		},
	}, field.NewPath("gate"))
	var out strings.Builder
	for _, err := range errs {
		fmt.Fprintln(&out, err)
	}
	golden.Compare(t, "testdata/compile_errors.golden", out.String())
}

// TestTimeErrors shows what an author reads of wrong statements about the time.
func TestTimeErrors(t *testing.T) {
	hour := &orkv1.Duration{Duration: time.Hour}
	weekday := &orkv1.DayOfWeek{Weekday: new(true)}
	_, errs := conditions.Compile(nil, orkv1.Conditions{When: []orkv1.Condition{
		{Time: &orkv1.TimeWindow{}},
		{Time: &orkv1.TimeWindow{After: "8"}},
		{Time: &orkv1.TimeWindow{After: "08:60", Before: "24:00"}},
		{Time: &orkv1.TimeWindow{After: "8am"}},
		{DayOfWeek: &orkv1.DayOfWeek{}},
		{DayOfWeek: &orkv1.DayOfWeek{Weekday: new(true), In: []string{"Mon", "Thirsday"}}},
		{DayOfWeek: &orkv1.DayOfWeek{Weekend: new(true), NotIn: []string{"noon"}}},
		{DayOfWeek: &orkv1.DayOfWeek{In: []string{}}},
		{Cron: "every day", Duration: hour},
		{Cron: "0 0 8 * * *", Duration: hour},
		{Cron: "60 * * * *", Duration: hour},
		{Cron: "@dayly", Duration: hour},
		{Cron: "@every 1h", Duration: hour},
		{Cron: "TZ=Europe/Berlin 0 8 * * *", Duration: hour},
		{Cron: "TZ=", Duration: hour},
		{Cron: "0 0 30 2 *", Duration: hour},
		{Cron: ", * * * *", Duration: hour},
		{Cron: "0 8 * * *", Duration: &orkv1.Duration{}},
		{Cron: "0 8 * * *", Duration: &orkv1.Duration{Duration: -time.Hour}},
		{Duration: hour},
		{Field: "spec.a", Duration: hour},
		{Time: &orkv1.TimeWindow{After: "08:00"}, Duration: hour},
		{Time: &orkv1.TimeWindow{After: "08:00"}, Field: "spec.a"},
		{Time: &orkv1.TimeWindow{After: "08:00"}, Field: "spec.a", Equals: text("x"), ValueType: "int"},
		{Cron: "0 8 * * *", Duration: hour, Operator: "gt", Value: text("x")},
		{Time: &orkv1.TimeWindow{After: "8"}, DayOfWeek: weekday, Cron: "0 8", Duration: hour},
		{DayOfWeek: weekday, Exists: new(false), NotExists: new(false)},
	}}, field.NewPath("gate"))
	var out strings.Builder
	for _, err := range errs {
		fmt.Fprintln(&out, err)
	}
	golden.Compare(t, "testdata/time_errors.golden", out.String())
}

func TestCronWithoutDurationWarns(t *testing.T) {
	l := template.NewLanguage(nil, nil)
	if _, errs := conditions.Compile(l, orkv1.Conditions{Or: []orkv1.Condition{{Cron: "@daily"}}}, field.NewPath("gate")); len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	want := `gate.or[0].cron: Invalid value: "@daily": without duration the window is open from each fire to the next, which is always: ` +
		"say how long it is open, such as duration: 1h"
	if got := fmt.Sprint(l.Warnings().ToAggregate()); got != want {
		t.Errorf("Warnings():\n got %s\nwant %s", got, want)
	}
}

func TestReferences(t *testing.T) {
	program := compile(t, orkv1.Conditions{
		When: []orkv1.Condition{{Field: ".spec.a", Equals: text("{{ .spec.b }}")}},
		Or:   []orkv1.Condition{{Field: "{{ .spec.c | default .spec.d }}"}},
	})
	want := [][]string{{"spec", "a"}, {"spec", "b"}, {"spec", "c"}, {"spec", "d"}}
	if diff := cmp.Diff(want, program.References()); diff != "" {
		t.Errorf("every path of fields and values: -want, +got:\n%s", diff)
	}
	if got := (*conditions.Program)(nil).References(); got != nil {
		t.Errorf("no program reads nothing: got %v", got)
	}
}

func TestUniquePaths(t *testing.T) {
	program := compile(t, orkv1.Conditions{
		When: []orkv1.Condition{{Field: ".spec.host", Operator: "unique"}, {Field: "spec.a"}},
		Or:   []orkv1.Condition{{Field: "metadata.labels.id", Operator: "unique", Negate: true}},
	})
	want := [][]string{{"spec", "host"}, {"metadata", "labels", "id"}}
	if diff := cmp.Diff(want, program.Unique()); diff != "" {
		t.Errorf("every path that wants a check: -want, +got:\n%s", diff)
	}
	if got := (*conditions.Program)(nil).Unique(); got != nil {
		t.Errorf("no program wants one: got %v", got)
	}
}

func TestUniqueWithoutCheck(t *testing.T) {
	program := compile(t, orkv1.Conditions{When: []orkv1.Condition{{Field: "spec.host", Operator: "unique"}}})
	if v := program.Evaluate(template.NewFacts(conditionstest.Roots(), nil)); !v.Pass {
		t.Errorf("where nobody can tell, every value is unique: %s", v.Reason)
	}
	if v := program.Evaluate(conditionstest.Facts().With("item", "a")); v.Pass {
		t.Error("the check stays when a root is added")
	}
}

func TestNilProgramPasses(t *testing.T) {
	program, errs := conditions.Compile(nil, orkv1.Conditions{}, field.NewPath("gate"))
	if program != nil || errs != nil {
		t.Fatalf("a gate without conditions is no program: got %v, %v", program, errs)
	}
	if diff := cmp.Diff(conditions.Verdict{Pass: true}, program.Evaluate(template.Facts{})); diff != "" {
		t.Errorf("Evaluate(): -want, +got:\n%s", diff)
	}
}

func TestProgramIsSafeForConcurrentUse(t *testing.T) {
	program := compile(t, orkv1.Conditions{When: []orkv1.Condition{
		{Field: "{{ .spec.image | toLower }}", Equals: text("{{ .spec.image | default \"x\" }}")},
	}})
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 200 {
				if verdict := program.Evaluate(conditionstest.Facts()); !verdict.Pass {
					t.Error(verdict.Reason)
					return
				}
			}
		})
	}
	group.Wait()
}

func TestReasonsHideWhatIsSensitive(t *testing.T) {
	hiding := template.NewLanguage(nil, nil).Hiding(func(references ...[]string) bool {
		return slices.ContainsFunc(references, func(path []string) bool { return len(path) > 1 && path[1] == "password" })
	})
	facts := template.NewFacts(map[string]any{"spec": map[string]any{"password": "hunter", "size": int64(3)}}, nil)
	cases := map[string]struct {
		reason string
		c      orkv1.Condition
		want   string
	}{
		"Field":    {"what is compared", orkv1.Condition{Field: "spec.password", Equals: text("x")}, `when: "spec.password" does not hold; it reads what is sensitive, which is not shown`},
		"Template": {"in a template", orkv1.Condition{Field: "{{ upper .spec.password }}", Equals: text("x")}, `when: "{{ upper .spec.password }}" does not hold; it reads what is sensitive, which is not shown`},
		"Value":    {"what it is compared with", orkv1.Condition{Field: "spec.size", Equals: text("{{ .spec.password }}")}, `when: "spec.size" does not hold; it reads what is sensitive, which is not shown`},
		"Error":    {"what fails", orkv1.Condition{Field: "spec.size", Max: text("{{ .spec.password }}")}, `when: "spec.size" does not hold; it reads what is sensitive, which is not shown`},
		"Negate":   {"what holds and must not", orkv1.Condition{Field: "spec.password", Equals: text("hunter"), Negate: true}, `when: "spec.password" does not hold; it reads what is sensitive, which is not shown`},
		"Other":    {"another value is shown", orkv1.Condition{Field: "spec.size", Equals: text("4")}, `when: "spec.size" = "3", want "4"`},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			program, errs := conditions.Compile(hiding, orkv1.Conditions{When: []orkv1.Condition{tc.c}}, field.NewPath("gate"))
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			if got := program.Evaluate(facts).Reason; got != tc.want {
				t.Errorf("\n%s\ngot  %s\nwant %s", tc.reason, got, tc.want)
			}
		})
	}
}
