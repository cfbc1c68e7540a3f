package rules_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/rules"
	"github.com/orkestra-runtime/orkestra/internal/golden"
)

// TestCheck checks one rule at a time on the same object.
func TestCheck(t *testing.T) {
	const (
		passes  = "passes"
		denied  = "denied"
		warned  = "warned"
		problem = "problem"
	)
	cond := func(c orkv1.Condition) orkv1.ValidationRule { return orkv1.ValidationRule{Condition: c, Message: "no"} }
	only := func(r orkv1.ValidationRule, c ...orkv1.Condition) orkv1.ValidationRule {
		r.When = c
		return r
	}
	broken := cond(orkv1.Condition{Field: "spec.replicas", Max: text("{{ .spec.word }}")})
	refusing := broken
	refusing.OnError = orkv1.RuleErrorDeny
	allowing := broken
	allowing.OnError = orkv1.RuleErrorAllow
	doubting := broken
	doubting.Action = orkv1.RuleWarn
	warning := cond(orkv1.Condition{Field: "spec.absent"})
	warning.Action = orkv1.RuleWarn
	admission := cond(orkv1.Condition{Field: "spec.absent"})
	admission.Fires = &orkv1.Fires{Reconcile: new(false)}
	either := cond(orkv1.Condition{Field: "spec.absent"})
	either.Or = []orkv1.Condition{{Field: "spec.absent"}, {Field: "spec.plan", Equals: text("gold")}}
	neither := either
	neither.Or = either.Or[:1]

	cases := map[string]struct {
		reason               string
		rule                 orkv1.ValidationRule
		reconcile, admission string
	}{
		"Exists":       {"no comparison asks whether the field is there", cond(orkv1.Condition{Field: "spec.image"}), passes, passes},
		"Absent":       {"and it must be", cond(orkv1.Condition{Field: "spec.absent"}), denied, denied},
		"Empty":        {"the empty text is nothing", cond(orkv1.Condition{Field: "spec.empty"}), denied, denied},
		"Zero":         {"zero is something", cond(orkv1.Condition{Field: "spec.zero"}), passes, passes},
		"ExistsKey":    {"the short form of exists", cond(orkv1.Condition{Field: "spec.absent", Exists: new(true)}), denied, denied},
		"NotExistsKey": {"and of notExists", cond(orkv1.Condition{Field: "spec.image", NotExists: new(true)}), denied, denied},
		"Operator":     {"the long form", cond(orkv1.Condition{Field: "spec.plan", Operator: "in", Value: text("gold,silver")}), passes, passes},
		"Max":          {"a bound that is passed", cond(orkv1.Condition{Field: "spec.replicas", Max: text("5")}), denied, denied},
		"Min":          {"a bound that is kept", cond(orkv1.Condition{Field: "spec.replicas", Min: text("5")}), passes, passes},
		"NotANumber":   {"a field that is no number violates a numeric rule", cond(orkv1.Condition{Field: "spec.word", Min: text("1")}), denied, denied},
		"NotBetween":   {"nor is it outside of a range", cond(orkv1.Condition{Field: "spec.word", NotBetween: text("1,2")}), denied, denied},
		"Number":       {"rules call a float a number too", cond(orkv1.Condition{Field: "spec.replicas", Equals: text("7.0"), ValueType: "number"}), passes, passes},
		"Type":         {"types are compared in rules as well", cond(orkv1.Condition{Field: "spec.list", Operator: "typeMap"}), denied, denied},
		"TypeOf":       {"by name", cond(orkv1.Condition{Field: "spec.map", Operator: "typeOf", Value: text("map")}), passes, passes},
		"Negate":       {"negate turns the comparison", cond(orkv1.Condition{Field: "spec.plan", Equals: text("gold"), Negate: true}), denied, denied},
		"Template":     {"what a template gives is compared", cond(orkv1.Condition{Field: "{{ toUpper .spec.plan }}", Equals: text("GOLD")}), passes, passes},
		"Prefix":       {"values may be templates", cond(orkv1.Condition{Field: "spec.image", Prefix: text("{{ .spec.plan }}/")}), denied, denied},
		"NoBound":      {"a rendered value that is no number is a denial at admission, and stops a cycle", broken, problem, denied + " " + problem},
		"OnError":      {"also when that is said", refusing, problem, denied + " " + problem},
		"OnErrorAllow": {"unless it lets pass what it can't check", allowing, problem, problem},
		"OnErrorWarns": {"or warns", doubting, problem, problem},
		"BadPattern":   {"so does a rendered expression", cond(orkv1.Condition{Field: "spec.plan", Regex: text("{{ print \"(\" .spec.plan }}")}), problem, denied + " " + problem},
		"BadField":     {"and a field that can't be rendered", cond(orkv1.Condition{Field: "{{ toInt .spec.word }}", Equals: text("1")}), problem, denied + " " + problem},
		"BadNegated":   {"whether it is negated or not", cond(orkv1.Condition{Field: "{{ toInt .spec.word }}", Equals: text("1"), Negate: true}), problem, denied + " " + problem},
		"Warn":         {"a warning", warning, warned, warned},
		"Fires":        {"a rule for admission alone", admission, passes, denied},
		"WhenBroken": {
			"whether the rule is to be checked can't be known", only(cond(orkv1.Condition{Field: "spec.image"}), orkv1.Condition{Field: "spec.replicas", Max: text("{{ .spec.word }}")}),
			problem, denied + " " + problem,
		},
		"OrBroken": {
			"none holds, and one can't be evaluated", orkv1.ValidationRule{
				Condition: orkv1.Condition{Field: "spec.image"}, Message: "no",
				Conditions: orkv1.Conditions{Or: []orkv1.Condition{{Field: "spec.replicas", Max: text("{{ .spec.word }}")}, {Field: "spec.absent"}}},
			}, problem, denied + " " + problem,
		},
		"OrBrokenHolds": {
			"one that holds is enough", orkv1.ValidationRule{
				Condition: orkv1.Condition{Field: "spec.absent"}, Message: "no",
				Conditions: orkv1.Conditions{Or: []orkv1.Condition{{Field: "spec.replicas", Max: text("{{ .spec.word }}")}, {Field: "spec.image"}}},
			}, denied, denied,
		},
		"WhenFailsFirst": {
			"a condition that does not hold settles it", only(cond(orkv1.Condition{Field: "spec.absent"}),
				orkv1.Condition{Field: "spec.absent"}, orkv1.Condition{Field: "spec.replicas", Max: text("{{ .spec.word }}")}), passes, passes,
		},
		"When":    {"the rule is guarded", only(warning, orkv1.Condition{Field: "spec.plan", Equals: text("gold")}), warned, warned},
		"WhenNot": {"and skipped", only(warning, orkv1.Condition{Field: "spec.plan", Equals: text("iron")}), passes, passes},
		"Or":      {"one of or is enough", either, denied, denied},
		"OrNot":   {"none is not", neither, passes, passes},
	}
	outcome := func(r rules.Result) string {
		var parts []string
		for _, part := range []struct {
			name  string
			count int
		}{{denied, len(r.Denied)}, {warned, len(r.Warned)}, {problem, len(r.Problems)}} {
			for range part.count {
				parts = append(parts, part.name)
			}
		}
		if len(parts) == 0 {
			return passes
		}
		return strings.Join(parts, " ")
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			v := validation(t, tc.rule)
			for when, want := range map[rules.Moment]string{rules.Reconcile: tc.reconcile, rules.Admission: tc.admission} {
				if diff := cmp.Diff(want, outcome(v.Check(factsOf(object()), when))); diff != "" {
					t.Errorf("\n%s\nCheck(%s): -want, +got:\n%s", tc.reason, when, diff)
				}
			}
		})
	}
}

