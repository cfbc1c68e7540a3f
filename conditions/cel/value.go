package cel

import (
	"encoding/base64"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"k8s.io/kube-openapi/pkg/validation/strfmt"

	"github.com/orkestra-runtime/orkestra/conditions/template"
)

var _ types.Adapter = (*schema)(nil)

// NativeToValue reads a raw value, of the types that unstructured objects hold. One of another type than the schema says
// is an error value.
func (s *schema) NativeToValue(raw any) ref.Val {
	if raw == nil {
		return types.NullValue
	}
	switch s.celType.Kind() {
	case types.StructKind:
		if fields, ok := raw.(map[string]any); ok {
			return &object{schema: s, raw: fields}
		}
	case types.MapKind:
		switch raw := raw.(type) {
		case map[string]any:
			return types.NewStringInterfaceMap(s.element, raw)
		case map[string]string:
			return types.NewStringStringMap(s.element, raw)
		}
	case types.ListKind:
		switch raw.(type) {
		case []any, []string:
			return types.NewDynamicList(s.element, raw)
		}
	case types.BoolKind:
		if b, ok := raw.(bool); ok {
			return types.Bool(b)
		}
	case types.IntKind:
		switch n := raw.(type) {
		case int64:
			return types.Int(n)
		case int:
			return types.Int(n)
		}
	case types.DoubleKind:
		switch n := raw.(type) {
		case float64:
			return types.Double(n)
		case int64: // 1.0 in YAML is 1 in JSON
			return types.Double(n)
		case int:
			return types.Double(n)
		}
	case types.DynKind:
		return types.DefaultTypeAdapter.NativeToValue(raw)
	default:
		if text, ok := raw.(string); ok {
			return s.parse(text)
		}
	}
	return types.NewErr("the schema says %s, and the value is of type %s",
		cel.FormatCELType(s.celType), types.DefaultTypeAdapter.NativeToValue(raw).Type().TypeName())
}

// parse reads a string in the format of the schema.
func (s *schema) parse(text string) ref.Val {
	var err error
	switch s.format {
	case "byte":
		var decoded []byte
		if decoded, err = base64.StdEncoding.DecodeString(text); err == nil {
			return types.Bytes(decoded)
		}
	case "date":
		var day time.Time
		if day, err = time.Parse(strfmt.RFC3339FullDate, text); err == nil {
			return types.Timestamp{Time: day}
		}
	case "date-time":
		var moment strfmt.DateTime
		if moment, err = strfmt.ParseDateTime(text); err == nil {
			return types.Timestamp{Time: time.Time(moment)}
		}
	case "duration":
		var length time.Duration
		if length, err = strfmt.ParseDuration(text); err == nil {
			return types.Duration{Duration: length}
		}
	default:
		return types.String(text)
	}
	return types.NewErr("%q is not in the format %s: %v", template.Shorten(text), s.format, err)
}
