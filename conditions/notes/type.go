package notes

import (
	"fmt"
	"reflect"
	"strings"
)

// The names that TypeOf gives.
const (
	TypeMap    = "map"
	TypeList   = "slice"
	TypeString = "string"
	TypeNumber = "number"
	TypeBool   = "bool"
	TypeNull   = "null"
)

// TypeOf names the type of a value as JSON sees it: one of the Type constants. What is none of JSON's types is a string,
// which is how it prints.
func TypeOf(value any) string {
	switch value.(type) {
	case nil:
		return TypeNull
	case string:
		return TypeString
	case bool:
		return TypeBool
	case int64, float64, int:
		return TypeNumber
	case map[string]any:
		return TypeMap
	case []any:
		return TypeList
	}
	return reflectedType(reflect.ValueOf(value))
}

func reflectedType(v reflect.Value) string {
	if v.CanInt() || v.CanUint() || v.CanFloat() {
		return TypeNumber
	}
	switch v.Kind() {
	case reflect.Bool:
		return TypeBool
	case reflect.Map:
		return TypeMap
	case reflect.Slice, reflect.Array:
		return TypeList
	case reflect.Pointer:
		if v.IsNil() {
			return TypeNull
		}
		return TypeString
	default:
		return TypeString
	}
}

func typeFamily() []Function {
	is := func(function, name, doc, example string, result string) Function {
		return Function{
			Name: function, Signature: "value", Result: "bool", Doc: doc,
			Code:     func(value any) bool { return TypeOf(value) == name },
			Examples: []Example{{example, result}},
		}
	}
	return []Function{
		{
			Name: "toInt", Signature: "value", Result: "number", Code: toInt,
			Doc:      "the whole number, without its fraction; true is 1, false and a missing value are 0",
			Examples: []Example{{`{{ toInt "3.9" }}`, "3"}},
		},
		{
			Name: "toFloat", Signature: "value", Result: "number", Code: toFloat, Doc: "the number with its fraction",
			Examples: []Example{{`{{ toFloat "2.50" }}`, "2.5"}},
		},
		{
			Name: "toBool", Signature: "value", Result: "bool", Code: toBool,
			Doc:      "true for true, 1, yes, on; false for false, 0, no, off and a missing value; others are an error",
			Examples: []Example{{`{{ toBool "yes" }}`, "true"}},
		},
		{
			Name: "toString", Signature: "value", Result: "text", Code: Text, Doc: "the text of the value, which is how it prints",
			Examples: []Example{{"{{ toString .spec.replicas }}", "3"}},
		},
		{
			Name: "toJson", Signature: "value", Result: "text", Code: jsonFunction("toJson"), Doc: "the value as JSON; a missing one is null",
			Examples: []Example{{"{{ toJson .spec.hosts }}", `["shop.example.com","www.shop.example.com"]`}},
		},
		{
			Name: "typeOf", Signature: "value", Result: "text", Code: TypeOf,
			Doc:      "`map`, `slice` (a list), `string`, `number`, `bool` or `null` (missing)",
			Examples: []Example{{"{{ typeOf .spec.hosts }}", "slice"}},
		},
		is("typeMap", TypeMap, "whether it is a map", "{{ typeMap .spec }}", "true"),
		is("typeList", TypeList, "whether it is a list", "{{ typeList .spec.hosts }}", "true"),
		is("typeString", TypeString, "whether it is a text", "{{ typeString .spec.tier }}", "true"),
		is("typeNumber", TypeNumber, "whether it is a number; the text of one is not", `{{ typeNumber "3" }}`, "false"),
		is("typeBool", TypeBool, "whether it is a boolean; the text of one is not", "{{ typeBool .spec.suspend }}", "true"),
		is("typeNull", TypeNull, "whether it is missing", "{{ typeNull .spec.none }}", "true"),
		{
			Name: "len", Signature: "value", Result: "number", Code: length,
			Doc:      "the bytes of a text, elements of a list or keys of a map; 0 for a missing value",
			Examples: []Example{{"{{ len .spec.hosts }}", "2"}},
		},
		{
			Name: "isEmpty", Signature: "value", Result: "bool", Code: Empty, AliasOf: "empty", Doc: "the same as `empty`",
			Examples: []Example{{"{{ isEmpty .spec.none }}", "true"}},
		},
		{
			Name: "isScalar", Signature: "value", Result: "bool", Code: isScalar, Doc: "whether it is a text, number or boolean",
			Examples: []Example{{"{{ isScalar .spec.tier }}", "true"}},
		},
		{
			Name: "isComposite", Signature: "value", Result: "bool", Code: isComposite, Doc: "whether it is a list or map",
			Examples: []Example{{"{{ isComposite .spec.tier }}", "false"}},
		},
	}
}

// toInt truncates towards zero. true is 1, false and a missing value are 0.
func toInt(value any) (int64, error) {
	n, err := booleanOrNumber("toInt", value)
	if err != nil {
		return 0, err
	}
	i, ok := n.truncated()
	if !ok {
		return 0, fmt.Errorf("toInt: %s does not fit into 64 bits", quote(value))
	}
	return i, nil
}

func toFloat(value any) (float64, error) {
	n, err := booleanOrNumber("toFloat", value)
	return n.Float(), err
}

func booleanOrNumber(function string, value any) (Number, error) {
	if b, ok := value.(bool); ok {
		if b {
			return wholeNumber(1), nil
		}
		return wholeNumber(0), nil
	}
	return number(function, value)
}

// number is NumberOf for functions: what is not a number is an error that names the function.
func number(function string, value any) (Number, error) {
	n, ok := NumberOf(value)
	if !ok {
		return Number{}, fmt.Errorf("%s: %s is not a number", function, quote(value))
	}
	return n, nil
}

// BoolOf reads a boolean, or the text of one in any case: true, 1, yes, on; false, 0, no, off. A missing value and the
// empty text are false. found is false for everything else.
func BoolOf(value any) (result, found bool) {
	switch strings.ToLower(strings.TrimSpace(Text(value))) {
	case "true", "1", "yes", "on":
		return true, true
	case "false", "0", "no", "off", "":
		return false, true
	}
	return false, false
}

func toBool(value any) (bool, error) {
	b, ok := BoolOf(value)
	if !ok {
		return false, fmt.Errorf("toBool: %s is not a boolean: use true, 1, yes, on, false, 0, no or off", quote(value))
	}
	return b, nil
}

// jsonFunction prints a missing value as null, where Text prints nothing.
func jsonFunction(name string) func(value any) (string, error) {
	return func(value any) (string, error) { return bounded(name, jsonText(value)) }
}

// length counts the bytes of a text, the elements of a list, the keys of a map. A missing value has none.
func length(value any) (int, error) {
	switch v := value.(type) {
	case nil:
		return 0, nil
	case string:
		return len(v), nil
	}
	v := reflect.ValueOf(value)
	switch v.Kind() {
	case reflect.String, reflect.Slice, reflect.Array, reflect.Map:
		return v.Len(), nil
	default:
		return 0, fmt.Errorf("len: %s is a %s: only a text, a list or a map has a length", quote(value), TypeOf(value))
	}
}

func isScalar(value any) bool {
	switch TypeOf(value) {
	case TypeString, TypeNumber, TypeBool:
		return true
	}
	return false
}

func isComposite(value any) bool {
	t := TypeOf(value)
	return t == TypeMap || t == TypeList
}

// quote shows a value in an error, cut to what a line can hold.
func quote(value any) string {
	const most = 60
	text := []rune(Text(value))
	if len(text) > most {
		text = append(text[:most], '…')
	}
	return fmt.Sprintf("%q", string(text))
}