func TestViolations(t *testing.T) {
	v := validation(t,
		orkv1.ValidationRule{Name: "few", Condition: orkv1.Condition{Field: ".spec.replicas", Max: text("5")}, Message: "at most 5, not {{ .spec.replicas }}\n"},
		orkv1.ValidationRule{Condition: orkv1.Condition{Field: "spec.image"}, Message: "passes"},
		orkv1.ValidationRule{Condition: orkv1.Condition{Field: "{{ len .spec.list }}", Equals: text("2")}, Link: "items", Action: orkv1.RuleWarn},
		orkv1.ValidationRule{Condition: orkv1.Condition{Field: "spec.absent"}, Message: "needed", Action: orkv1.RuleDeny},
	)
	want := rules.Result{
		Denied: []rules.Violation{
			{Rule: "few", Field: "spec.replicas", Message: "at most 5, not 7", Got: int64(7)},
			{Rule: "rules[3]", Field: "spec.absent", Message: "needed"},
		},
		Warned: []rules.Violation{{Rule: "rules[2]", Field: "{{ len .spec.list }}", Link: "items", Message: `want "2"`, Got: int64(1)}},
	}
	if diff := cmp.Diff(want, v.Check(factsOf(object()), rules.Reconcile)); diff != "" {
		t.Errorf("all violations are collected, in the order of the rules: -want, +got:\n%s", diff)
	}
}

