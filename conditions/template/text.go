package template

import (
	"reflect"

	"github.com/orkestra-runtime/orkestra/conditions/notes"
)

// Text prints a value as people write it: nil as "", integral numbers without a point and never with an exponent, strings
// as they are, maps and lists as JSON.
func Text(value any) string { return notes.Text(value) }

// native gives a value one of JSON's types: nil, bool, int64, float64, string, []any or map[string]any. What has none of
// them becomes text.
func native(value any) any {
	switch v := value.(type) {
	case nil, bool, int64, float64, string, []any, map[string]any:
		return v
	case int:
		return int64(v)
	}
	switch v := reflect.ValueOf(value); notes.TypeOf(value) {
	case notes.TypeNull:
		return nil
	case notes.TypeNumber:
		n, ok := notes.NumberOf(value)
		if !ok {
			return Text(value)
		}
		return n.Value()
	case notes.TypeList:
		return nativeList(v)
	case notes.TypeMap:
		return nativeMap(v)
	}
	return Text(value)
}

func nativeList(v reflect.Value) []any {
	list := make([]any, v.Len())
	for i := range list {
		list[i] = native(v.Index(i).Interface())
	}
	return list
}

func nativeMap(v reflect.Value) any {
	if v.Type().Key().Kind() != reflect.String {
		return Text(v.Interface())
	}
	m := make(map[string]any, v.Len())
	for iterator := v.MapRange(); iterator.Next(); {
		m[iterator.Key().String()] = native(iterator.Value().Interface())
	}
	return m
}
