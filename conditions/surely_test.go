package conditions_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions"
	"github.com/orkestra-runtime/orkestra/conditions/conditionstest"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

// absent stands for no field at all, and nowhere for no map above it.
type absence int

const (
	absent absence = iota
	nowhere
	noMap
)

// values are what a field may be.
var values = []any{
	absent, nowhere, noMap, nil, "", "a", "abc", "xbcx", "1", "3", "10", " 3", "-5", "true", "false", "<no value>", "1.5", "a\"b\\c\n\té", strings.Repeat("a", 5000),
	int64(0), int64(1), int64(3), int64(10), int64(-5), int64(1) << 62, 0.0, 3.0, 1.5, -0.5, 1e30, true, false,
	map[string]any{},
	map[string]any{"a": int64(1)},
	[]any{},
	[]any{"a"},
	[]any{int64(3)},
}

func objectWith(value any) map[string]any {
	switch value {
	case absent:
		return map[string]any{"metadata": map[string]any{"name": "x"}, "spec": map[string]any{"other": map[string]any{}, "sub": map[string]any{}}}
	case nowhere:
		return map[string]any{"metadata": map[string]any{"name": "x"}}
	case noMap:
		return map[string]any{"metadata": map[string]any{"name": "x"}, "spec": map[string]any{"sub": "text"}}
	}
	return map[string]any{"metadata": map[string]any{"name": "x"}, "spec": map[string]any{"sub": map[string]any{"a.b": value, "field": value}}}
}

// comparisonsOf are conditions with one constant comparison.
func comparisonsOf() []orkv1.Condition {
	var all []orkv1.Condition
	for _, operator := range []string{
		"equals", "notEquals", "in", "notIn", "contains", "notContains", "prefix", "notPrefix", "suffix", "notSuffix", "regex", "gt", "gte", "lt", "lte",
		"between", "notBetween", "exists", "notExists",
	} {
		for _, value := range []string{
			"", "a", "abc", "1", "3", "-5", "1.5", "true", "<no value>", "1,3", "a,abc", "-5,3", "a,", ",", "3,true", "0,1.5", "a\"b\\c\n\té", "^a+$", "a?", "9223372036854775807",
		} {
			for _, valueType := range []string{"", "int", "float", "bool"} {
				c := orkv1.Condition{Field: "spec.sub.field", Operator: operator, ValueType: valueType}
				if value != "" {
					c.Value = new(orkv1.Template(value))
				}
				all = append(all, c, negated(c))
			}
		}
	}
	return all
}

// What the API server is told of a condition is never true where the condition says otherwise, and never fails.
func TestSurely(t *testing.T) {
	said, told := 0, 0
	for _, c := range comparisonsOf() {
		test, errs := conditions.CompileOne(nil, &c, field.NewPath("rule"))
		if len(errs) > 0 {
			continue
		}
		gate, errs := conditions.Compile(nil, orkv1.Conditions{When: []orkv1.Condition{c}}, field.NewPath("gate"))
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		never := func(map[string]any) bool { return false }
		holds, fails := never, never
		if parts, ok := test.Surely(); ok {
			said++
			holds = conditionstest.InServer(t, conditions.All(parts...))
		}
		if expression, ok := gate.SurelyNot(); ok {
			fails = conditionstest.InServer(t, expression)
		}
		for _, value := range values {
			object := objectWith(value)
			got, _, err := test.Check(template.NewFacts(object, nil))
			if err != nil {
				t.Fatalf("%+v of %v: %v", c, value, err)
			}
			yes, no := holds(object), fails(object)
			if yes && !got || no && got {
				t.Errorf("%+v of %#v comes to %t, and the API server is told %t that it holds and %t that it does not", c, value, got, yes, no)
			}
			if yes {
				told++
			}
		}
	}
	if said < 500 || told < 5000 {
		t.Errorf("%d conditions can be told, and hold %d times: the test says too little", said, told)
	}
}

// FuzzSurely asks of any comparison of any object whether the API server is told what is so, and can evaluate it.
func FuzzSurely(f *testing.F) {
	for _, seed := range [][5]string{
		{"spec.a", "equals", "1", "", `{"spec":{"a":1}}`},
		{"spec.a", "notEquals", "\u00e9\"\\", "", `{"spec":{"a":"\u00e9\"\\"}}`},
		{"spec.a", "regex", "^(a|b)+$", "", `{"spec":{"a":"ab"}}`},
		{"metadata.a-b.c", "in", "a,,true,-1", "", `{"metadata":{"a-b":{"c":true}}}`},
		{"spec.a\"b", "between", "-1,9223372036854775807", "int", `{"spec":{"a\"b":3}}`},
		{"spec.if", "gt", "-9223372036854775808", "", `{"spec":{"if":1e300}}`},
		{"spec.a.b.c", "notExists", "", "", `{"spec":{"a":{"b":[]}}}`},
	} {
		f.Add(seed[0], seed[1], seed[2], seed[3], seed[4])
	}
	f.Fuzz(func(t *testing.T, subject, operator, value, valueType, text string) {
		var object map[string]any
		if !utf8.ValidString(subject+value) || json.Unmarshal([]byte(text), &object) != nil || object == nil {
			return
		}
		c := orkv1.Condition{Field: orkv1.Template(subject), Operator: operator, ValueType: valueType}
		if value != "" {
			c.Value = new(orkv1.Template(value))
		}
		for _, c := range []orkv1.Condition{c, negated(c)} {
			test, errs := conditions.CompileOne(nil, &c, field.NewPath("rule"))
			if len(errs) > 0 {
				return
			}
			parts, ok := test.Surely()
			if !ok {
				continue
			}
			expression := conditions.All(parts...)
			if holds, got, err := test.Check(template.NewFacts(object, nil)); conditionstest.InServer(t, expression)(object) && (!holds || err != nil) {
				t.Errorf("%+v of %#v does not hold, and the API server is told that it does: %s", c, got, expression)
			}
		}
	})
}
