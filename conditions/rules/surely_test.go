package rules_test

import (
	"slices"
	"testing"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/conditionstest"
	"github.com/orkestra-runtime/orkestra/conditions/rules"
)

// specs are objects, by what their spec is.
func specs() map[string]map[string]any {
	all := map[string]map[string]any{}
	for name, spec := range map[string]map[string]any{
		"Good": {"replicas": int64(3), "plan": "gold", "image": "a"}, "Many": {"replicas": int64(9), "plan": "gold", "image": "a"},
		"Silver": {"replicas": int64(9), "plan": "silver"}, "Text": {"replicas": "3", "plan": "gold"}, "Empty": {}, "Null": {"replicas": nil, "plan": nil, "image": nil},
		"List": {"replicas": []any{int64(3)}, "plan": []any{}, "image": ""}, "None": nil,
	} {
		one := map[string]any{"apiVersion": "example.com/v1", "kind": "Shop", "metadata": map[string]any{"name": "shop"}}
		if spec != nil {
			one["spec"] = spec
		}
		all[name] = one
	}
	return all
}

// TestSurelyValid shows of which objects the API server is told that no rule has anything to say, and that it is true.
func TestSurelyValid(t *testing.T) {
	most := orkv1.ValidationRule{Condition: orkv1.Condition{Field: "spec.replicas", Max: text("5")}, Message: "no"}
	only := func(c ...orkv1.Condition) orkv1.ValidationRule {
		r := most
		r.When = c
		return r
	}
	either := most
	either.Or = []orkv1.Condition{{Field: "spec.plan", Equals: text("gold")}, {Field: "spec.image"}}
	warns := most
	warns.Action = orkv1.RuleWarn
	other := func(c orkv1.Condition) orkv1.ValidationRule { return orkv1.ValidationRule{Condition: c, Message: "no"} }
	cases := map[string]struct {
		reason string
		rules  []orkv1.ValidationRule
		idle   []string
	}{
		"One":   {"a text may be a number, which the gateway knows", []orkv1.ValidationRule{most}, []string{"Good", "Empty", "Null", "None"}},
		"Warns": {"what warns has something to say as well", []orkv1.ValidationRule{warns}, []string{"Good", "Empty", "Null", "None"}},
		"All":   {"each rule", []orkv1.ValidationRule{most, other(orkv1.Condition{Field: "spec.plan", In: text("gold,silver")})}, []string{"Good"}},
		"When":  {"a rule that does not apply", []orkv1.ValidationRule{only(orkv1.Condition{Field: "spec.plan", Equals: text("gold")})}, []string{"Good", "Silver", "Empty", "Null", "None"}},
		"Or":    {"nor does this one", []orkv1.ValidationRule{either}, []string{"Good", "Silver", "Empty", "Null", "None"}},
		"Unsayable": {"a rule of which it can't be told, while it applies", []orkv1.ValidationRule{{
			Condition: orkv1.Condition{CEL: "spec.replicas < 5"}, Message: "no", Conditions: orkv1.Conditions{When: []orkv1.Condition{{Field: "spec.plan", Equals: text("gold")}}},
		}}, []string{"Silver", "Empty", "Null", "None"}},
		"CEL":      {"an expression has other names", []orkv1.ValidationRule{other(orkv1.Condition{CEL: "spec.replicas < 5"})}, nil},
		"Template": {"a template", []orkv1.ValidationRule{other(orkv1.Condition{Field: "{{ .spec.plan }}", Equals: text("gold")})}, nil},
		"Operand":  {"and what it is compared with", []orkv1.ValidationRule{other(orkv1.Condition{Field: "spec.plan", Equals: text("{{ .spec.image }}")})}, nil},
		"Guard":    {"conditions that may not be evaluated", []orkv1.ValidationRule{only(orkv1.Condition{Field: "spec.plan", Equals: text("{{ .spec.image }}")})}, nil},
		"Status":   {"what is not for who writes", []orkv1.ValidationRule{other(orkv1.Condition{Field: "status.phase", Equals: text("Ready")})}, nil},
		"Feedback": {"what only the operator knows", []orkv1.ValidationRule{other(orkv1.Condition{Field: "health.ready", Equals: text("true")})}, nil},
		"Unique":   {"what others have", []orkv1.ValidationRule{other(orkv1.Condition{Field: "spec.plan", Operator: "unique"})}, nil},
		"Time":     {"the time", []orkv1.ValidationRule{only(orkv1.Condition{DayOfWeek: &orkv1.DayOfWeek{Weekend: new(true)}})}, nil},
		"None":     {"no rules", nil, []string{"Good", "Many", "Silver", "Text", "Empty", "Null", "List", "None"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			compiled := validation(t, tc.rules...)
			told(t, compiled.Surely(), tc.reason, tc.idle, func(object map[string]any) bool {
				result := compiled.Check(factsOf(object), rules.Admission)
				return len(result.Denied)+len(result.Warned)+len(result.Problems) == 0
			})
		})
	}
}

