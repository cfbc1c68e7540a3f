package notes

import (
	"fmt"
	"reflect"
)

// Empty reports whether a value is missing or says nothing: nil, "", the text NoValue, 0, false, an empty list or map.
func Empty(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case string:
		return v == "" || v == NoValue
	case bool:
		return !v
	case int64:
		return v == 0
	case float64:
		return v == 0
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	v := reflect.ValueOf(value)
	switch v.Kind() {
	case reflect.Slice, reflect.Map:
		return v.Len() == 0
	default:
		return v.IsZero()
	}
}

func conditionalFamily() []Function {
	return []Function{
		{
			Name: "default", Signature: "fallback value", Result: "any", Code: defaultTo,
			Doc:      "the value, or the fallback when it is empty. The fallback comes first, so that it stands last in a pipeline",
			Examples: []Example{{"{{ .spec.port | default 8080 }}", "8080"}, {"{{ default 1 .spec.replicas }}", "3"}},
		},
		{
			Name: "ternary", Signature: "condition yes no", Result: "any", Code: ternary,
			Doc:      "`yes` when the condition is not empty and not the text `false`, else `no`",
			Examples: []Example{{`{{ ternary .spec.suspend "off" "on" }}`, "on"}},
		},
		{
			Name: "boolTernary", Signature: "condition yes no", Result: "any", Code: boolTernary,
			Doc:      "as `ternary`; a condition that is there and not a boolean is an error",
			Examples: []Example{{`{{ boolTernary .spec.suspend "off" "on" }}`, "on"}},
		},
		{
			Name: "eqTernary", Signature: "value target yes no", Result: "any", Code: eqTernary,
			Doc:      "`yes` when both print the same, else `no`",
			Examples: []Example{{`{{ eqTernary .spec.tier "gold" 3 1 }}`, "3"}},
		},
		{
			Name: "boolDefault", Signature: "value fallback", Result: "any", Code: boolDefault,
			Doc:      "the value when it is a boolean, else the fallback: keeps a false that is written down",
			Examples: []Example{{"{{ boolDefault .spec.suspend true }}", "false"}, {"{{ boolDefault .spec.none true }}", "true"}},
		},
		{
			Name: "coalesce", Signature: "value...", Result: "any", Code: coalesce,
			Doc:      "the first value that is not empty",
			Examples: []Example{{`{{ coalesce .spec.none .spec.tier "silver" }}`, "gold"}},
		},
		{
			Name: "empty", Signature: "value", Result: "bool", Code: Empty,
			Doc:      "whether the value is missing, `\"\"`, 0, false, or a list or map without elements",
			Examples: []Example{{"{{ empty .spec.none }}", "true"}, {"{{ empty .spec.hosts }}", "false"}},
		},
		{
			Name: "notEmpty", Signature: "value", Result: "bool", Code: func(value any) bool { return !Empty(value) },
			Doc:      "the opposite of `empty`",
			Examples: []Example{{"{{ notEmpty .spec.hosts }}", "true"}},
		},
	}
}

// defaultTo takes the fallback first, so that it reads well at the end of a pipeline: .spec.port | default 8080.
func defaultTo(fallback, value any) any {
	if Empty(value) {
		return fallback
	}
	return value
}

// ternary takes the text "false" as false: it is how a boolean looks after it went through a text.
func ternary(condition, yes, no any) any {
	if Empty(condition) || condition == "false" {
		return no
	}
	return yes
}

func boolTernary(condition, yes, no any) (any, error) {
	b, ok := condition.(bool)
	switch {
	case !ok && missing(condition):
		return no, nil
	case !ok:
		return nil, fmt.Errorf("boolTernary: the condition %s is a %s, not a bool: use ternary or toBool",
			quote(condition), TypeOf(condition))
	case b:
		return yes, nil
	default:
		return no, nil
	}
}

func eqTernary(value, target, yes, no any) any {
	if Text(value) == Text(target) {
		return yes
	}
	return no
}

// boolDefault keeps a false that is written down, which default would replace.
func boolDefault(value, fallback any) any {
	if b, ok := value.(bool); ok {
		return b
	}
	return fallback
}

func coalesce(values ...any) any {
	for _, value := range values {
		if !Empty(value) {
			return value
		}
	}
	return nil
}
