package cel

import (
	"encoding/base64"
	"fmt"
	"math"
	"time"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// native gives a result one of JSON's types.
func native(value ref.Val) (any, error) {
	switch v := value.(type) {
	case types.Null:
		return nil, nil
	case types.Bool:
		return bool(v), nil
	case types.Int:
		return int64(v), nil
	case types.Uint:
		if v > math.MaxInt64 {
			return nil, fmt.Errorf("the number %d is too large", v)
		}
		return int64(v), nil
	case types.Double:
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return nil, fmt.Errorf("gives %v, which is no number of JSON", float64(v))
		}
		return float64(v), nil
	case types.String:
		return string(v), nil
	case types.Bytes:
		return base64.StdEncoding.EncodeToString(v), nil
	case types.Timestamp:
		return v.UTC().Format(time.RFC3339Nano), nil
	case *types.Optional:
		if !v.HasValue() {
			return nil, nil
		}
		return native(v.GetValue())
	case *object:
		return v.raw, nil
	case traits.Mapper:
		return nativeMap(v)
	case traits.Lister:
		return nativeList(v)
	case *types.Err:
		return nil, v
	case *types.Type:
	case fmt.Stringer: // a duration, a quantity, an address, a version, a URL
		return v.String(), nil
	}
	return nil, fmt.Errorf("gives %s, which is no value of JSON", value.Type().TypeName())
}

func nativeMap(m traits.Mapper) (any, error) {
	if raw, ok := m.Value().(map[string]any); ok {
		return raw, nil
	}
	raw := map[string]any{}
	for i := m.Iterator(); i.HasNext() == types.True; {
		key := i.Next()
		name, ok := key.ConvertToType(types.StringType).(types.String)
		if !ok {
			return nil, fmt.Errorf("gives a map with a key of type %s", key.Type().TypeName())
		}
		value, err := native(m.Get(key))
		if err != nil {
			return nil, err
		}
		raw[string(name)] = value
	}
	return raw, nil
}

func nativeList(list traits.Lister) (any, error) {
	raw := []any{}
	for i := list.Iterator(); i.HasNext() == types.True; {
		value, err := native(i.Next())
		if err != nil {
			return nil, err
		}
		raw = append(raw, value)
	}
	return raw, nil
}
