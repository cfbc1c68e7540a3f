package notes

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
)

// NoValue is what Go's own templates print for a missing value. Where it arrives as data it counts as empty.
const NoValue = "<no value>"

// Text prints a value as people write it: nil as "", integral numbers without a point and never with an exponent, strings
// as they are, maps and lists as JSON.
func Text(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case int:
		return strconv.Itoa(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return floatText(v)
	case map[string]any, []any:
		return jsonText(v)
	case []byte:
		return string(v)
	}
	return reflectedText(value)
}

func floatText(f float64) string {
	if f == 0 {
		return "0" // not -0
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// reflectedText prints what does not come from JSON: named types, other widths, pointers.
func reflectedText(value any) string {
	v := reflect.ValueOf(value)
	switch {
	case v.CanInt():
		return strconv.FormatInt(v.Int(), 10)
	case v.CanUint():
		return strconv.FormatUint(v.Uint(), 10)
	case v.CanFloat():
		return floatText(v.Float())
	}
	switch v.Kind() {
	case reflect.String:
		return v.String()
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Pointer:
		if v.IsNil() {
			return ""
		}
		return Text(v.Elem().Interface())
	default:
		return jsonText(value)
	}
}

// jsonText leaves <, > and & as they are: the text goes into manifests, not into web pages.
func jsonText(value any) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return fmt.Sprint(value)
	}
	return string(bytes.TrimSuffix(out.Bytes(), []byte("\n")))
}
