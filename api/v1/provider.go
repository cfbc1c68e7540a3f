package v1

import (
	"encoding/json"
	"fmt"
	"reflect"
)

// ProviderEntry is one thing that a resource needs of a provider: the one key beside when and or is its kind, and holds its fields. A file
// may also give the kind in action, and its fields in input.
//
// +kubebuilder:validation:Schemaless
// +kubebuilder:pruning:PreserveUnknownFields
type ProviderEntry struct {
	// Conditions decide whether it is needed. When the resource is deleted they are not asked: it is taken away in any case.
	Conditions `json:",inline"`
	// Declared has the fields by the kind, such as database. In JSON it stands beside the conditions.
	Declared map[string]JSON `json:"-"`
}

// providerFields is ProviderEntry without its methods.
type providerFields ProviderEntry

var providerKeys = jsonKeys(reflect.TypeFor[providerFields]())

// MarshalJSON implements json.Marshaler.
func (p ProviderEntry) MarshalJSON() ([]byte, error) {
	return marshalOpen(providerFields(p), p.Declared, providerKeys)
}

// UnmarshalJSON implements json.Unmarshaler.
func (p *ProviderEntry) UnmarshalJSON(data []byte) error {
	var declared providerFields
	if err := json.Unmarshal(data, &declared); err != nil {
		return err
	}
	others, err := othersIn(data, providerKeys)
	if err != nil {
		return err
	}
	declared.Declared = others
	*p = ProviderEntry(declared)
	return nil
}

// marshalOpen is the JSON of a struct with other keys beside its own.
func marshalOpen(fields any, others map[string]JSON, own map[string]bool) ([]byte, error) {
	declared, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	flat := map[string]json.RawMessage{}
	if err := json.Unmarshal(declared, &flat); err != nil {
		return nil, err
	}
	for key, value := range others {
		if own[key] {
			return nil, fmt.Errorf("the key %q has another meaning in a declaration", key)
		}
		if flat[key], err = json.Marshal(value); err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
	}
	return json.Marshal(flat)
}

// othersIn are the keys of a JSON object that are none of a struct's own.
func othersIn(data []byte, own map[string]bool) (map[string]JSON, error) {
	flat := map[string]JSON{}
	if err := json.Unmarshal(data, &flat); err != nil {
		return nil, err
	}
	for key := range flat {
		if own[key] {
			delete(flat, key)
		}
	}
	if len(flat) == 0 {
		return nil, nil
	}
	return flat, nil
}
