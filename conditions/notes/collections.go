package notes

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

func collectionsFamily() []Function {
	return []Function{
		{
			Name: "listHas", Signature: "list value", Result: "bool", Code: listHas, Doc: "whether an element equals the value, as `eq` does",
			Examples: []Example{{`{{ listHas .spec.hosts "shop.example.com" }}`, "true"}},
		},
		{
			Name: "listGet", Signature: "list i", Result: "any", Code: listGet, Doc: "the element at a position from 0; nothing outside of the list",
			Examples: []Example{{"{{ listGet .spec.hosts 1 }}", "www.shop.example.com"}},
		},
		{
			Name: "listLen", Signature: "list", Result: "number", Doc: "the number of elements",
			Code: func(list any) (int64, error) {
				elements, err := elementsOf("listLen", list)
				return int64(len(elements)), err
			},
			Examples: []Example{{"{{ listLen .spec.hosts }}", "2"}},
		},
		{
			Name: "mapGet", Signature: "map key", Result: "any", Doc: "the value of the key",
			Code: func(m, key any) (any, error) {
				members, err := membersOf("mapGet", m)
				return members[Text(key)], err
			},
			Examples: []Example{{`{{ mapGet .metadata.labels "tier" }}`, "gold"}},
		},
		{
			Name: "mapKeys", Signature: "map", Result: "list", Code: mapKeys, Doc: "the keys, sorted",
			Examples: []Example{{"{{ mapKeys .metadata.labels }}", `["shards","tier"]`}},
		},
		{
			Name: "mapValues", Signature: "map", Result: "list", Code: mapValues, Doc: "the values, in the order of the keys",
			Examples: []Example{{"{{ mapValues .metadata.labels }}", `["4","gold"]`}},
		},
		{
			Name: "mapPick", Signature: "map key...", Result: "map", Code: mapPick, Doc: "the map with these keys alone",
			Examples: []Example{{`{{ mapPick .metadata.labels "tier" }}`, `{"tier":"gold"}`}},
		},
		{
			Name: "mapOmit", Signature: "map key...", Result: "map", Code: mapOmit, Doc: "the map without these keys",
			Examples: []Example{{`{{ mapOmit .metadata.labels "tier" }}`, `{"shards":"4"}`}},
		},
		{
			Name: "asList", Signature: "value", Result: "list", Code: asList, Doc: "a list, or the text of one in JSON or YAML; another scalar is a list of one",
			Examples: []Example{{`{{ asList "[a, b]" }}`, `["a","b"]`}},
		},
		{
			Name: "asMap", Signature: "value", Result: "map", Code: asMap, Doc: "a map, or the text of one in JSON or YAML",
			Examples: []Example{{`{{ (asMap "{cpu: 100m}").cpu }}`, "100m"}},
		},
		{
			Name: "asString", Signature: "value", Result: "text", Doc: "the text; a list or map as JSON",
			Code:     func(value any) (string, error) { return bounded("asString", Text(value)) },
			Examples: []Example{{"{{ asString .metadata.labels }}", `{"shards":"4","tier":"gold"}`}},
		},
	}
}

// elementsOf reads a list; nil for a missing one. Nobody may write to it.
func elementsOf(function string, value any) ([]any, error) {
	switch v := value.(type) {
	case nil:
		return nil, nil
	case []any:
		return v, nil
	}
	if TypeOf(value) != TypeList {
		return nil, fmt.Errorf("%s: %s is a %s, not a list", function, quote(value), TypeOf(value))
	}
	v := reflect.ValueOf(value)
	list := make([]any, v.Len())
	for i := range list {
		list[i] = v.Index(i).Interface()
	}
	return list, nil
}

// membersOf reads a map; nil for a missing one. Nobody may write to it.
func membersOf(function string, value any) (map[string]any, error) {
	switch v := value.(type) {
	case nil:
		return nil, nil
	case map[string]any:
		return v, nil
	}
	v := reflect.ValueOf(value)
	if v.Kind() != reflect.Map || v.Type().Key().Kind() != reflect.String {
		return nil, fmt.Errorf("%s: %s is a %s, not a map", function, quote(value), TypeOf(value))
	}
	m := make(map[string]any, v.Len())
	for iterator := v.MapRange(); iterator.Next(); {
		m[iterator.Key().String()] = iterator.Value().Interface()
	}
	return m, nil
}

func listHas(list, value any) (bool, error) {
	elements, err := elementsOf("listHas", list)
	return slices.ContainsFunc(elements, func(element any) bool { return equal(element, value) }), err
}

func listGet(list, i any) (any, error) {
	elements, err := elementsOf("listGet", list)
	if err != nil {
		return nil, err
	}
	n, err := number("listGet", i)
	if err != nil {
		return nil, err
	}
	if !n.whole || n.integer < 0 || n.integer >= int64(len(elements)) {
		return nil, nil
	}
	return elements[n.integer], nil
}

func mapKeys(m any) ([]any, error) {
	members, err := membersOf("mapKeys", m)
	keys := make([]any, 0, len(members))
	for _, key := range slices.Sorted(maps.Keys(members)) {
		keys = append(keys, key)
	}
	return keys, err
}

func mapValues(m any) ([]any, error) {
	members, err := membersOf("mapValues", m)
	values := make([]any, 0, len(members))
	for _, key := range slices.Sorted(maps.Keys(members)) {
		values = append(values, members[key])
	}
	return values, err
}

func mapPick(m any, keys ...any) (map[string]any, error) {
	members, err := membersOf("mapPick", m)
	picked := map[string]any{}
	for _, key := range keys {
		if value, found := members[Text(key)]; found {
			picked[Text(key)] = value
		}
	}
	return picked, err
}

func mapOmit(m any, keys ...any) (map[string]any, error) {
	members, err := membersOf("mapOmit", m)
	rest := map[string]any{}
	maps.Copy(rest, members)
	for _, key := range keys {
		delete(rest, Text(key))
	}
	return rest, err
}

func asList(value any) ([]any, error) {
	if text, ok := value.(string); ok {
		switch parsed := parsedText(text).(type) {
		case nil:
			return []any{}, nil
		case []any:
			return parsed, nil
		}
		return []any{text}, nil
	}
	switch TypeOf(value) {
	case TypeNull:
		return []any{}, nil
	case TypeMap:
		return nil, fmt.Errorf("asList: %s is a map, not a list: use mapKeys or mapValues", quote(value))
	case TypeList:
		return elementsOf("asList", value)
	}
	return []any{value}, nil
}

func asMap(value any) (map[string]any, error) {
	if text, ok := value.(string); ok {
		switch parsed := parsedText(text).(type) {
		case nil:
			return map[string]any{}, nil
		case map[string]any:
			return parsed, nil
		}
		return nil, fmt.Errorf("asMap: %s is not a map: use a map, or the text of one in JSON or YAML", quote(value))
	}
	members, err := membersOf("asMap", value)
	if members == nil {
		members = map[string]any{}
	}
	return members, err
}

// parsedText reads JSON or YAML, whole numbers as int64. What is neither stays a text.
func parsedText(text string) any {
	if len(text) > MaxText {
		return text
	}
	raw, err := yaml.YAMLToJSON([]byte(text))
	if err != nil || len(raw) > MaxText {
		return text
	}
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		return text
	}
	return value
}
