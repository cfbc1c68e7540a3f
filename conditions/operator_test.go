package conditions_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
	"github.com/orkestra-runtime/orkestra/conditions"
	"github.com/orkestra-runtime/orkestra/conditions/template"
)

func text(s string) *orkv1.Template { return new(orkv1.Template(s)) }

func facts() template.Facts {
	return template.NewFacts(map[string]any{
		"metadata": map[string]any{"name": "shop", "labels": map[string]any{"example.com/tier": "gold"}},
		"spec": map[string]any{
			"replicas": int64(3), "weight": 1e6, "ratio": 2.5, "enabled": true, "paused": false, "image": "nginx:1.27", "empty": "",
			"digits": "10", "zero": int64(0), "null": nil, "none": "<no value>", "large": int64(9007199254740993),
			"list": []any{"a", "b"}, "map": map[string]any{"a": "b"}, "emptyList": []any{}, "limits": "2,4",
		},
		"status": map[string]any{"phase": "Running"},
	}, nil)
}

func compile(t *testing.T, c orkv1.Conditions) *conditions.Program {
	t.Helper()
	program, errs := conditions.Compile(nil, c, field.NewPath("gate"))
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	return program
}

// TestOperators evaluates operator and value on a field; negate must always give the opposite.
func TestOperators(t *testing.T) {
	none := "\x00"
	cases := []struct {
		reason, field, operator, value, valueType string
		want                                      bool
	}{
		{"texts are equal", "status.phase", "equals", "Running", "", true},
		{"case counts", "status.phase", "equals", "running", "", false},
		{"a boolean by its word", "spec.enabled", "equals", "true", "", true},
		{"a whole float without a point", "spec.weight", "equals", "1000000", "", true},
		{"a missing field is the empty text", "spec.absent.x", "equals", "", "", true},
		{"a leading dot", ".status.phase", "equals", "Running", "", true},
		{"alias", "status.phase", "eq", "Running", "", true},
		{"alias", "status.phase", "ne", "Running", "", false},
		{"alias", "status.phase", "neq", "Failed", "", true},
		{"a missing field differs from a text", "spec.absent", "notEquals", "x", "", true},
		{"a missing field is the empty text", "spec.absent", "notEquals", "", "", false},
		{"a template as value", "spec.digits", "equals", "{{ .spec.digits }}", "", true},
		{"texts of numbers differ", "spec.ratio", "equals", "2.50", "", false},
		{"floats do not", "spec.ratio", "equals", "2.50", "float", true},
		{"whole numbers", "spec.replicas", "equals", " 3 ", "int", true},
		{"a missing integer is zero", "spec.absent", "equals", "0", "int", true},
		{"a missing boolean is false", "spec.absent", "equals", "false", "bool", true},
		{"words of booleans", "spec.enabled", "equals", "yes", "bool", true},
		{"what is no integer equals none", "spec.image", "equals", "0", "int", false},
		{"and so differs from each", "spec.image", "notEquals", "0", "int", true},
		{"a part", "spec.image", "contains", ":1", "", true},
		{"no part", "spec.image", "notContains", ":1", "", false},
		{"a missing field contains nothing", "spec.absent", "notContains", "a", "", true},
		{"a beginning", "spec.image", "prefix", "nginx", "", true},
		{"no beginning", "spec.image", "notPrefix", "nginx", "", false},
		{"an end", "spec.image", "suffix", ".27", "", true},
		{"no end", "spec.image", "notSuffix", ".27", "", false},
		{"anywhere", "spec.image", "regex", `1\.\d+`, "", true},
		{"anchors are written", "spec.image", "regex", `^1`, "", false},
		{"a number by its text", "spec.replicas", "regex", `^3$`, "", true},
		{"there", "spec.image", "exists", none, "", true},
		{"false is there", "spec.paused", "exists", none, "", true},
		{"zero is there", "spec.zero", "exists", none, "", true},
		{"an empty list is there", "spec.emptyList", "exists", none, "", true},
		{"an empty text is not", "spec.empty", "exists", none, "", false},
		{"null is not", "spec.null", "exists", none, "", false},
		{"what Go prints for nothing is not", "spec.none", "exists", none, "", false},
		{"below a scalar is nothing", "spec.image.tag", "exists", none, "", false},
		{"absent", "spec.absent", "notExists", none, "", true},
		{"not absent", "spec.zero", "notExists", none, "", false},
		{"strictly", "spec.replicas", "gt", "3", "", false},
		{"strictly", "spec.replicas", "gt", "2.9", "", true},
		{"as numbers, not as texts", "spec.digits", "gt", "9", "", true},
		{"all digits count", "spec.large", "gt", "9007199254740992", "", true},
		{"inclusive", "spec.replicas", "gte", "3", "", true},
		{"strictly", "spec.replicas", "lt", "3", "", false},
		{"inclusive", "spec.replicas", "lte", "3", "", true},
		{"names of short forms are operators too", "spec.replicas", "greaterThan", "2", "", true},
		{"a missing field is zero", "spec.absent", "lt", "1", "", true},
		{"an empty field is zero", "spec.empty", "gte", "0", "", true},
		{"a word is no number", "spec.image", "lt", "1", "", false},
		{"nor is it greater", "spec.image", "gte", "1", "", false},
		{"a boolean is no number", "spec.enabled", "gte", "0", "", false},
		{"a fraction is no integer", "spec.ratio", "gt", "2", "int", false},
		{"inclusive", "spec.replicas", "between", "3,5", "", true},
		{"blanks", "spec.replicas", "between", " 1 , 3 ", "", true},
		{"outside", "spec.replicas", "between", "4,5", "", false},
		{"a missing field is zero", "spec.absent", "between", "0,1", "", true},
		{"outside", "spec.replicas", "notBetween", "4,5", "", true},
		{"a word is neither inside", "spec.image", "between", "0,1", "", false},
		{"nor outside", "spec.image", "notBetween", "0,1", "", false},
		{"a range from the resource", "spec.replicas", "between", "{{ .spec.limits }}", "", true},
		{"one of", "status.phase", "in", "Pending, Running", "", true},
		{"none of", "status.phase", "notIn", "Pending,Running", "", false},
		{"a missing field is not in a list", "spec.absent", "in", "a,b", "", false},
		{"but in one with an empty element", "spec.absent", "in", ",Pending", "", true},
		{"so is an empty one", "spec.empty", "in", "a,", "", true},
		{"a value is not", "status.phase", "in", ",Pending", "", false},
		{"a list from the resource", "metadata.name", "in", "{{ split \"x shop\" \" \" }}", "", true},
		{"typed elements", "spec.replicas", "in", "1.0,3.0", "float", true},
		{"the raw type", "spec.list", "typeOf", "slice", "", true},
		{"digits are a text", "spec.digits", "typeOf", "number", "", false},
		{"missing is null", "spec.absent", "typeOf", "null", "", true},
		{"of a template that is one expression too", "{{ .spec.map }}", "typeOf", "map", "", true},
		{"a map", "spec.map", "typeMap", none, "", true},
		{"a list", "spec.list", "typeList", none, "", true},
		{"a text", "spec.empty", "typeString", none, "", true},
		{"a number", "spec.zero", "typeNumber", none, "", true},
		{"a boolean", "spec.paused", "typeBool", none, "", true},
		{"nothing", "spec.null", "typeNull", none, "", true},
		{"a text is not nothing", "spec.empty", "typeNull", none, "", false},
		{"a rendered field", "{{ .metadata.name }}-{{ .spec.replicas }}", "equals", "shop-3", "", true},
		{"white space of a block", "\n  {{ .status.phase }}{{ \"!\" }}\n", "equals", "Running!", "", true},
		{"a key with dots", `{{ index .metadata.labels "example.com/tier" }}`, "equals", "gold", "", true},
		{"a field that fails is false", "{{ toInt .metadata.name }}", "notEquals", "x", "", false},
		{"a value that fails is false", "metadata.name", "notEquals", "{{ toInt .metadata.name }}", "", false},
		{"a value that is no number is false", "spec.replicas", "gt", "{{ .metadata.name }}", "", false},
		{"a missing bound is zero", "spec.replicas", "gt", "{{ .spec.absent }}", "", true},
		{"a pattern that is none is false", "spec.image", "regex", "{{ print \"(\" }}", "", false},
	}
	for _, tc := range cases {
		t.Run(tc.operator, func(t *testing.T) {
			c := orkv1.Condition{Field: orkv1.Template(tc.field), Operator: tc.operator, ValueType: tc.valueType}
			if tc.value != none {
				c.Value = text(tc.value)
			}
			for _, negate := range []bool{false, true} {
				c.Negate = negate
				verdict := compile(t, orkv1.Conditions{When: []orkv1.Condition{c}}).Evaluate(facts())
				if verdict.Pass != (tc.want != negate) {
					t.Errorf("\n%s\n%s %s %q (negate %t): got %+v", tc.reason, tc.field, tc.operator, tc.value, negate, verdict)
				}
				if verdict.Pass != (verdict.Reason == "") {
					t.Errorf("\na reason belongs to a failure: got %+v", verdict)
				}
			}
		})
	}
}