// TestTexts shows what people read of violations.
func TestTexts(t *testing.T) {
	many := make([]orkv1.ValidationRule, 40)
	for i := range many {
		many[i] = orkv1.ValidationRule{Condition: orkv1.Condition{Field: orkv1.Template(fmt.Sprintf("spec.field%d", i))}, Message: "has to be given"}
	}
	long := strings.Repeat("ü\x01", 3000)
	var out strings.Builder
	for _, declared := range [][]orkv1.ValidationRule{
		{{Condition: orkv1.Condition{Field: "spec.replicas", Max: text("5")}, Message: "at most 5 replicas"}},
		{
			{Condition: orkv1.Condition{Field: "spec.replicas", Max: text("5")}, Message: "at most 5 replicas"},
			{Condition: orkv1.Condition{Field: "spec.owner"}, Message: "who owns {{ .metadata.name }}?"},
			{Condition: orkv1.Condition{Field: "spec.team"}, Message: "a team helps", Action: orkv1.RuleWarn},
			{Condition: orkv1.Condition{Field: "spec.note"}, Message: "so does a note", Action: orkv1.RuleWarn},
		},
		{{Condition: orkv1.Condition{Field: `{{ index .metadata.labels "team" }}`, Equals: text("shop")}, Link: "team", Message: "the team is shop"}},
		{{Condition: orkv1.Condition{Field: `{{ index .metadata.labels "team" }}`, Equals: text("shop")}, Message: "the team is shop"}},
		{
			{Condition: orkv1.Condition{Field: "spec.owner"}},
			{Condition: orkv1.Condition{Field: "spec.plan", In: text("iron,silver")}},
			{Condition: orkv1.Condition{Field: "spec.plan", Equals: text("gold"), Negate: true}},
			{Condition: orkv1.Condition{Field: "spec.map", Operator: "typeList"}},
		},
		{{Condition: orkv1.Condition{Field: "spec.owner"}, Message: "owner {{ toInt .spec.word }}"}},
		{{Condition: orkv1.Condition{Field: "spec.replicas", Max: text("{{ .spec.word }}")}, OnError: orkv1.RuleErrorDeny}},
		{{Condition: orkv1.Condition{Field: "spec.replicas", Max: text("{{ .spec.word }}")}, Name: "bound", Action: orkv1.RuleWarn}},
		{{Condition: orkv1.Condition{Field: orkv1.Template("{{/*" + long + "*/}}{{ .spec.long }}"), Equals: text(long + long)}, Message: orkv1.Template(long)}},
		many,
	} {
		o := object()
		o["spec"].(map[string]any)["long"] = long
		result := validation(t, declared...).Check(factsOf(o), rules.Admission)
		if err := result.Err(); err != nil {
			fmt.Fprintln(&out, err)
			for _, text := range []string{err.Error(), result.Warning()} {
				if len(text) > 1024 || !utf8.ValidString(text) {
					t.Errorf("a text of %d bytes: want UTF-8 of at most 1024", len(text))
				}
			}
		}
		if warning := result.Warning(); warning != "" {
			fmt.Fprintln(&out, "warning:", warning)
		}
		if unevaluated := result.Unevaluated(); unevaluated != "" {
			fmt.Fprintln(&out, unevaluated)
		}
		for _, problem := range result.Problems {
			fmt.Fprintf(&out, "problem: %v (binding: %t)\n", problem, problem.Binding)
		}
		fmt.Fprintln(&out)
	}
	golden.Compare(t, "testdata/texts.golden", out.String())
}

