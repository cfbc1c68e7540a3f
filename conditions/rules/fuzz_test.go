package rules_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions/rules"
)

// FuzzRules applies any rules to any object: nothing panics, the object itself never changes, the same question has the same
// answer, texts keep their bounds, and what a default has set, it does not set again.
func FuzzRules(f *testing.F) {
	for _, seed := range [][6]string{
		{"spec.a", "max", "5", `"x"`, "", `{"spec":{"a":7}}`},
		{"spec.a.b", "regex", "{{ .spec.re }}", `{"c":["{{ .spec.a }}"]}`, "", `{"spec":{"a":{},"re":"("}}`},
		{"spec.{{ .spec.a }}", "exists", "", `"{{ .spec }}"`, "string", `{"spec":{"a":"b.c"}}`},
		{`metadata.labels["a.b/c"]`, "in", "a,b", `1e9`, "string", `{"metadata":{"labels":null}}`},
		{"{{ .spec.a }}", "typeOf", "map", `"{{ .spec.a }}"`, "int", `{"spec":{"a":"metadata.annotations['x']"}}`},
		{"spec.a", "between", "{{ .spec.a }}", `true`, "bool", `{"spec":[1,2]}`},
		{"spec.a", "equals", "", `[]`, "float", `null`},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3], seed[4], seed[5])
	}
	f.Fuzz(func(t *testing.T, name, operator, compared, written, valueType, resource string) {
		var value orkv1.JSON
		var holder orkv1.JSON
		if json.Unmarshal([]byte(written), &value) != nil || json.Unmarshal([]byte(resource), &holder) != nil {
			return
		}
		given, _ := holder.Value.(map[string]any)
		before := runtime.DeepCopyJSON(given)
		facts := factsOf(given)

		c := orkv1.Condition{Field: orkv1.Template(name), Operator: operator, ValueType: valueType}
		if compared != "" {
			c.Value = new(orkv1.Template(compared))
		}
		if v, errs := rules.CompileValidation(nil, &orkv1.Validation{Rules: []orkv1.ValidationRule{
			{Condition: c, Message: orkv1.Template(compared), OnError: orkv1.RuleErrorDeny}, {Condition: c, Action: orkv1.RuleWarn},
		}}, field.NewPath("validation")); len(errs) == 0 {
			first := v.Check(facts, rules.Admission)
			if diff := cmp.Diff(first, v.Check(facts, rules.Admission), cmp.Comparer(sameProblem)); diff != "" {
				t.Errorf("the same object is judged in two ways: %s", diff)
			}
			for _, text := range []string{first.Warning(), (&rules.DeniedError{Violations: first.Denied}).Error()} {
				if len(text) > 1024 {
					t.Errorf("a text of %d bytes", len(text))
				}
			}
		}

		for _, rule := range []orkv1.MutationRule{
			{Field: orkv1.Template(name), Default: &value, ValueType: valueType},
			{Field: orkv1.Template(name), Override: &value, ValueType: valueType},
		} {
			m, errs := rules.CompileMutation(nil, &orkv1.Mutation{Rules: []orkv1.MutationRule{rule, rule}}, field.NewPath("mutation"))
			if len(errs) > 0 {
				continue
			}
			changed, changes, _ := m.Apply(facts, given, rules.Reconcile)
			if len(changes) == 0 && !cmp.Equal(before, changed) {
				t.Errorf("a change that is not listed: %s", cmp.Diff(before, changed))
			}
			if _, again, _ := m.Apply(facts, changed, rules.Reconcile); rule.Default != nil && len(again) > 0 {
				t.Errorf("a default is set twice: %v", again)
			}
		}

		if n, errs := rules.CompileNormalize(nil, &orkv1.Normalize{Spec: map[string]orkv1.Template{
			name: orkv1.Template(compared), "a": orkv1.Template(name),
		}}, field.NewPath("normalize")); len(errs) == 0 {
			first, _, _ := n.Apply(facts, given)
			if second, _, _ := n.Apply(facts, given); !cmp.Equal(first, second) {
				t.Errorf("the same object has two results: %s", cmp.Diff(first, second))
			}
		}
		if diff := cmp.Diff(before, given); diff != "" {
			t.Errorf("the object itself changed: %s", diff)
		}
	})
}

func sameProblem(a, b *rules.RuleError) bool { return a.Error() == b.Error() }