// TestShorthands pairs each short form with a value that holds and one that does not.
func TestShorthands(t *testing.T) {
	cases := map[string]struct{ holds, fails orkv1.Condition }{
		"Bare":               {orkv1.Condition{Field: "spec.zero"}, orkv1.Condition{Field: "spec.absent"}},
		"Value":              {orkv1.Condition{Field: "spec.zero", Value: text("0")}, orkv1.Condition{Field: "spec.zero", Value: text("1")}},
		"Equals":             {orkv1.Condition{Field: "spec.zero", Equals: text("0")}, orkv1.Condition{Field: "spec.zero", Equals: text("1")}},
		"EqualsEmpty":        {orkv1.Condition{Field: "spec.absent", Equals: text("")}, orkv1.Condition{Field: "spec.zero", Equals: text("")}},
		"NotEquals":          {orkv1.Condition{Field: "spec.zero", NotEquals: text("1")}, orkv1.Condition{Field: "spec.zero", NotEquals: text("0")}},
		"Contains":           {orkv1.Condition{Field: "spec.image", Contains: text("x:")}, orkv1.Condition{Field: "spec.image", Contains: text("y")}},
		"NotContains":        {orkv1.Condition{Field: "spec.image", NotContains: text("y")}, orkv1.Condition{Field: "spec.image", NotContains: text("x:")}},
		"Prefix":             {orkv1.Condition{Field: "spec.image", Prefix: text("n")}, orkv1.Condition{Field: "spec.image", Prefix: text("y")}},
		"NotPrefix":          {orkv1.Condition{Field: "spec.image", NotPrefix: text("y")}, orkv1.Condition{Field: "spec.image", NotPrefix: text("n")}},
		"Suffix":             {orkv1.Condition{Field: "spec.image", Suffix: text("7")}, orkv1.Condition{Field: "spec.image", Suffix: text("y")}},
		"NotSuffix":          {orkv1.Condition{Field: "spec.image", NotSuffix: text("y")}, orkv1.Condition{Field: "spec.image", NotSuffix: text("7")}},
		"Regex":              {orkv1.Condition{Field: "spec.image", Regex: text("^n")}, orkv1.Condition{Field: "spec.image", Regex: text("^x")}},
		"Exists":             {orkv1.Condition{Field: "spec.zero", Exists: new(true)}, orkv1.Condition{Field: "spec.absent", Exists: new(true)}},
		"NotExists":          {orkv1.Condition{Field: "spec.absent", NotExists: new(true)}, orkv1.Condition{Field: "spec.zero", NotExists: new(true)}},
		"ExistsFalse":        {orkv1.Condition{Field: "spec.zero", Exists: new(false), Equals: text("0")}, orkv1.Condition{Field: "spec.zero", Exists: new(false), Equals: text("1")}},
		"GreaterThan":        {orkv1.Condition{Field: "spec.replicas", GreaterThan: text("2")}, orkv1.Condition{Field: "spec.replicas", GreaterThan: text("3")}},
		"LessThan":           {orkv1.Condition{Field: "spec.replicas", LessThan: text("4")}, orkv1.Condition{Field: "spec.replicas", LessThan: text("3")}},
		"GreaterThanOrEqual": {orkv1.Condition{Field: "spec.replicas", GreaterThanOrEqual: text("3")}, orkv1.Condition{Field: "spec.replicas", GreaterThanOrEqual: text("4")}},
		"LessThanOrEqual":    {orkv1.Condition{Field: "spec.replicas", LessThanOrEqual: text("3")}, orkv1.Condition{Field: "spec.replicas", LessThanOrEqual: text("2")}},
		"Min":                {orkv1.Condition{Field: "spec.replicas", Min: text("3")}, orkv1.Condition{Field: "spec.replicas", Min: text("4")}},
		"Max":                {orkv1.Condition{Field: "spec.replicas", Max: text("3")}, orkv1.Condition{Field: "spec.replicas", Max: text("2")}},
		"Between":            {orkv1.Condition{Field: "spec.replicas", Between: text("3,4")}, orkv1.Condition{Field: "spec.replicas", Between: text("4,5")}},
		"NotBetween":         {orkv1.Condition{Field: "spec.replicas", NotBetween: text("4,5")}, orkv1.Condition{Field: "spec.replicas", NotBetween: text("3,4")}},
		"In":                 {orkv1.Condition{Field: "spec.replicas", In: text("2,3")}, orkv1.Condition{Field: "spec.replicas", In: text("2")}},
		"NotIn":              {orkv1.Condition{Field: "spec.replicas", NotIn: text("2")}, orkv1.Condition{Field: "spec.replicas", NotIn: text("2,3")}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if v := compile(t, orkv1.Conditions{When: []orkv1.Condition{tc.holds}}).Evaluate(facts()); !v.Pass {
				t.Errorf("want it to hold: %s", v.Reason)
			}
			if v := compile(t, orkv1.Conditions{When: []orkv1.Condition{tc.fails}}).Evaluate(facts()); v.Pass {
				t.Error("want it to fail")
			}
		})
	}
}
