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

func conditionalFamily() map[string]any {
	return map[string]any{
		"default":     defaultTo,
		"ternary":     ternary,
		"boolTernary": boolTernary,
		"eqTernary":   eqTernary,
		"boolDefault": boolDefault,
		"coalesce":    coalesce,
		"empty":       Empty,
		"notEmpty":    func(value any) bool { return !Empty(value) },
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
