package cel

import (
	"reflect"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

var _ traits.Mapper = (*object)(nil)

// object is a raw object whose fields have schemas of their own. A field is read when an expression asks for it.
type object struct {
	schema *schema
	raw    map[string]any
}

// Find reads a field. A null where the schema allows none is no field.
func (o *object) Find(key ref.Val) (ref.Val, bool) {
	name, ok := key.(types.String)
	if !ok {
		return types.MaybeNoSuchOverloadErr(key), true
	}
	field, s := o.schema.field(string(name))
	raw, found := o.raw[field]
	if !found || s == nil || raw == nil && !s.nullable && s != anything {
		return nil, false
	}
	return s.NativeToValue(raw), true
}

// Get reads a field that must be there.
func (o *object) Get(key ref.Val) ref.Val {
	value, found := o.Find(key)
	if !found {
		return types.ValOrErr(key, "no such key: %v", key)
	}
	return value
}

// Contains tells whether there is a field.
func (o *object) Contains(key ref.Val) ref.Val {
	value, found := o.Find(key)
	if found && types.IsUnknownOrError(value) {
		return value
	}
	return types.Bool(found)
}

// Equal compares field by field.
func (o *object) Equal(other ref.Val) ref.Val {
	mapper, ok := other.(traits.Mapper)
	if !ok || o.Size() != mapper.Size() {
		return types.False
	}
	for name := range o.raw {
		key := types.String(name)
		mine, found := o.Find(key)
		theirs, foundToo := mapper.Find(key)
		if found != foundToo || found && types.Equal(mine, theirs) != types.True {
			return types.False
		}
	}
	return types.True
}

// Size counts the fields.
func (o *object) Size() ref.Val { return types.Int(len(o.raw)) }

// Iterator goes through the names of the fields.
func (o *object) Iterator() traits.Iterator { return o.plain().Iterator() }

// ConvertToNative gives the raw object.
func (o *object) ConvertToNative(typeDesc reflect.Type) (any, error) {
	return o.plain().ConvertToNative(typeDesc)
}

// ConvertToType is that of a map.
func (o *object) ConvertToType(typeValue ref.Type) ref.Val {
	if typeValue == types.MapType {
		return o
	}
	return o.plain().ConvertToType(typeValue)
}

// Type is that of a map.
func (o *object) Type() ref.Type { return types.MapType }

// Value is the raw object.
func (o *object) Value() any { return o.raw }

func (o *object) plain() traits.Mapper {
	return types.NewStringInterfaceMap(types.DefaultTypeAdapter, o.raw)
}
