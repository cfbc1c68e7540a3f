package custom

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"

	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

// plain copies the fields of a declaration into the values that an unstructured object may hold.
func plain(fields map[string]orkv1.JSON, at *field.Path) (map[string]any, field.ErrorList) {
	object := make(map[string]any, len(fields))
	var errs field.ErrorList
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		value, err := plainValue(fields[name].Value, at.Child(name))
		errs = append(errs, err...)
		if value != nil {
			object[name] = value
		}
	}
	return object, errs
}

// plainValue copies a value: integers become int64, null fields go. A template may have made a Go type that JSON only knows
// by its spelling.
func plainValue(value any, at *field.Path) (any, field.ErrorList) {
	switch v := value.(type) {
	case nil, bool, string, int64:
		return v, nil
	case int:
		return int64(v), nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, field.ErrorList{field.Invalid(at, fmt.Sprint(v), "is not a number that JSON has")}
		}
		return v, nil
	case map[string]any:
		return plainMap(v, at)
	case []any:
		return plainList(v, at)
	default:
		return spelled(v, at)
	}
}

func plainMap(fields map[string]any, at *field.Path) (any, field.ErrorList) {
	copied := make(map[string]any, len(fields))
	var errs field.ErrorList
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		value, err := plainValue(fields[name], at.Child(name))
		errs = append(errs, err...)
		if value != nil {
			copied[name] = value
		}
	}
	return copied, errs
}

func plainList(elements []any, at *field.Path) (any, field.ErrorList) {
	copied := make([]any, len(elements))
	var errs field.ErrorList
	for i, element := range elements {
		value, err := plainValue(element, at.Index(i))
		errs = append(errs, err...)
		copied[i] = value
	}
	return copied, errs
}

func spelled(value any, at *field.Path) (any, field.ErrorList) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, field.ErrorList{field.Invalid(at, fmt.Sprintf("%T", value), "is not a type that JSON has: "+err.Error())}
	}
	var decoded any
	if err := utiljson.Unmarshal(text, &decoded); err != nil {
		return nil, field.ErrorList{field.Invalid(at, string(text), "is not JSON: "+err.Error())}
	}
	return decoded, nil
}
