package informer

import (
	"bytes"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// decode reads a JSON object as unstructured objects hold it: whole numbers that fit are int64, others float64. Texts that objects have in
// common, above all the names of fields, are one in memory, where client-go's decoder makes one for each: they are a sixth of a store.
func decode(data []byte) (map[string]any, error) {
	d := newDecoder(data)
	if kind := d.PeekKind(); kind != jsontext.KindBeginObject && kind != jsontext.KindNull && kind != jsontext.KindInvalid {
		return nil, fmt.Errorf("decode an object: it is a JSON %s", kind)
	}
	value, err := d.value()
	if err == nil {
		err = d.end()
	}
	if err != nil {
		return nil, fmt.Errorf("decode an object: %w", err)
	}
	object, _ := value.(map[string]any)
	return object, nil
}

// decodeEvent reads an event of a watch, and leaves its object as it is: a part of the data.
func decodeEvent(data []byte, event *metav1.WatchEvent) error {
	d := newDecoder(data)
	_, err := d.ReadToken()
	for err == nil && d.PeekKind() == jsontext.KindString {
		var name string
		if name, err = d.text(&names); err != nil {
			break
		}
		switch name {
		case "type":
			event.Type, err = d.text(&values)
		case "object":
			var object jsontext.Value
			object, err = d.ReadValue()
			end := d.InputOffset()
			event.Object.Raw = data[end-int64(len(object)) : end]
		default:
			err = d.SkipValue()
		}
	}
	if err == nil {
		_, err = d.ReadToken()
	}
	if err != nil {
		return fmt.Errorf("decode an event of a watch: %w", err)
	}
	return nil
}

type decoder struct{ *jsontext.Decoder }

func newDecoder(data []byte) decoder {
	return decoder{jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
}

func (d decoder) end() error {
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return errors.New("there is something behind it")
	}
	return nil
}

func (d decoder) value() (any, error) {
	switch d.PeekKind() {
	case jsontext.KindBeginObject:
		return d.object()
	case jsontext.KindBeginArray:
		return d.list()
	case jsontext.KindString:
		return d.text(&values)
	case jsontext.KindNumber:
		raw, err := d.ReadValue()
		if err != nil {
			return nil, err //nolint:wrapcheck // says where
		}
		return number(string(raw))
	case jsontext.KindNull, jsontext.KindTrue, jsontext.KindFalse, jsontext.KindEndObject, jsontext.KindEndArray, jsontext.KindInvalid:
	}
	token, err := d.ReadToken()
	if err != nil || token.Kind() == jsontext.KindNull {
		return nil, err //nolint:wrapcheck // says where
	}
	return token.Bool(), nil
}

func (d decoder) object() (any, error) {
	if _, err := d.ReadToken(); err != nil {
		return nil, err //nolint:wrapcheck // says where
	}
	object := map[string]any{}
	for d.PeekKind() == jsontext.KindString {
		name, err := d.text(&names)
		if err != nil {
			return nil, err
		}
		if object[name], err = d.value(); err != nil {
			return nil, err
		}
	}
	_, err := d.ReadToken()
	return object, err //nolint:wrapcheck // says where
}

func (d decoder) list() (any, error) {
	if _, err := d.ReadToken(); err != nil {
		return nil, err //nolint:wrapcheck // says where
	}
	list := []any{}
	for kind := d.PeekKind(); kind != jsontext.KindEndArray && kind != jsontext.KindInvalid; kind = d.PeekKind() {
		value, err := d.value()
		if err != nil {
			return nil, err
		}
		list = append(list, value)
	}
	_, err := d.ReadToken()
	return list, err //nolint:wrapcheck // says where
}

// text reads a text, and shares it if it is in plain ASCII.
func (d decoder) text(with *shared) (string, error) {
	raw, err := d.ReadValue()
	switch {
	case err != nil:
		return "", err //nolint:wrapcheck // says where
	case raw.Kind() != jsontext.KindString:
		return "", fmt.Errorf("want a text and have a JSON %s", raw.Kind())
	}
	for _, c := range raw[1 : len(raw)-1] {
		if c == '\\' || c >= 0x80 {
			plain, err := jsontext.AppendUnquote(nil, raw)
			if err != nil && !bytes.Contains(plain, []byte("\ufffd")) {
				return "", err //nolint:wrapcheck // says what
			}
			return string(plain), nil
		}
	}
	return with.text(raw[1 : len(raw)-1]), nil
}

// number is an int64 where the text is one, else a float64.
func number(text string) (any, error) {
	if !strings.ContainsAny(text, ".eE") {
		if whole, err := strconv.ParseInt(text, 10, 64); err == nil {
			return whole, nil
		}
	}
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, fmt.Errorf("the number %.40s is out of range", text)
	}
	return value, nil
}

// shared has texts that were seen last: whoever reads one of them again gets the same. A text that takes the place of another one costs no
// more than the text itself. It is safe for concurrent use.
type shared [1024]atomic.Pointer[string]

// mostShared is how many bytes a text may have: longer ones are seldom alike.
const mostShared = 64

var (
	names, values shared // apart, for values are many more
	seed          = maphash.MakeSeed()
)

func (s *shared) text(plain []byte) string {
	if len(plain) > mostShared {
		return string(plain)
	}
	place := &s[maphash.Bytes(seed, plain)%uint64(len(s))]
	if known := place.Load(); known != nil && *known == string(plain) {
		return *known
	}
	text := string(plain)
	place.Store(&text)
	return text
}

// listOf makes a list of one that was decoded as an object. The API server leaves the kind of the items out where it knows their type.
func listOf(object *unstructured.Unstructured) (*unstructured.UnstructuredList, error) {
	items, _ := object.Object["items"].([]any)
	list := &unstructured.UnstructuredList{Object: object.Object, Items: make([]unstructured.Unstructured, 0, len(items))}
	delete(list.Object, "items")
	version, kind := object.GetAPIVersion(), strings.TrimSuffix(object.GetKind(), "List")
	for i, one := range items {
		fields, ok := one.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("decode a list: item %d is no object", i)
		}
		item := unstructured.Unstructured{Object: fields}
		if item.GetKind() == "" && item.GetAPIVersion() == "" {
			item.SetKind(kind)
			item.SetAPIVersion(version)
		}
		list.Items = append(list.Items, item)
	}
	return list, nil
}
