package args

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// Bind reads the arguments into a struct, by its json names; what is absent stays as it is, so that set fields are defaults. An
// argument that the struct has no field for, and one of another type than its field, is an error that names it.
func (a Args) Bind(into any) error {
	if v := reflect.ValueOf(into); v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("bind args: want a pointer to a struct, got %T", into)
	}
	if len(a.values) == 0 {
		return nil
	}
	text, err := json.Marshal(a.values)
	if err != nil {
		return fmt.Errorf("bind args: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	err = decoder.Decode(into)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("bind args: %s is a %s in the Katalog, and %s in the program", wrong.Field, wrong.Value, wrong.Type)
	}
	if err != nil {
		return fmt.Errorf("bind args: %T: %w", into, err)
	}
	return nil
}