func TestErr(t *testing.T) {
	warned := validation(t, orkv1.ValidationRule{Condition: orkv1.Condition{Field: "spec.absent"}, Action: orkv1.RuleWarn})
	if err := warned.Check(factsOf(object()), rules.Reconcile).Err(); err != nil {
		t.Errorf("a warning denies nothing: got %v", err)
	}
	denied := validation(t, orkv1.ValidationRule{Condition: orkv1.Condition{Field: "spec.absent"}})
	err := fmt.Errorf("check: %w", denied.Check(factsOf(object()), rules.Reconcile).Err())
	if found, ok := errors.AsType[*rules.DeniedError](err); !ok || len(found.Violations) != 1 {
		t.Errorf("whoever retries must be able to tell a denial from a failure: got %v", err)
	}
}

func TestNoRules(t *testing.T) {
	for _, declared := range []*orkv1.Validation{nil, {}} {
		v, errs := rules.CompileValidation(nil, declared, field.NewPath("validation"))
		if v != nil || errs != nil {
			t.Errorf("no rules are no Validation: got %v, %v", v, errs)
		}
		if diff := cmp.Diff(rules.Result{}, v.Check(factsOf(object()), rules.Reconcile)); diff != "" || v.References() != nil {
			t.Errorf("and find nothing: -want, +got:\n%s", diff)
		}
	}
	m, errs := rules.CompileMutation(nil, &orkv1.Mutation{}, field.NewPath("mutation"))
	if _, changes, problems := m.Apply(factsOf(object()), object(), rules.Reconcile); m != nil || errs != nil || changes != nil || problems != nil || m.References() != nil {
		t.Errorf("no rules are no Mutation: got %v, %v", m, errs)
	}
	n, errs := rules.CompileNormalize(nil, &orkv1.Normalize{}, field.NewPath("normalize"))
	if _, changes, err := n.Apply(factsOf(object()), object()); n != nil || errs != nil || changes != nil || err != nil || n.References() != nil {
		t.Errorf("no expressions are no Normalize: got %v, %v", n, errs)
	}
}

func TestReferences(t *testing.T) {
	v := validation(t, orkv1.ValidationRule{
		Condition:  orkv1.Condition{Field: "spec.a", Equals: text("{{ .health.state }}")},
		Conditions: orkv1.Conditions{When: []orkv1.Condition{{Field: "status.phase"}}},
		Message:    "{{ .metadata.name }}",
	})
	want := [][]string{{"status", "phase"}, {"metadata", "name"}, {"spec", "a"}, {"health", "state"}}
	if diff := cmp.Diff(want, v.References()); diff != "" {
		t.Errorf("all that a rule reads, so that it is fetched: -want, +got:\n%s", diff)
	}
	m := mutation(t, nil, orkv1.MutationRule{
		Conditions: orkv1.Conditions{Or: []orkv1.Condition{{Field: "status.phase"}}},
		Field:      "spec.{{ .spec.key }}", Default: set(map[string]any{"a": "{{ .external.b }}"}),
	}, orkv1.MutationRule{Field: "spec.b", Override: set("{{ .kind }}")})
	want = [][]string{{"status", "phase"}, {"spec", "key"}, {"external", "b"}, {"kind"}}
	if diff := cmp.Diff(want, m.References()); diff != "" {
		t.Errorf("and a mutation: -want, +got:\n%s", diff)
	}
}