// told shows of which objects the API server is told that there is nothing to do, and that it is so. Nil: it is never told.
func told(t *testing.T, expression, reason string, wanted []string, isIdle func(object map[string]any) bool) {
	t.Helper()
	if wanted == nil {
		if expression != "" {
			t.Errorf("%s: %s", reason, expression)
		}
		return
	}
	idle := conditionstest.InServer(t, expression)
	for name, object := range specs() {
		switch {
		case slices.Contains(wanted, name) && !idle(object):
			t.Errorf("%s: of %s the API server must ask: %s", reason, name, expression)
		case idle(object) && !isIdle(object):
			t.Errorf("%s: of %s the API server does not ask, and it should: %s", reason, name, expression)
		}
	}
}

// TestSurelyUnchanged does the same for rules that set fields.
func TestSurelyUnchanged(t *testing.T) {
	two := orkv1.MutationRule{Field: "spec.replicas", Default: set(int64(2))}
	gold := two
	gold.When = []orkv1.Condition{{Field: "spec.plan", Equals: text("gold")}}
	always := orkv1.MutationRule{Field: "spec.plan", Override: set("gold")}
	sometimes := always
	sometimes.When = []orkv1.Condition{{Field: "spec.image"}}
	cases := map[string]struct {
		reason string
		rules  []orkv1.MutationRule
		idle   []string
	}{
		"Default":   {"there is a value", []orkv1.MutationRule{two}, []string{"Good", "Many", "Silver", "Text", "List"}},
		"When":      {"or the rule does not apply", []orkv1.MutationRule{gold}, []string{"Good", "Many", "Silver", "Text", "List", "Empty", "Null", "None"}},
		"Both":      {"two rules", []orkv1.MutationRule{two, {Field: "spec.image", Default: set("a")}}, []string{"Good", "Many"}},
		"Override":  {"the value is there already", []orkv1.MutationRule{two, always}, []string{"Good", "Many", "Text"}},
		"Typed":     {"and of the same type", []orkv1.MutationRule{{Field: "spec.replicas", Override: set("3")}}, []string{"Text"}},
		"Number":    {"a number", []orkv1.MutationRule{{Field: "spec.replicas", Override: set(int64(3))}}, []string{"Good"}},
		"Sometimes": {"or it does not apply", []orkv1.MutationRule{two, sometimes}, []string{"Good", "Many", "Silver", "Text", "List"}},
		"Template":  {"nobody knows before", []orkv1.MutationRule{{Field: "spec.plan", Override: set("{{ .spec.image }}")}}, nil},
		"Tree":      {"nor of more than one value", []orkv1.MutationRule{{Field: "spec.plan", Override: set(map[string]any{"a": "b"})}}, nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			compiled := mutation(t, nil, tc.rules...)
			told(t, compiled.Surely(), tc.reason, tc.idle, func(object map[string]any) bool {
				_, changes, problems := compiled.Apply(factsOf(object), object, rules.Admission)
				return len(changes)+len(problems) == 0
			})
		})
	}
}
