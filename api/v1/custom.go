package v1

import (
	"encoding/json"
	"reflect"
	"strings"
)

// customFields is Custom without its methods.
type customFields Custom

// customKeys are the keys of a custom declaration that have a meaning of their own. Every other key belongs to the object and is kept in
// Custom.Object.
var customKeys = jsonKeys(reflect.TypeFor[customFields]())

// MarshalJSON implements json.Marshaler. The fields of Object stand beside the others.
func (c Custom) MarshalJSON() ([]byte, error) {
	return marshalOpen(customFields(c), c.Object, customKeys)
}

// UnmarshalJSON implements json.Unmarshaler. Every field that a declaration does not have goes to Object.
func (c *Custom) UnmarshalJSON(data []byte) error {
	var declared customFields
	if err := json.Unmarshal(data, &declared); err != nil {
		return err
	}
	others, err := othersIn(data, customKeys)
	if err != nil {
		return err
	}
	declared.Object = others
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
