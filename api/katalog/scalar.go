package katalog

import (
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	orkv1 "github.com/orkestra-runtime/orkestra/api/v1"
)

func (d *decoder) scalar(n *node, v reflect.Value, path string) {
	if n.kind != kindScalar {
		d.wrongType(n, path, scalarName(v.Kind()))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(n.text)
		d.enum(n, v, path)
	case reflect.Bool:
		if value, ok := parseBool(n); ok {
			v.SetBool(value)
			return
		}
		d.errorf(n.pos, path, "want true or false, got %s%s", n.describe(), unquoteHint(n, "true", "false"))
	case reflect.Int, reflect.Int32, reflect.Int64:
		d.integer(n, v, path)
	default:
		d.errorf(n.pos, path, "a value of type %s cannot be read", v.Type())
	}
}

// enum checks a text of which only some values are valid.
func (d *decoder) enum(n *node, v reflect.Value, path string) {
	enum, ok := reflect.TypeAssert[orkv1.Enum](v)
	if !ok || v.Len() == 0 || d.unbound[path] || slices.Contains(enum.Values(), n.text) {
		return
	}
	message := "unknown value " + quote(n.text)
	if _, protocol := enum.(orkv1.Protocol); protocol && reservedProtocols[n.text] {
		message = "the protocol " + quote(n.text) + " is reserved: there is no client for it yet"
	}
	d.errors = append(d.errors, Finding{Position: n.pos, Path: path, Message: message, Valid: enum.Values()})
}

func (d *decoder) integer(n *node, v reflect.Value, path string) {
	if n.tag != tagInt {
		_, err := strconv.Atoi(n.text)
		hint := ""
		if err == nil && n.tag == tagString {
			hint = "; remove the quotes"
		}
		d.errorf(n.pos, path, "want a whole number, got %s%s", n.describe(), hint)
		return
	}
	value, err := strconv.ParseInt(strings.ReplaceAll(n.text, "_", ""), 0, 64)
	if err != nil || v.OverflowInt(value) {
		d.errorf(n.pos, path, "the number %s is out of range", n.text)
		return
	}
	v.SetInt(value)
}

// plain returns n as nil, bool, int64, float64, string, []any or map[string]any.
func (d *decoder) plain(n *node, path string) (any, bool) {
	switch n.kind {
	case kindList:
		out := make([]any, 0, len(n.items))
		for i, item := range n.items {
			below := path + "[" + strconv.Itoa(i) + "]"
			d.place(item, item.pos, below)
			value, ok := d.plain(item, below)
			if !ok {
				return nil, false
			}
			out = append(out, value)
		}
		return out, true
	case kindMap:
		out := make(map[string]any, len(n.fields))
		for _, e := range n.fields {
			below := join(path, e.key)
			d.locate(e, below)
			value, ok := d.plain(e.value, below)
			if !ok {
				return nil, false
			}
			out[e.key] = value
		}
		return out, true
	default:
		value, problem := n.native()
		if problem != "" {
			d.errorf(n.pos, path, "%s", problem)
		}
		return value, problem == ""
	}
}

// native returns a scalar as the type that its spelling says, or what is wrong with it.
func (n *node) native() (value any, problem string) {
	switch n.tag {
	case tagNull:
		return nil, ""
	case tagBool:
		value, _ := parseBool(n)
		return value, ""
	case tagInt:
		if value, err := strconv.ParseInt(strings.ReplaceAll(n.text, "_", ""), 0, 64); err == nil {
			return value, ""
		}
		fallthrough
	case tagFloat:
		value, err := strconv.ParseFloat(strings.ReplaceAll(n.text, "_", ""), 64)
		if err != nil || math.IsInf(value, 0) || math.IsNaN(value) {
			return nil, "the number " + n.text + " cannot be written in JSON"
		}
		return value, ""
	default:
		return n.text, ""
	}
}

func isTextKind(t reflect.Type) bool {
	return t.Kind() == reflect.String
}

func scalarName(kind reflect.Kind) string {
	switch kind {
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int32, reflect.Int64:
		return "a whole number"
	default:
		return "a text"
	}
}

// parseBool takes the words of YAML 1.1 too, as long as they are not quoted.
func parseBool(n *node) (value, ok bool) {
	if n.tag == tagBool {
		return n.text == "true", true
	}
	if n.tag != tagString || n.quoted {
		return false, false
	}
	switch n.text {
	case "yes", "Yes", "YES", "on", "On", "ON":
		return true, true
	case "no", "No", "NO", "off", "Off", "OFF":
		return false, true
	}
	return false, false
}

func unquoteHint(n *node, words ...string) string {
	if n.tag == tagString && slices.Contains(words, n.text) {
		return "; remove the quotes"
	}
	return ""
}
