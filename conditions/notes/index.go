package notes

import (
	"fmt"
	"reflect"
)

// indexFamily replaces index and slice of Go's templates, which fail on a missing value.
func indexFamily() []Function {
	return []Function{
		{
			Name: "index", Signature: "value key...", Result: "any", Code: index,
			Doc:      "follows keys of maps and positions of lists; a missing key gives nothing, a position outside is an error",
			Examples: []Example{{"{{ index .spec.hosts 0 }}", "shop.example.com"}},
		},
		{
			Name: "slice", Signature: "value [from] [to]", Result: "any", Code: slice, Most: 3,
			Doc:      "a part of a list, or of a text by its bytes",
			Examples: []Example{{`{{ slice "abcdef" 1 3 }}`, "bc"}},
		},
	}
}

// index follows keys of maps and positions of lists. A missing key gives nil, and so does everything below it; a position
// outside of a list is an error.
func index(value any, keys ...any) (any, error) {
	for _, key := range keys {
		v := reflect.ValueOf(value)
		switch TypeOf(value) {
		case TypeNull:
			return nil, nil
		case TypeMap:
			value = mapValue(v, Text(key))
		case TypeList:
			at, err := position("index", key, v.Len()-1)
			if err != nil {
				return nil, err
			}
			value = v.Index(at).Interface()
		default:
			return nil, fmt.Errorf("index: %s is a %s, not a list or a map", quote(value), TypeOf(value))
		}
	}
	return value, nil
}

func mapValue(m reflect.Value, key string) any {
	if m.Kind() != reflect.Map || m.Type().Key().Kind() != reflect.String {
		return nil
	}
	found := m.MapIndex(reflect.ValueOf(key).Convert(m.Type().Key()))
	if !found.IsValid() {
		return nil
	}
	return found.Interface()
}

// slice cuts a text, by bytes, or a list from a position, 0 by default, up to another, the end by default. A missing value
// gives nil.
func slice(value any, positions ...any) (any, error) {
	if value == nil {
		return nil, nil
	}
	v := reflect.ValueOf(value)
	if v.Kind() != reflect.String && v.Kind() != reflect.Slice {
		return nil, fmt.Errorf("slice: %s is a %s, not a text or a list", quote(value), TypeOf(value))
	}
	if len(positions) > 2 {
		positions = positions[:2] // Most of the function does not let it come to this.
	}
	bounds := [2]int{0, v.Len()}
	for i, given := range positions {
		at, err := position("slice", given, v.Len())
		if err != nil {
			return nil, err
		}
		bounds[i] = at
	}
	if bounds[0] > bounds[1] {
		return nil, fmt.Errorf("slice: it begins at %d, behind its end at %d", bounds[0], bounds[1])
	}
	return v.Slice(bounds[0], bounds[1]).Interface(), nil
}

// position reads a whole number from 0 to last.
func position(function string, value any, last int) (int, error) {
	n, ok := NumberOf(value)
	if !ok || !n.whole || value == nil || value == "" {
		return 0, fmt.Errorf("%s: %s is no position: use a whole number", function, quote(value))
	}
	if n.integer < 0 || n.integer > int64(last) {
		return 0, fmt.Errorf("%s: the position %d is not from 0 to %d", function, n.integer, last)
	}
	return int(n.integer), nil
}
