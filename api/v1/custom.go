package v1

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// customFields is Custom without its methods.
type customFields Custom

// customKeys are the keys of a custom declaration that are not taken over to the object.
var customKeys = jsonKeys(reflect.TypeFor[customFields]())

// isCustomKey tells whether a top-level key of a custom declaration has a meaning of its own. Every other key belongs to
// the object and is kept in Custom.Object.
func isCustomKey(key string) bool {
	return customKeys[key]
}

// MarshalJSON implements json.Marshaler. The fields of Object stand beside the others.
func (c Custom) MarshalJSON() ([]byte, error) {
	declared, err := json.Marshal(customFields(c))
	if err != nil {
		return nil, err
	}
	flat := map[string]json.RawMessage{}
	if err := json.Unmarshal(declared, &flat); err != nil {
		return nil, err
	}
	for key, value := range c.Object {
		if isCustomKey(key) {
			return nil, fmt.Errorf("custom object field %q has another meaning in a declaration", key)
		}
		if flat[key], err = json.Marshal(value); err != nil {
			return nil, fmt.Errorf("custom object field %s: %w", key, err)
		}
	}
	return json.Marshal(flat)
}

// UnmarshalJSON implements json.Unmarshaler. Every field that a declaration does not have goes to Object.
func (c *Custom) UnmarshalJSON(data []byte) error {
	var declared customFields
	if err := json.Unmarshal(data, &declared); err != nil {
		return err
	}
	flat := map[string]JSON{}
	if err := json.Unmarshal(data, &flat); err != nil {
		return err
	}
	for key := range flat {
		if isCustomKey(key) {
			delete(flat, key)
		}
	}
	declared.Object = nil
	if len(flat) > 0 {
		declared.Object = flat
	}
	*c = Custom(declared)
	return nil
}

// jsonKeys returns the JSON names of the fields of a struct, those of inlined structs included.
func jsonKeys(t reflect.Type) map[string]bool {
	keys := map[string]bool{}
	for _, field := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" && name != "-" {
			keys[name] = true
		}
	}
	return keys
}
