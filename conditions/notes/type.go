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

func typeFamily() map[string]any {
	is := func(name string) func(any) bool {
		return func(value any) bool { return TypeOf(value) == name }
	}
	return map[string]any{
		"toInt":       toInt,
		"toFloat":     toFloat,
		"toBool":      toBool,
		"toString":    Text,
		"toJson":      toJSON,
		"typeOf":      TypeOf,
		"typeMap":     is(TypeMap),
		"typeList":    is(TypeList),
		"typeString":  is(TypeString),
		"typeNumber":  is(TypeNumber),
		"typeBool":    is(TypeBool),
		"typeNull":    is(TypeNull),
		"len":         length,
		"isEmpty":     Empty,
		"isScalar":    isScalar,
		"isComposite": isComposite,
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

// toJSON prints a missing value as null, where Text prints nothing.
func toJSON(value any) (string, error) {
	return bounded("toJson", jsonText(value))
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
