package v1

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"k8s.io/apimachinery/pkg/runtime"
)

// MarshalJSON implements json.Marshaler.
func (j JSON) MarshalJSON() ([]byte, error) {
	return json.Marshal(j.Value)
}

// UnmarshalJSON implements json.Unmarshaler. A number without fraction and exponent that fits is an int64, every other one
// a float64.
func (j *JSON) UnmarshalJSON(data []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one JSON value")
	}
	value, err := withNumbers(value)
	if err != nil {
		return err
	}
	j.Value = value
	return nil
}

// DeepCopyInto copies j to out.
func (j *JSON) DeepCopyInto(out *JSON) {
	out.Value = runtime.DeepCopyJSONValue(j.Value)
}

// DeepCopy returns a copy of j.
func (j *JSON) DeepCopy() *JSON {
	if j == nil {
		return nil
	}
	out := new(JSON)
	j.DeepCopyInto(out)
	return out
}

// withNumbers replaces every json.Number in place and returns the value.
func withNumbers(value any) (any, error) {
	var err error
	switch typed := value.(type) {
	case json.Number:
		return number(typed)
	case []any:
		for i := range typed {
			if typed[i], err = withNumbers(typed[i]); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for key := range typed {
			if typed[key], err = withNumbers(typed[key]); err != nil {
				return nil, err
			}
		}
	}
	return value, nil
}

func number(text json.Number) (any, error) {
	if integer, err := text.Int64(); err == nil {
		return integer, nil
	}
	float, err := strconv.ParseFloat(text.String(), 64)
	if err != nil || math.IsInf(float, 0) {
		return nil, fmt.Errorf("number %s is out of range", text)
	}
	return float, nil
}
